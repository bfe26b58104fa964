import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// Any number of callers share a transfer of the same thing; none is hurt by another.
@Suite struct CoalescingTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Lets `/a` go silent at a million bytes until the gate opens.
    private func stall() throws -> Gate {
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000, until: gate) }])
        return gate
    }

    private func expectBytes(_ callers: RecordingCaller...) async throws {
        for caller in callers { #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil) }
    }

    @Test func manyCallersShareOneTransfer() async throws {
        let gate = try stall()
        let downloader = try bench.downloader()
        let callers = try (0..<20).map { _ in downloader.ask(try bench.request()) }
        try await callers[0].caller.waitForBytes(1_000_000)
        downloader.cancel(callers[3].token)
        downloader.cancel(callers[0].token)
        gate.open()
        for (index, (_, caller)) in callers.enumerated() {
            let answer = try await caller.answer()
            #expect((answer.code == .cancelled) == [0, 3].contains(index))
        }
        #expect(bench.wire() == ["200"])
        #expect(callers.map(\.caller.isCoalesced) == [false] + Array(repeating: true, count: 19))
        #expect(downloader.statistics.coalescedBytes == 17 * 3_000_000)
        #expect(downloader.statistics.requestCount == 1)
        // The first takes the file, the others get copies.
        for (index, (_, caller)) in callers.enumerated() {
            guard let file = try await caller.answer().file else { continue }
            try file.take(to: bench.folder["out\(index)"])
            #expect(try contentDifference(bench.content.bytes(), bench.folder.read("out\(index)")) == nil)
        }
        #expect(try bench.storedNames() == [])
    }

    @Test func theBytesOfASharedTransferAreOneCallersAtATime() async throws {
        let gate = try stall()
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request())
        let second = downloader.ask(try bench.request())
        try await first.caller.waitForBytes(1_000_000)
        try await second.caller.waitForBytes(1_000_000)
        downloader.cancel(first.token)
        _ = try await first.caller.answer()
        gate.open()
        try await expectBytes(second.caller)
        #expect(first.caller.progress.allSatisfy { !$0.isShared })
        #expect(second.caller.progress.allSatisfy { $0.isShared == ($0.receivedBytes <= 1_000_000) })
    }

    @Test func theLastCancelPausesAndKeepsTheBytes() async throws {
        _ = try stall()
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request())
        let second = downloader.ask(try bench.request())
        try await second.caller.waitForBytes(1_000_000)
        downloader.cancel(first.token)
        _ = try await first.caller.answer()
        #expect(bench.server.log.map(\.end) == [nil], "the other one still waits")
        downloader.cancel(second.token)
        #expect(try await second.caller.answer().code == .cancelled)
        #expect(try await bench.server.waitForEnd("/a").end == .peerClosed)
        await downloader.shutDown()
        let stored = try bench.stored()
        #expect(contentDifference(bench.content.bytes(count: 1_000_000), stored.bytes) == nil)
        #expect(stored.record?.held == [0..<1_000_000])
        #expect(stored.record?.flushed == [0..<1_000_000])
    }

    @Test func aRequestWhileAPauseIsUnderWayAdoptsThePartial() async throws {
        _ = try stall()
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request())
        try await first.caller.waitForBytes(1_000_000)
        downloader.cancel(first.token)
        let second = downloader.ask(try bench.request())
        try await expectBytes(second.caller)
        #expect(bench.wire() == ["200", "206 bytes=1000000-"])
        #expect(downloader.statistics.fetchedBytes == 3_000_000, "not one byte is fetched again")
        #expect(second.caller.resumed == [1_000_000])
        #expect(downloader.statistics.resumedBytes == 1_000_000)
    }

    @Test func cancellingAndAskingManyTimesFetchesEachByteOnce() async throws {
        let downloader = try bench.downloader()
        bench.server.script("/a", (1...9).map { n in .altered { $0.stalled(afterBytes: 300_000) } })
        for round in 1...9 {
            let (token, caller) = downloader.ask(try bench.request())
            try await caller.waitForBytes(Int64(round) * 300_000)
            downloader.cancel(token)
            #expect(try await caller.answer().code == .cancelled)
        }
        try await expectBytes(downloader.ask(try bench.request()).caller)
        #expect(downloader.statistics.fetchedBytes == 3_000_000)
    }

    @Test func oneDigestIsOneDownloadWhateverTheURL() async throws {
        let gate = try stall()
        bench.server.serve("/mirror", Resource(bench.content, etag: "\"other\""))
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request { $0.digest = bench.digest })
        try await first.caller.waitForBytes(1_000_000)
        let second = downloader.ask(try bench.request("/mirror") { $0.digest = bench.digest })
        _ = try await second.caller.events.events(atLeast: 2)
        #expect(second.caller.isCoalesced)
        gate.open()
        try await expectBytes(first.caller, second.caller)
        #expect(bench.wire("/mirror") == [])
    }

    @Test func aJoinersURLIsAMirror() async throws {
        bench.server.serve("/mirror", Resource(bench.content, etag: "\"other\""))
        let gate = try Gate()
        let served = Resource(bench.content).altered {
            $1.stalled(afterBytes: 1_000_000, until: gate).cut(afterBytes: 1_000_000)
        }
        bench.server.serve("/b", always: .errorPage(404))
        bench.server.script("/b", [.resource(served)])
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request("/b") { $0.digest = bench.digest })
        try await first.caller.waitForBytes(1_000_000)
        let second = downloader.ask(try bench.request("/mirror") { $0.digest = bench.digest })
        _ = try await second.caller.events.events(atLeast: 1)
        gate.open()
        try await expectBytes(first.caller, second.caller)
        #expect(bench.wire("/mirror") == ["206 bytes=1000000-"])
    }

    @Test func differentCredentialsNeverShare() async throws {
        let gate = try stall()
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request { $0.headers = ["Authorization": "Bearer one"] })
        try await first.caller.waitForBytes(1_000_000)
        let others = try [
            bench.request(), bench.request { $0.headers = ["Authorization": "Bearer two"] },
            bench.request { $0.digest = bench.digest }, bench.request { $0.redirects = .refuse },
            DownloadRequest(TransferURL("http://user:p@127.0.0.1:\(bench.server.port)/a")),
        ]
        for request in others { try await expectBytes(downloader.ask(request).caller) }
        gate.open()
        try await expectBytes(first.caller)
        #expect(bench.wire().count >= 5)
        #expect(bench.server.log.filter { $0.request["Authorization"] == "Bearer one" }.count == 1)
    }

    @Test func differentCredentialsNeverShareOneDigest() async throws {
        let gate = try stall()
        let downloader = try bench.downloader()
        let first = downloader.ask(
            try bench.request {
                $0.digest = bench.digest
                $0.headers = ["Authorization": "Bearer one"]
            })
        try await first.caller.waitForBytes(1_000_000)
        let second = downloader.ask(try bench.request { $0.digest = bench.digest })
        try await expectBytes(second.caller)
        #expect(!second.caller.isCoalesced)
        gate.open()
        try await expectBytes(first.caller)
        #expect(bench.wire() == ["200", "200"])
    }

    @Test func twoDigestsAreTwoAssets() async throws {
        let gate = try stall()
        let downloader = try bench.downloader()
        let right = downloader.ask(try bench.request { $0.digest = bench.digest })
        try await right.caller.waitForBytes(1_000_000)
        let wrong = downloader.ask(try bench.request { $0.digest = SHA256.digest(of: [1]) })
        #expect(try await wrong.caller.answer().code == .digestMismatch)
        gate.open()
        try await expectBytes(right.caller)
    }

    @Test func whoKnowsNoDigestIsNotHurtByAWrongOne() async throws {
        let gate = try stall()
        let downloader = try bench.downloader()
        let wrong = downloader.ask(try bench.request { $0.digest = SHA256.digest(of: [1]) })
        try await wrong.caller.waitForBytes(1_000_000)
        let innocent = downloader.ask(try bench.request())
        _ = try await innocent.caller.events.events(atLeast: 1)
        #expect(innocent.caller.isCoalesced)
        gate.open()
        #expect(try await wrong.caller.answer().code == .digestMismatch)
        try await expectBytes(innocent.caller)
    }

    @Test func whoKnowsNoSizeIsNotHurtByAWrongOne() async throws {
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.headHeld(until: gate) }])
        let downloader = try bench.downloader()
        let wrong = downloader.ask(try bench.request { $0.sizeBytes = 5 })
        let innocent = downloader.ask(try bench.request())
        try await bench.server.waitForRequest("/a")
        gate.open()
        #expect(try await wrong.caller.answer().code == .sizeMismatch)
        try await expectBytes(innocent.caller)
    }

    @Test func aDigestThatJoinedByURLIsJudgedAndHasItsOwnMirrors() async throws {
        let gate = try stall()
        let right = Content.pattern(lengthBytes: 10_000, seed: 77)
        bench.server.serve("/right", Resource(right))
        let downloader = try bench.downloader()
        let plain = downloader.ask(try bench.request())
        try await plain.caller.waitForBytes(1_000_000)
        let picky = downloader.ask(
            try bench.request(mirrors: ["/right"]) { $0.digest = SHA256.digest(of: right.bytes()) })
        _ = try await picky.caller.events.events(atLeast: 1)
        #expect(picky.caller.isCoalesced)
        gate.open()
        try await expectBytes(plain.caller)
        #expect(try await picky.caller.bytes() == right.bytes())
    }

    @Test func whoRefusesRedirectsJoinsNobodyWhoFollowsThemWhateverTheDigest() async throws {
        let gate = try stall()
        bench.server.serve("/r", always: .redirect(to: "/a"))
        let downloader = try bench.downloader()
        let first = downloader.ask(try bench.request("/r") { $0.digest = bench.digest })
        try await first.caller.waitForBytes(1_000_000)
        let second = downloader.ask(
            try bench.request("/r") {
                $0.digest = bench.digest
                $0.redirects = .refuse
            })
        _ = try await second.caller.events.events(atLeast: 1)
        #expect(!second.caller.isCoalesced)
        gate.open()
        try await expectBytes(first.caller)
    }

    @Test func budgetsAreEachCallersOwn() async throws {
        let gate = try stall()
        let downloader = try bench.downloader()
        let large = downloader.ask(try bench.request { $0.budgetBytes = 3_000_000 })
        try await large.caller.waitForBytes(1_000_000)
        let small = downloader.ask(try bench.request { $0.budgetBytes = 1_000_000 })
        gate.open()
        #expect(try await small.caller.answer().code == .overBudget)
        try await expectBytes(large.caller)
        #expect(bench.wire() == ["200"])
    }

    @Test func aJoinerWithALargerBudgetIsNotHurt() async throws {
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.headHeld(until: gate) }])
        let downloader = try bench.downloader()
        let small = downloader.ask(try bench.request { $0.budgetBytes = 10 })
        try await bench.server.waitForRequest("/a")
        let large = downloader.ask(try bench.request())
        gate.open()
        #expect(try await small.caller.answer().code == .overBudget)
        try await expectBytes(large.caller)
    }

    @Test func askingAgainAfterTheEndTakesWhatLiesThere() async throws {
        let downloader = try bench.downloader()
        let first = try await downloader.download(bench.request())
        let second = try await downloader.download(bench.request())
        #expect(bench.wire() == ["200"])
        #expect(first === second)
        try first.discard()
        _ = try await downloader.download(bench.request())
        #expect(bench.wire() == ["200", "200"])
    }
}
