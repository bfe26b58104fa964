import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// What servers really do while bytes come: the rows of the case list that are about one body and its end.
@Suite struct TransferCaseTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func fetch(
        _ request: DownloadRequest? = nil, _ change: (inout DownloaderConfiguration) -> Void = { _ in }
    ) async throws -> RecordingCaller {
        try await bench.downloader(change).answer(to: try request ?? bench.request())
    }

    private func expectBytes(_ caller: RecordingCaller) async throws {
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
    }

    @Test("short-body") func shortBody() async throws {
        bench.server.script("/a", [.altered { $0.cut(afterBytes: 2_800_000) }])
        let caller = try await fetch()
        try await expectBytes(caller)
        #expect(bench.wire() == ["200", "206 bytes=2800000-"])
    }

    @Test("short-body, for ever") func shortBodyForEver() async throws {
        bench.server.serve("/a", Resource(bench.content).ranges(.ignored).altered { $1.cut(afterBytes: 500_000) })
        let caller = try await fetch { $0.retry.retries = 2 }
        #expect(try await caller.answer().code == .transportFailure)
        #expect(bench.wire().count == 3)
    }

    @Test("chunked-cut") func chunkedCut() async throws {
        bench.server.script("/a", [.altered { $0.chunked().cut(afterBytes: 2_000_000) }])
        let caller = try await fetch()
        try await expectBytes(caller)
        #expect(bench.wire() == ["200", "206 bytes=2000000-"])
    }

    @Test("chunked-whole") func chunkedWhole() async throws {
        bench.server.script("/a", [.altered { $0.chunked() }])
        let caller = try await fetch()
        try await expectBytes(caller)
        #expect(caller.progress.allSatisfy { $0.totalBytes == nil })
        #expect(try await caller.answer().file?.isProvenComplete == true)
    }

    @Test("close-delimited", arguments: [(false, false, false), (true, false, true), (false, true, true)])
    func closeDelimited(_ knowsSize: Bool, _ knowsDigest: Bool, _ isProven: Bool) async throws {
        bench.server.serve("/a", Resource(bench.content).altered { $1.untilClose() })
        let caller = try await fetch(
            bench.request {
                if knowsSize { $0.sizeBytes = 3_000_000 }
                if knowsDigest { $0.digest = bench.digest }
            })
        try await expectBytes(caller)
        #expect(try await caller.answer().file?.isProvenComplete == isProven)
    }

    @Test("close-delimited, cut short of a known size") func closeDelimitedCut() async throws {
        bench.server.script("/a", [.altered { $0.untilClose().cut(afterBytes: 1_000_000) }])
        let caller = try await fetch(bench.request { $0.sizeBytes = 3_000_000 })
        try await expectBytes(caller)
        #expect(bench.wire() == ["200", "206 bytes=1000000-"])
    }

    @Test("close-delimited, over budget; budget-exceeded", arguments: [false, true])
    func overBudget(_ isChunked: Bool) async throws {
        bench.server.serve("/a", Resource(bench.content).altered { isChunked ? $1.chunked() : $1.untilClose() })
        let caller = try await fetch(bench.request { $0.budgetBytes = 400_000 })
        #expect(try await caller.answer().code == .overBudget)
        #expect(bench.wire().count == 1)
        #expect(try bench.storedNames() == [])
        #expect(caller.progress.allSatisfy { $0.receivedBytes <= 400_000 })
    }

    @Test("budget-exceeded, by what was declared") func overBudgetByDeclaration() async throws {
        let caller = try await fetch(bench.request { $0.budgetBytes = 2_999_999 })
        #expect(try await caller.answer().code == .overBudget)
        #expect(try bench.storedNames() == [])
        #expect(caller.progress.isEmpty)
    }

    @Test("budget-exceeded, but not by what another caller had fetched") func overBudgetKeepsWhatOthersHad()
        async throws
    {
        try await bench.pause()
        #expect(try await fetch(bench.request { $0.budgetBytes = 500_000 }).answer().code == .overBudget)
        let caller = try await fetch()
        try await expectBytes(caller)
        #expect(caller.resumed == [1_000_000])
    }

    @Test("budget-exceeded, behind what another caller had fetched") func overBudgetBehindWhatOthersHad() async throws {
        // Nobody ever says how long it is.
        bench.server.serve(
            "/a",
            Resource(bench.content).altered { _, reply in
                guard let range = reply.headers["Content-Range"] else { return reply.chunked() }
                return reply.chunked().header("Content-Range", "\(range.prefix { $0 != "/" })/*")
            })
        try await bench.pause()
        let small = try await fetch(bench.request { $0.budgetBytes = 1_500_000 })
        #expect(try await small.answer().code == .overBudget)
        let caller = try await fetch()
        try await expectBytes(caller)
        #expect(caller.resumed.first ?? 0 >= 1_000_000)
    }

    @Test("understated-length") func understatedLength() async throws {
        bench.server.script("/a", [.altered { $0.declaring(contentLength: 1_000_000) }])
        let caller = try await fetch()
        #expect(try await contentDifference(bench.content.bytes(count: 1_000_000), caller.bytes()) == nil)
    }

    @Test("understated-length, of a known size") func understatedLengthOfAKnownSize() async throws {
        bench.server.serve("/a", Resource(bench.content).altered { $1.declaring(contentLength: 1_000_000) })
        let caller = try await fetch(bench.request { $0.sizeBytes = 3_000_000 })
        #expect(try await caller.answer().code == .sizeMismatch)
        #expect(try bench.storedNames() == [])
    }

    /// It would be no other the next time.
    @Test("chunked, of another size than is known", arguments: [2_999_000, 3_000_001] as [Int64], [false, true])
    func chunkedOfAnotherSize(_ sizeBytes: Int64, _ hasMirror: Bool) async throws {
        bench.server.serve("/a", Resource(bench.content).altered { $1.chunked() })
        let right = Content.pattern(lengthBytes: UInt64(sizeBytes), seed: 9)
        bench.server.serve("/b", Resource(right))
        let caller = try await fetch(
            bench.request("/a", mirrors: hasMirror ? ["/b"] : []) { $0.sizeBytes = sizeBytes })
        if hasMirror {
            #expect(try await contentDifference(right.bytes(), caller.bytes()) == nil)
        } else {
            #expect(try await caller.answer().code == .sizeMismatch)
            #expect(try bench.storedNames() == [])
        }
        #expect(bench.wire() == ["200"])
    }

    /// A server may send less than the range it was asked for, and need not know where its asset ends (RFC 9110 §14.4).
    @Test("a part of what is of unknown length") func partOfUnknownLength() async throws {
        let content = bench.content
        try await bench.pause()
        bench.server.serve(
            "/a",
            Resource(content).altered { _, reply in
                guard let range = reply.headers["Content-Range"], reply.status == 206 else { return reply.chunked() }
                let first = UInt64(range.drop { $0 != " " }.dropFirst().prefix { $0 != "-" }) ?? 0
                let end = min(content.lengthBytes, first + 900_000)
                return reply.body(content.slice(first..<end)).header("Content-Range", "bytes \(first)-\(end - 1)/*")
            })
        // Nothing tells how long it is.
        let name = try #require(try bench.storedNames().first { $0.hasSuffix(".resume") })
        var record = try #require(try bench.stored().record)
        record.totalBytes = nil
        try bench.folder.write(record.encoded, to: "partial/\(name)")
        let caller = try await fetch()
        try await expectBytes(caller)
        #expect(try await caller.answer().file?.isProvenComplete == true)
        #expect(
            bench.wire().dropFirst() == [
                "206 bytes=1000000-", "206 bytes=1900000-", "206 bytes=2800000-", "416 bytes=3000000-",
            ])
    }

    @Test("stall-then-drop") func stallThenDrop() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_500_000) }])
        let caller = try await fetch { $0.session.idleTimeout = .milliseconds(700) }
        try await expectBytes(caller)
        #expect(bench.wire() == ["200", "206 bytes=1500000-"])
        #expect(caller.retries.map(\.code) == [.timedOut])
    }

    @Test("closes-often") func closesOften() async throws {
        bench.server.script("/a", Array(repeating: .altered { $0.cut(afterBytes: 280_000) }, count: 10))
        let caller = try await fetch { $0.retry.retries = 1 }
        try await expectBytes(caller)
        #expect(bench.wire().count == 11)
        #expect(bench.server.bodyBytesSent("/a") == 3_000_000)
    }

    @Test("silent-body") func silentBody() async throws {
        try await bench.pause()
        bench.server.serve("/a", Resource(bench.content).altered { $1.stalled(afterBytes: 0) })
        let caller = try await fetch {
            $0.session.idleTimeout = .milliseconds(200)
            $0.retry.retries = 1
        }
        #expect(try await caller.answer().code == .timedOut)
        #expect(try contentDifference(bench.content.bytes(count: 1_000_000), bench.stored().bytes) == nil)
        bench.server.serve("/a", Resource(bench.content))
        let again = try await fetch()
        try await expectBytes(again)
        #expect(again.resumed == [1_000_000])
    }

    @Test("slow-but-steady") func slowButSteady() async throws {
        bench.server.serve(
            "/slow", Resource(.pattern(lengthBytes: 30_000, seed: 1)).altered { $1.paced(bytesPerSecond: 20_000) })
        let caller = try await fetch(bench.request("/slow")) { $0.session.idleTimeout = .milliseconds(900) }
        #expect(try await caller.answer().file?.sizeBytes == 30_000)
        #expect(caller.retries.isEmpty)
    }

    @Test("too-many-requests", arguments: [429, 503])
    func tooManyRequests(_ status: Int) async throws {
        bench.server.script("/a", [.reply(.retryLater(status, after: "1"))])
        var caller = RecordingCaller()
        let elapsed = try await ContinuousClock().measure { caller = try await fetch() }
        try await expectBytes(caller)
        #expect(elapsed > .seconds(1))
        #expect(caller.retries.map(\.delay) == [.seconds(1)])
        #expect(caller.retries.map(\.code) == [.unacceptableStatus(status)])
        #expect(caller.retries.first?.message.contains("asks to wait 1 s") == true)
    }

    @Test("too-many-requests, until a date, capped") func tooManyRequestsUntilADate() async throws {
        bench.server.script("/a", [.reply(.retryLater(429, after: serverDate(fromNow: 3600)))])
        let caller = try await fetch { $0.retry.maximumRetryAfter = .milliseconds(20) }
        try await expectBytes(caller)
        #expect(caller.retries.map(\.delay) == [.milliseconds(20)])
    }

    @Test("signed-url-expires") func signedURLExpires() async throws {
        let content = bench.content
        // Links that work once.
        for path in ["/signed1", "/signed2"] {
            bench.server.serve(path, always: .errorPage(403))
            bench.server.script(
                path,
                [
                    .resource(
                        Resource(content).altered { $1.cut(afterBytes: path == "/signed1" ? 1_000_000 : 3_000_000) })
                ])
        }
        bench.server.script(
            "/link",
            [.reply(.redirect(to: "/signed1")), .reply(.redirect(to: "/signed1")), .reply(.redirect(to: "/signed2"))])
        let caller = try await fetch(bench.request("/link"))
        try await expectBytes(caller)
        #expect(caller.resumed == [1_000_000])
        #expect(bench.wire("/signed1") == ["200", "403 bytes=1000000-"])
        #expect(bench.wire("/signed2") == ["206 bytes=1000000-"])
    }

    @Test("credentials-travel") func credentialsTravel() async throws {
        let other = try FaultServer()
        other.serve("/b", Resource(bench.content))
        bench.server.serve("/r", always: .redirect(to: other.url("/b")))
        let caller = try await fetch(bench.request("/r") { $0.headers = ["Authorization": "Bearer t", "X-Own": "1"] })
        try await expectBytes(caller)
        #expect(bench.server.log.last?.request["Authorization"] == "Bearer t")
        #expect(other.log.last?.request["Authorization"] == nil)
        #expect(other.log.last?.request["X-Own"] == nil)
    }

    @Test("redirect-refused") func redirectRefused() async throws {
        bench.server.serve("/r", always: .redirect(302, to: "/a"))
        let caller = try await fetch(bench.request("/r") { $0.redirects = .follow(limit: 0) })
        #expect(try await caller.answer().code == .redirectRefused(302))
        #expect(bench.wire("/a") == [])
    }

    @Test("both-filenames") func bothFilenames() async throws {
        bench.server.serve(
            "/a",
            Resource(bench.content).altered {
                $1.header(
                    "Content-Disposition", "attachment; filename=\"../plain.txt\"; filename*=UTF-8''a%2Fn%C3%A4me.txt")
            })
        #expect(try await fetch().answer().file?.suggestedName == "näme.txt")
    }

    @Test("joined-late") func joinedLate() async throws {
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_200_000, until: gate) }])
        let downloader = try bench.downloader()
        let (_, first) = downloader.ask(try bench.request())
        try await first.waitForBytes(1_200_000)
        let (_, late) = downloader.ask(try bench.request())
        let progress = try await late.events.events(atLeast: 2)
        guard case .coalesced = progress[0], case .progress(let present) = progress[1] else {
            Issue.record("\(progress)")
            return
        }
        #expect(present.receivedBytes == 1_200_000)
        #expect(present.totalBytes == 3_000_000)
        let before = first.progress.count
        gate.open()
        try await expectBytes(late)
        try await expectBytes(first)
        let (lateSteps, firstSteps) = (late.progress.dropFirst(), first.progress.dropFirst(before))
        #expect(lateSteps.map(\.receivedBytes) == firstSteps.map(\.receivedBytes), "and then every step")
        #expect(late.progress.allSatisfy(\.isShared) && !first.progress.contains(where: \.isShared))
        #expect(bench.wire() == ["200"])
    }
}
