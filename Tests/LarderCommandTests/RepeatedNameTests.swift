import FaultServer
import Jobs
import Platform
import TestSupport
import Testing

/// Names that come round again in a live presentation.
@Suite struct RepeatedNameTests {
    private let stage: LiveStage

    init() throws { stage = try LiveStage() }

    private var told: Comment { "\(stage.warnings.withLock { $0 })" }

    /// Names that come round again: the same bytes are one file, other bytes are never taken for those that are here.
    @Test(arguments: [true, false]) func aNameThatIsUsedAgainMustMeanTheSame(isSame: Bool) async throws {
        let names = ["a", "b", "c", "a"]
        let list = { @Sendable (numbers: Range<Int>, version: Int) in
            let lines = numbers.map { "#EXTINF:6,\n\(names[$0]).ts\n" }.joined()
            stage.stock.server.serve(
                "/f/index.m3u8",
                Resource(
                    .text("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(lines)"),
                    etag: "\"\(numbers)\""))
            for number in numbers {
                stage.stock.server.serve(
                    "/f/\(names[number]).ts",
                    Resource(.bytes(stage.stream(number % 3 + version)), etag: nil, lastModified: nil))
            }
        }
        list(0..<2, 0)
        stage.serveFilm(#""follow": 24"#)
        stage.clock.steps = [{ list(1..<3, 0) }, { list(2..<4, isSame ? 0 : 10) }]
        #expect(try await stage.sync() == (isSame ? .success : .failure), "\(stage.warnings.withLock { $0 })")
        if isSame {
            #expect(try stage.segments() == [0, 1, 2, 0].map { stage.stream($0) })
        } else {
            #expect(stage.tells("again"))
        }
    }

    private func listNames(_ names: [String], from start: Int, _ versions: [String: Int] = [:]) {
        let lines = names.map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        stage.stock.server.serve(
            "/f/index.m3u8",
            Resource(
                .text("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(start)\n\(lines)"),
                etag: "\"\(start)\""
            ))
        for (number, name) in ["a", "b", "c", "d", "e"].enumerated() {
            stage.stock.server.serve(
                "/f/\(name).ts",
                Resource(.bytes(stage.stream(number + (versions[name] ?? 0))), etag: nil, lastModified: nil))
        }
    }

    /// Nobody answers at first whether it is the same.
    @Test func aQuestionThatFailsIsAskedAgain() async throws {
        listNames(["a", "b"], from: 0)
        stage.serveFilm(#""follow": 36"#)
        stage.clock.steps = [
            {
                listNames(["c", "a"], from: 2)
                stage.stock.server.script("/f/a.ts", [.reply(.errorPage(500))])
            }, { listNames(["a", "d", "e"], from: 3) },
        ]
        #expect(try await stage.sync() == .success, told)
        #expect(try stage.segments() == [0, 1, 2, 0, 3, 4].map { stage.stream($0) })
        #expect(stage.stock.server.exchanges("/f/a.ts").count == 3)
    }

    @Test func aStopWhileItIsAskedLeavesTheQuestionOpen() async throws {
        listNames(["a", "b"], from: 0)
        stage.serveFilm(#""follow": 24"#)
        let control = RunControl()
        stage.clock.steps = [
            {
                listNames(["c", "a"], from: 2, ["a": 10])
                stage.stock.server.script("/f/a.ts", [.altered { $0.stalled(afterBytes: 0) }])
            }
        ]
        let run = Task { try await stage.sync(control) }
        try await stage.stock.server.waitForRequest("/f/a.ts", count: 2)
        control.stop(.terminated)
        #expect(try await run.value == .terminated)
        #expect(try await stage.sync() == .failure, told)
        #expect(stage.tells("uses this name again"))
    }

    /// It is asked again at the next look, which comes when it is due.
    @Test func aQuestionThatHangsHoldsUpNoLook() async throws {
        listNames(["a", "b"], from: 0)
        stage.serveFilm(#""follow": 36"#)
        stage.clock.steps = [
            {
                listNames(["c", "a"], from: 2)
                stage.stock.server.script("/f/a.ts", [.altered { $0.stalled(afterBytes: 0) }])
            }, { listNames(["a", "d", "e"], from: 3) },
        ]
        let start = ContinuousClock.now
        #expect(try await stage.sync { $0.clock.answerTime = .milliseconds(200) } == .success, told)
        // A server may be silent for half a minute before it is given up.
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(try stage.segments() == [0, 1, 2, 0, 3, 4].map { stage.stream($0) })
    }

    @Test func aQuestionThatHangsAtTheEndIsNotWaitedForForEver() async throws {
        listNames(["a", "b"], from: 0)
        stage.serveFilm(#""follow": 24"#)
        stage.clock.steps = [
            {
                listNames(["c", "a"], from: 2)
                stage.stock.server.serve(
                    "/f/a.ts", Resource(.bytes(stage.stream(0))).altered { $1.stalled(afterBytes: 0) })
            }
        ]
        let exit = try await stage.sync {
            $0.clock.answerTime = .milliseconds(200)
            $0.clock.lastWait = .milliseconds(200)
        }
        #expect(exit == .failure)
        #expect(stage.tells("nobody said in time"))
    }
}
