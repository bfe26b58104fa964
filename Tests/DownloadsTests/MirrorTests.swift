import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// Several sources of the same bytes: fail over in the middle where that is safe, and remember who is no good.
@Suite struct MirrorTests {
    private let bench: Workbench
    private let mirror: FaultServer

    init() throws {
        bench = try Workbench()
        mirror = try FaultServer()
        mirror.serve("/m", Resource(bench.content, etag: "\"mirror\""))
    }

    private func request(_ change: (inout DownloadRequest) -> Void = { _ in }) throws -> DownloadRequest {
        try bench.request(mirrors: [mirror.url("/m")], change)
    }

    private func expectBytes(_ caller: RecordingCaller) async throws {
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
    }

    private var mirrorWire: [String] {
        mirror.log.map { "\($0.status ?? 0)" + ($0.request["Range"].map { " \($0)" } ?? "") }
    }

    @Test func failsOverInTheMiddleWhereADigestProvesTheWhole() async throws {
        bench.server.script("/a", [.altered { $0.cut(afterBytes: 1_000_000) }])
        let caller = try await bench.downloader().answer(to: request { $0.digest = bench.digest })
        try await expectBytes(caller)
        #expect(mirrorWire == ["206 bytes=1000000-"])
        #expect(mirror.log[0].request["If-Range"] == nil, "the other source's validator means nothing there")
    }

    @Test func aMirrorOfAnotherLengthLosesNoBytes() async throws {
        bench.server.script("/a", [.altered { $0.cut(afterBytes: 1_000_000) }])
        mirror.serve("/m", Resource(.pattern(lengthBytes: 2_000_000, seed: 1), etag: "\"mirror\""))
        let caller = try await bench.downloader().answer(to: request { $0.digest = bench.digest })
        try await expectBytes(caller)
        #expect(bench.wire() == ["200", "206 bytes=1000000-"])
        #expect(mirrorWire == ["206 bytes=1000000-"])
    }

    @Test func staysWithItsSourceWhereNothingElseProvesTheBytes() async throws {
        bench.server.script("/a", [.altered { $0.cut(afterBytes: 1_000_000) }])
        let caller = try await bench.downloader().answer(to: request())
        try await expectBytes(caller)
        #expect(bench.wire() == ["200", "206 bytes=1000000-"])
        #expect(mirrorWire == [])
    }

    @Test func beginsAnewAtAMirrorOnceItsSourceIsHopeless() async throws {
        let served = Resource(bench.content).altered { $1.cut(afterBytes: 1_000_000) }
        bench.server.serve("/gone", always: .errorPage(404))
        bench.server.script("/gone", [.resource(served)])
        let caller = try await bench.downloader().answer(to: bench.request("/gone", mirrors: [mirror.url("/m")]))
        try await expectBytes(caller)
        #expect(mirrorWire == ["200 bytes=1000000-"], "asked with the first one's tag, it had another")
        #expect(mirror.log[0].request["If-Range"] == "\"v1\"")
    }

    @Test func goesOnAtAMirrorWithTheSameStrongTag() async throws {
        let served = Resource(bench.content).altered { $1.cut(afterBytes: 1_000_000) }
        bench.server.serve("/gone", always: .errorPage(404))
        bench.server.script("/gone", [.resource(served)])
        mirror.serve("/m", Resource(bench.content))
        let caller = try await bench.downloader().answer(to: bench.request("/gone", mirrors: [mirror.url("/m")]))
        try await expectBytes(caller)
        #expect(mirrorWire == ["206 bytes=1000000-"])
    }

    @Test func doesNotJoinAMirrorThatRepeatsNoTag() async throws {
        let served = Resource(bench.content).altered { $1.cut(afterBytes: 1_000_000) }
        bench.server.serve("/gone", always: .errorPage(404))
        bench.server.script("/gone", [.resource(served)])
        mirror.serve("/m", Resource(bench.content, etag: nil).ranges(.honouredUnconditionally))
        let caller = try await bench.downloader().answer(to: bench.request("/gone", mirrors: [mirror.url("/m")]))
        #expect(try await caller.answer().code == .changedWhileDownloading)
        #expect(mirrorWire == ["206 bytes=1000000-"])
    }

    @Test func eachMirrorHasItsTurnBeforeAnyIsWaitedFor() async throws {
        bench.server.script("/a", [.reply(.retryLater(503, after: "60"))])
        let caller = try await bench.downloader().answer(to: request())
        try await expectBytes(caller)
        #expect(caller.retries.map(\.delay) == [.zero])
        #expect(mirrorWire == ["200"])
    }

    @Test func wrongBytesFromOneAreFetchedFromAnother() async throws {
        bench.server.serve("/a", Resource(.pattern(lengthBytes: 3_000_000, seed: 1)))
        let caller = try await bench.downloader().answer(to: request { $0.digest = bench.digest })
        try await expectBytes(caller)
        #expect(mirrorWire == ["200"])
    }

    @Test func anOriginThatServesWrongBytesIsAskedLastFromThenOn() async throws {
        bench.server.serve("/a", Resource(.pattern(lengthBytes: 3_000_000, seed: 1)))
        bench.server.serve("/b", Resource(.text("b")))
        mirror.serve("/b", Resource(.text("b")))
        let downloader = try bench.downloader()
        _ = try await downloader.answer(to: request { $0.digest = bench.digest }).answer()
        let caller = try await downloader.answer(to: bench.request("/b", mirrors: [mirror.url("/b")]))
        #expect(try await caller.bytes() == Array("b".utf8))
        #expect(bench.wire("/b") == [])
        // Alone, it is asked all the same.
        #expect(try await downloader.answer(to: bench.request("/b")).answer().file != nil)
    }

    @Test func anOriginThatIsAwayIsAskedLastFromThenOn() async throws {
        let away = "http://127.0.0.1:\(try LoopbackListener().port)/"
        let downloader = try bench.downloader()
        mirror.serve("/n", Resource(.text("n")))
        let first = try await downloader.answer(to: bench.request(away, mirrors: [mirror.url("/m")]))
        try await expectBytes(first)
        #expect(first.retries.map(\.code) == [.transportFailure])
        let second = try await downloader.answer(to: bench.request(away, mirrors: [mirror.url("/n")]))
        #expect(try await second.answer().file != nil)
        #expect(second.retries.isEmpty, "nobody waits for it a second time")
    }
}
