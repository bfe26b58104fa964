import Platform
import TestSupport
import Testing

@testable import Transfer

/// What a session's configuration may be.
@Suite struct SessionConfigurationTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func refusal(_ change: (inout SessionConfiguration) -> Void) -> ConfigurationError? {
        var configuration = SessionConfiguration()
        change(&configuration)
        do { try configuration.validate() } catch { return error }
        return nil
    }

    @Test func theDefaultsAreFine() { #expect(refusal { _ in } == nil) }

    @Test func boundsMustBeAboveZero() {
        let changes: [(ConfigurationError.Setting, (inout SessionConfiguration) -> Void)] = [
            (.idleTimeout, { $0.idleTimeout = .zero }), (.connectTimeout, { $0.connectTimeout = .seconds(-1) }),
            (.transferTimeout, { $0.transferTimeout = .zero }),
            (.minimumBytesPerSecond, { $0.minimumBytesPerSecond = 0 }),
            (.rateLimitBytesPerSecond, { $0.rateLimitBytesPerSecond = -5 }),
        ]
        for (setting, change) in changes { #expect(refusal(change)?.setting == setting) }
    }

    @Test(arguments: [[], ["ftp"], ["https", "file"]] as [Set<String>])
    func onlySchemesOfHTTPAreAllowed(_ schemes: Set<String>) {
        #expect(refusal { $0.allowedSchemes = schemes }?.setting == .allowedSchemes)
    }

    @Test(arguments: SessionConfiguration.HTTPVersion.allCases)
    func everyVersionIsSpoken(_ version: SessionConfiguration.HTTPVersion) {
        #expect(refusal { $0.httpVersion = version } == nil)
    }

    @Test(arguments: [
        "", "http://127.0.0.1:8888", "https://proxy.example", "socks5h://user:secret@proxy.example:1080",
        "proxy.example:3128", "http://[::1]:8080/",
    ])
    func proxiesThatCanWork(_ proxy: String) { #expect(refusal { $0.proxy = proxy } == nil) }

    @Test(arguments: [
        "gopher://proxy.example", "http://", "http://proxy.example:port", "http://proxy example", "http://:secret@",
        "http://proxy.example:99999", "ftp://user:secret@proxy.example",
    ])
    func proxiesThatCanNotWork(_ proxy: String) throws {
        let error = try #require(refusal { $0.proxy = proxy })
        #expect(error.setting == .proxy)
        #expect(!error.description.contains("secret"))
    }

    @Test(arguments: [("lo", true), ("127.0.0.1", true), ("no-such-0", false), ("192.0.2.1", false), ("", false)])
    func anInterfaceMustBeHere(_ name: String, _ isFine: Bool) {
        #expect((refusal { $0.interface = name } == nil) == isFine)
    }

    @Test func certificatesMustBeReadable() async throws {
        let certificate = try await TLSCertificate(in: folder).certificatePath
        #expect(refusal { $0.caBundlePath = certificate } == nil)
        try folder.write("no certificate".utf8, to: "text.pem")
        for path in [folder["text.pem"], folder["missing.pem"], folder.path, "/dev/zero", ""] {
            #expect(refusal { $0.caBundlePath = path }?.setting == .caBundlePath, "\(path)")
        }
    }

    @Test func loginsMustBeReadable() throws {
        try folder.write("machine a.example login me password secret".utf8, to: "netrc")
        #expect(refusal { $0.netrcPath = folder["netrc"] } == nil)
        for path in [folder["missing"], folder.path] {
            #expect(refusal { $0.netrcPath = path }?.setting == .netrcPath)
        }
    }

    @Test(arguments: ["Range", "accept-encoding", "HOST", "Content-Length", "If-None-Match", "Transfer-Encoding"])
    func whatIsSetForEachRequestIsNoHeaderForAll(_ name: String) {
        #expect(refusal { $0.headers = ["X-Site": "7", "Authorization": "x"] } == nil)
        #expect(refusal { $0.headers = ["X-Site": "7", name: "x"] }?.setting == .headers)
    }

    @Test func aUserAgentIsOneLine() {
        #expect(refusal { $0.userAgent = "a\r\nX-Injected: 1" }?.setting == .userAgent)
    }
}
