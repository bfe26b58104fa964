/// A self-signed certificate for `localhost` and 127.0.0.1, made by the real openssl; its own authority.
package struct TLSCertificate: Sendable {
    /// PEM; what a client is to trust.
    package let certificatePath: String
    package let keyPath: String

    /// - Parameter directory: where its files go.
    package init(in directory: TemporaryDirectory) async throws {
        certificatePath = directory["certificate.pem"]
        keyPath = directory["key.pem"]
        let result = try await ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", keyPath, "-out", certificatePath,
            ])
        guard result.status == .exited(0) else { throw ChildProcess.EndedEarly(what: "a certificate", result: result) }
    }
}
