import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A fetch over several connections that is killed outright: no hole is taken for content, and little is fetched again.
@Suite struct KilledSplitFetchTests {
    private let content = Content.pattern(lengthBytes: 30_000_000, seed: 11)
    /// What the record may lag behind, and what was between the server and the disk of each connection.
    private let lostBytes: UInt64 = 2 << 20 + 8 * (2 << 20)

    @Test func aKillInTheMiddleCostsNoMoreThanABoundedTail() async throws {
        let server = try FaultServer()
        server.serve("/film.bin", Resource(content).altered { $1.paced(bytesPerSecond: 2_000_000) })
        let folder = try TemporaryDirectory()
        let digest = SHA256.digest(of: content.bytes())
        let arguments = [
            "fetch", server.url("/film.bin"), "-o", folder["film.bin"], "--sha256", "\(digest)", "--quiet",
        ]

        let program = try LarderProgram.start(arguments)
        try await server.wait(for: "half of it over several connections") { log in
            let sent = log.reduce(0) { $0 + $1.bodyBytesSent }
            return sent >= 15_000_000 && Set(log.map(\.request.connection)).count >= 3 ? () : nil
        }
        program.kill(SIGKILL)
        #expect(try await program.waitForExit().status == .signalled(SIGKILL))
        #expect(String(decoding: try folder.read("film.bin.part.resume"), as: UTF8.self).contains("larder-resume/2"))

        let result = try await LarderProgram.run(arguments)
        #expect(result.status == .exited(0), "\(result)")
        #expect(contentDifference(content.bytes(), try folder.read("film.bin")) == nil)
        #expect(server.bodyBytesSent("/film.bin") <= content.lengthBytes + lostBytes)
    }
}
