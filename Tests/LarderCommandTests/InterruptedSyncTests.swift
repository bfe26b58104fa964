import FaultServer
import Glibc
import TestSupport
import Testing

/// A run that is asked to stop keeps what has come, says so, and the next one carries on.
@Suite struct InterruptedSyncTests {
    private let content = deterministicBytes(4 << 20, seed: 1)
    private let server: FaultServer
    private let library: TemporaryDirectory

    init() throws {
        server = try FaultServer()
        library = try TemporaryDirectory()
        server.serve("/film.bin", Resource(.bytes(content)))
        let file = """
            {"path": "film.bin", "urls": ["film.bin"], "size": \(content.count)}
            """
        let manifest = """
            {"format": "larder/1", "id": "stop", "serial": 1, "bundles": [{"id": "film", "kind": "files", "files": [\(file)]}]}
            """
        server.serve("/manifest.json", Resource(.bytes(Array(manifest.utf8))))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalPausesAndTheNextRunCarriesOn(signal: Int32) async throws {
        let half = content.count / 2
        server.script("/film.bin", [.altered { $0.stalled(afterBytes: UInt64(half)) }])
        let program = try LarderProgram.start(arguments)
        try await program.wait(for: "some of the film") { result in
            result.events.contains { $0.name == "transfer.progress" } ? () : nil
        }
        program.kill(signal)
        let stopped = try await program.waitForExit(within: .seconds(5))
        #expect(stopped.status == .exited(128 + signal), "\(stopped)")
        #expect(stopped.events.last?.name == "run.finished")
        #expect(stopped.events.last?["exit"] == Int(128 + signal))
        #expect(stopped.events.contains { $0.name == "transfer.paused" })

        let resumed = try await LarderProgram.run(arguments)
        #expect(resumed.status == .exited(0), "\(resumed)")
        let kept = try #require(resumed.events.last?["bytesResumed"])
        #expect(kept > 0 && kept <= half)
        #expect(contentDifference(content, try readFile(library["current/stop/film/film.bin"])) == nil)

        let idle = try await LarderProgram.run(arguments)
        #expect(idle.status == .exited(0), "\(idle)")
        #expect(idle.errorText.contains("nothing to do: 0 published, 1 unchanged"), "\(idle)")
    }

    private var arguments: [String] {
        ["sync", server.url("/manifest.json"), "--library", library.path, "--json"]
    }
}
