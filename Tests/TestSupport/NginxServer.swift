import Glibc

/// A real nginx on a free port of loopback, serving a directory.
package final class NginxServer: Sendable {
    /// A line of the access log.
    package struct Access: Sendable, Equatable {
        package let status: Int
        package let bodyBytesSent: UInt64
        /// The `Range` field; `nil` without one.
        package let range: String?
        package let target: String
    }

    package let port: UInt16
    /// What it shows to clients, who should trust it; `nil` if it speaks plain HTTP.
    package let certificate: TLSCertificate?
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts nginx, and waits until it is up. It inherits a socket that listens already, so no port can be lost to others.
    ///
    /// - Parameters:
    ///   - root: the directory it serves.
    ///   - limitRate: bytes a second for each connection, the first second's worth at once; `nil` for no limit.
    ///   - isSecure: whether it speaks TLS, with a certificate of its own.
    ///   - listenParameters: more of nginx's parameters for the socket: `http2`, say.
    ///   - serverDirectives: more of nginx's language for the `server` block, locations too.
    /// - Throws: `MissingTool`; `ChildProcess.EndedEarly` with what nginx says of its configuration.
    package init(
        root: String, limitRate: UInt64? = nil, isSecure: Bool = false, listenParameters: String = "",
        serverDirectives: String = ""
    ) async throws {
        let listener = try LoopbackListener()
        let directory = try TemporaryDirectory()
        self.directory = directory
        port = listener.port
        certificate = isSecure ? try await TLSCertificate(in: directory) : nil
        let tls = certificate.map { "ssl_certificate \($0.certificatePath); ssl_certificate_key \($0.keyPath);" }
        let rate = limitRate.map { "limit_rate \($0);" }
        let configuration = Self.configuration(
            root: root, listen: "127.0.0.1:\(port)\(isSecure ? " ssl" : "") \(listenParameters)",
            scratch: directory.path,
            serverDirectives: [tls, rate, serverDirectives].compactMap(\.self).joined(separator: "\n"))
        try directory.write(configuration.utf8, to: "nginx.conf")
        var environment = ChildProcess.inheritedEnvironment
        environment["NGINX"] = "\(ChildProcess.firstInherited);"
        process = try ChildProcess(
            "nginx", ["-p", directory.path, "-c", directory["nginx.conf"], "-e", "stderr"], environment: environment,
            inherited: [listener.descriptor.number], lastSignal: SIGTERM)
        // The last of the notices it gives at its start.
        try await process.wait(for: "the start") { $0.errorText.contains("RLIMIT_NOFILE") ? () : nil }
    }

    /// Ends it, as its deinitializer does, too. Not by SIGKILL, which would leave its worker behind.
    package func stop() { process.kill(SIGTERM) }

    /// Lets it end the requests it is at, and then itself.
    ///
    /// - Returns: all the requests it had: it writes its log after a client has the last byte, or is gone.
    package func finish(within limit: Duration = .seconds(90)) async throws -> [Access] {
        process.kill(SIGQUIT)
        return Self.accesses(in: try await process.waitForExit(within: limit))
    }

    package func url(_ path: String, host: String = "127.0.0.1") -> String {
        "\(certificate == nil ? "http" : "https")://\(host):\(port)\(path)"
    }

    /// What nginx complained of so far.
    package var errorText: String { process.soFar.errorText }

    /// The requests it is done with, so far.
    package var accesses: [Access] { Self.accesses(in: process.soFar) }

    /// Bytes of bodies sent for a path, all requests it is done with together.
    package func bodyBytesSent(_ path: String) -> UInt64 {
        accesses.filter { $0.target.prefix { $0 != "?" } == path }.reduce(0) { $0 + $1.bodyBytesSent }
    }

    /// Waits until nginx is done with so many requests: it writes its log after a client has the last byte.
    @discardableResult
    package func waitForAccesses(_ count: Int, within limit: Duration = .seconds(90)) async throws -> [Access] {
        try await process.wait(for: "\(count) lines in the access log", within: limit) { result in
            let accesses = Self.accesses(in: result)
            return accesses.count >= count ? accesses : nil
        }
    }

    private static func accesses(in result: ChildProcess.Result) -> [Access] {
        result.outputText.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", maxSplits: 3).map(String.init)
            guard fields.count == 4, let status = Int(fields[0]), let sent = UInt64(fields[1]) else { return nil }
            return Access(
                status: status, bodyBytesSent: sent, range: fields[2] == "-" ? nil : fields[2], target: fields[3])
        }
    }

    /// In the foreground, with one worker. Started by root, that would be a user who can't read what only root may, but for `user`.
    private static func configuration(
        root: String, listen: String, scratch: String, serverDirectives: String
    ) -> String {
        let scratchPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(scratch)/\($0);" }.joined(separator: " ")
        return """
            daemon off;
            worker_processes 1;
            \(geteuid() == 0 ? "user root;" : "")
            pid \(scratch)/nginx.pid;
            error_log stderr notice;
            events { worker_connections 512; }
            http {
                \(scratchPaths)
                log_format tests "$status\\t$body_bytes_sent\\t$http_range\\t$request_uri";
                access_log /dev/stdout tests;
                default_type application/octet-stream;
                sendfile on;
                server {
                    listen \(listen);
                    root "\(root)";
                    \(serverDirectives)
                }
            }

            """
    }
}
