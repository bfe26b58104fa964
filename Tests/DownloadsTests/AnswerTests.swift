import FaultServer
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// What callers hear: in order, once, outside every lock, and nothing behind the answer.
@Suite struct AnswerTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private enum Heard: Equatable {
        case coalesced, started, resumed, progress, retrying, answer
    }

    @Test func eventsComeInOrderAndNoneAfterTheAnswer() async throws {
        bench.server.script("/a", [.altered { $0.cut(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader()
        let heard = EventRecorder<Heard>()
        downloader.download(try bench.request()) { event in
            switch event {
            case .coalesced: heard.record(.coalesced)
            case .started: heard.record(.started)
            case .resumed: heard.record(.resumed)
            case .progress: heard.record(.progress)
            case .retrying: heard.record(.retrying)
            }
        } completion: { _ in
            heard.record(.answer)
        }
        _ = try await heard.first("the answer") { $0 == .answer }
        await downloader.shutDown()
        let order = heard.events.reduce(into: [Heard]()) { if $0.last != $1 { $0.append($1) } }
        #expect(order == [.started, .progress, .retrying, .started, .resumed, .progress, .answer])
    }

    @Test func progressNeverGoesBackAndKnowsWhereItPickedUp() async throws {
        try await bench.pause()
        let caller = try await bench.downloader().answer(to: bench.request())
        let progress = caller.progress
        #expect(progress.map(\.receivedBytes) == progress.map(\.receivedBytes).sorted())
        #expect(progress.last?.receivedBytes == 3_000_000)
        #expect(progress.allSatisfy { $0.totalBytes == 3_000_000 && $0.resumedFromBytes == 1_000_000 })
    }

    @Test func aHandlerThatBlocksHoldsUpNobodyElse() async throws {
        let gate = try Gate()
        let downloader = try bench.downloader()
        let blocked = EventRecorder<Bool>()
        downloader.download(try bench.request()) { _ in
            _ = pollDescriptors([(gate.descriptor, 1)])
        } completion: { _ in
            blocked.record(true)
        }
        let answer = try await downloader.answer(to: bench.request())
        #expect(try await answer.answer().file != nil)
        #expect(blocked.events.isEmpty)
        gate.open()
        _ = try await blocked.events(atLeast: 1)
    }

    @Test func aHandlerMayAskAndCancel() async throws {
        bench.server.serve("/b", Resource(.text("b")))
        let downloader = try bench.downloader()
        let inner = RecordingCaller()
        let second = try bench.request("/b")
        let (token, outer) = (Watched<DownloadToken?>(nil), RecordingCaller())
        let asked = downloader.download(try bench.request()) { _ in
            if let token = token.now { downloader.cancel(token) }
        } completion: { result in
            // Both from inside a completion, which runs under no lock.
            downloader.download(second) { inner.answers.record(.init(file: try? $0.get(), code: nil, message: "")) }
            outer.answers.record(.init(file: try? result.get(), code: nil, message: ""))
        }
        token.update { $0 = asked }
        _ = try await outer.answer()
        #expect(try await inner.answer().file != nil)
    }

    @Test func cancellingTwiceAnswersOnce() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 10) }])
        let downloader = try bench.downloader()
        let (token, caller) = downloader.ask(try bench.request())
        downloader.cancel(token)
        downloader.cancel(token)
        await downloader.shutDown()
        _ = try await caller.answer()
        #expect(caller.answers.events.map(\.code) == [.cancelled])
    }

    @Test func cancellingAfterTheAnswerChangesNothing() async throws {
        let downloader = try bench.downloader()
        let (token, caller) = downloader.ask(try bench.request())
        _ = try await caller.answer()
        downloader.cancel(token)
        await downloader.shutDown()
        #expect(caller.answers.events.count == 1)
        #expect(caller.answers.events[0].file != nil)
    }

    @Test func cancellingATaskIsTheCallersCancel() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader()
        let recorder = EventRecorder<DownloadEvent>()
        let request = try bench.request()
        let task = Task { try await downloader.download(request, events: recorder.record) }
        _ = try await recorder.first("a million bytes") {
            if case .progress(let progress) = $0 { progress.receivedBytes == 1_000_000 } else { false }
        }
        task.cancel()
        let error = await #expect(throws: DownloadError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(try await bench.server.waitForEnd("/a").end == .peerClosed, "it reaches the wire")
        await downloader.shutDown()
        #expect(try bench.stored().record?.held == [0..<1_000_000], "and is a pause")
    }

    @Test func aTaskThatIsCancelledAlreadyFetchesNothingForLong() async throws {
        let downloader = try bench.downloader()
        let request = try bench.request()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await downloader.download(request)
        }
        let error = await #expect(throws: DownloadError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func shuttingDownAnswersEveryoneAndKeepsTheBytes() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader { $0.maximumTransfers = 1 }
        let running = downloader.ask(try bench.request()).caller
        let waiting = downloader.ask(try bench.request("/b")).caller
        try await running.waitForBytes(1_000_000)
        await downloader.shutDown()
        #expect(try await running.answer().code == .cancelled)
        #expect(try await waiting.answer().code == .cancelled)
        #expect(try bench.stored().record?.flushed == [0..<1_000_000])
        #expect(try await downloader.answer(to: bench.request()).answer().code == .cancelled)
        await downloader.shutDown()
        try await bench.server.waitForConnections(0)
    }

    @Test func aDownloaderNobodyHoldsPauses() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        var downloader: Downloader? = try bench.downloader()
        let caller = try #require(downloader?.ask(bench.request()).caller)
        try await caller.waitForBytes(1_000_000)
        downloader = nil
        #expect(try await caller.answer().code == .cancelled)
        #expect(try await bench.server.waitForEnd("/a").end == .peerClosed)
    }

    @Test func aFileNobodyTakesIsRemoved() async throws {
        do {
            let downloader = try bench.downloader()
            let file = try await downloader.download(bench.request())
            #expect(try bench.storedNames().count == 2)
            withExtendedLifetime(file) {}
            await downloader.shutDown()
        }
        // The last reference goes with whatever brought the answer, on a thread of its own.
        try await bench.waitForAnEmptyStore()
    }

    @Test func dataWithinABudget() async throws {
        let downloader = try bench.downloader()
        let data = try await downloader.data(for: bench.request(), budgetBytes: 3_000_000)
        #expect(contentDifference(bench.content.bytes(), data) == nil)
        let error = await #expect(throws: DownloadError.self) {
            try await downloader.data(for: bench.request(), budgetBytes: 2_999_999)
        }
        #expect(error?.code == .overBudget)
    }

    @Test func theHighestPriorityGoesFirst() async throws {
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.headHeld(until: gate) }])
        for path in ["/low", "/high", "/raised"] { bench.server.serve(path, Resource(.text(path))) }
        let downloader = try bench.downloader { $0.maximumTransfers = 1 }
        let first = downloader.ask(try bench.request()).caller
        let low = downloader.ask(try bench.request("/low")).caller
        let raised = downloader.ask(try bench.request("/raised")).caller
        let high = downloader.ask(try bench.request("/high") { $0.priority = 5 }).caller
        let raiser = downloader.ask(try bench.request("/raised") { $0.priority = 9 })
        gate.open()
        for caller in [first, low, raised, high, raiser.caller] { _ = try await caller.answer() }
        #expect(bench.server.log.map(\.request.path) == ["/a", "/raised", "/high", "/low"])
    }
}
