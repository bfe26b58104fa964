import ManifestChecks
import TestSupport
import Testing
import Transfer

/// Against a real nginx.
@Suite struct RealServerTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write([UInt8](repeating: 7, count: 5000), to: "film.bin")
        try directory.write([], to: "empty.bin")
    }

    @Test func whatIsThereIsFineAndAllElseIsTold() async throws {
        let nginx = try await NginxServer(
            root: directory.path,
            serverDirectives: """
                location /whole/ { alias \(directory.path)/; max_ranges 0; }
                location /headless/ { alias \(directory.path)/; if ($request_method = HEAD) { return 405; } }
                location /login/ { return 302 /login; }
                location = /login { default_type text/html; return 200 "<html>Log in</html>"; }
                location /busy/ { add_header Retry-After 30 always; return 503; }
                """)
        let text = manifestText(
            book(
                "film.bin", "headless/film.bin", "whole/film.bin", "none.bin", "login/film.bin", "busy/x",
                more: #""size": 5000"#),
            book("empty.bin", "film.bin", more: #""size": 0"#).replacing(#""id": "b""#, with: #""id": "c""#))
        let checked = try await askedOnline(text, base: nginx.url("/"))
        #expect(
            checked.told == [
                Told("O010", "\"whole/film.bin\""), Told("O004", "\"none.bin\""), Told("O012", "\"login/film.bin\""),
                Told("O005", "\"busy/x\""), Told("O007", "\"film.bin\""),
            ])
    }

    @Test(arguments: ["", "http2"])
    func aCertificateCountsAsForASync(_ parameters: String) async throws {
        let nginx = try await NginxServer(root: directory.path, isSecure: true, listenParameters: parameters)
        let text = manifestText(book("film.bin"))
        #expect(try await askedOnline(text, base: nginx.url("/")).told == [Told("O002", "\"film.bin\"")])
        var trusting = SessionConfiguration()
        trusting.caBundlePath = nginx.certificate?.certificatePath
        #expect(try await askedOnline(text, base: nginx.url("/"), trusting).told == [])
    }

    @Test func aRedirectThatDropsTLSIsRefused() async throws {
        let plain = try await NginxServer(root: directory.path)
        let nginx = try await NginxServer(
            root: directory.path, isSecure: true,
            serverDirectives: "location /x { return 301 \(plain.url("/film.bin")); }")
        var trusting = SessionConfiguration()
        trusting.caBundlePath = nginx.certificate?.certificatePath
        let checked = try await askedOnline(manifestText(book("x")), base: nginx.url("/"), trusting)
        #expect(checked.told == [Told("O013", "\"x\"")])
        #expect(checked.contentFindings[0].message.contains("TLS"))
    }
}
