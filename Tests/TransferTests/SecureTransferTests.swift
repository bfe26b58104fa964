import FaultServer
import Glibc
import TestSupport
import Testing

@testable import Transfer

/// TLS against a real nginx: who is trusted, and that nothing leads out of it.
@Suite struct SecureTransferTests {
    private let plain: FaultServer
    private let folder: TemporaryDirectory

    init() throws {
        plain = try FaultServer()
        plain.serve("/plain", Resource(.text("plain")))
        folder = try TemporaryDirectory()
        try folder.write(Array("secret".utf8), to: "file")
    }

    @Test("https-to-http") func aRedirectThatDropsTLSIsRefused() async throws {
        let nginx = try await NginxServer(
            root: folder.path, isSecure: true,
            serverDirectives: """
                location = /down { return 302 \(plain.url("/plain")); }
                location = /on { return 302 https://127.0.0.1:$server_port/file; }
                """)
        let authority = try #require(nginx.certificate).certificatePath
        let session = Session { $0.caBundlePath = authority }
        let (down, seen) = try await session.get(nginx.url("/down"))
        #expect(down.summary == "redirectRefused 302")
        #expect(down.message.contains("TLS"))
        #expect(seen.body.isEmpty)
        #expect(plain.log.isEmpty)
        let (within, secret) = try await session.get(nginx.url("/on"))
        #expect(within.summary == "200", "\(within.message)")
        #expect(secret.body == Array("secret".utf8))
    }

    @Test func anUnknownAuthorityIsNotTrusted() async throws {
        let nginx = try await NginxServer(root: folder.path, isSecure: true)
        let (outcome, _) = try await Session().get(nginx.url("/file"))
        #expect(outcome.summary == "insecure")
        #expect(outcome.receivedBytes == 0)
    }

    /// As on a machine that has none: what is missing is named, and where to have it.
    @Test func withoutAuthoritiesNobodyIsTrusted() async throws {
        let nginx = try await NginxServer(root: folder.path, isSecure: true)
        let missing = folder["authorities.crt"]
        let (outcome, _) = try await Session { $0.caBundlePath = missing }.get(nginx.url("/file"))
        #expect(outcome.summary == "insecure")
        #expect(outcome.message.contains("\(missing); it has the authorities"), "\(outcome.message)")
        #expect(outcome.message.contains("install ca-certificates"), "\(outcome.message)")
    }

    @Test func aHandshakeThatIsCutIsALostConnection() async throws {
        let listener = try LoopbackListener()
        let session = Session()
        let consumer = RecordingConsumer()
        let url = try TransferURL("https://127.0.0.1:\(listener.port)/")
        session.start(TransferRequest(url: url), consumer: consumer)
        _ = pollDescriptors([(listener.descriptor.number, Int16(POLLIN))])
        // Accepted, and closed at once.
        #expect(listener.accept() != nil)
        let outcome = try await consumer.outcome()
        #expect(outcome.summary == "connectionLost", "\(outcome.message)")
    }

    @Test func aRedirectFromHTTPToHTTPSIsFollowed() async throws {
        let nginx = try await NginxServer(root: folder.path, isSecure: true)
        let authority = try #require(nginx.certificate).certificatePath
        plain.serve("/up", always: .redirect(to: nginx.url("/file")))
        let (outcome, seen) = try await Session { $0.caBundlePath = authority }.get(plain.url("/up"))
        #expect(outcome.summary == "200", "\(outcome.message)")
        #expect(seen.body == Array("secret".utf8))
    }
}
