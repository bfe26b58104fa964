import FaultServer
import Glibc
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// The record beside a partial file: what it says, what of it is believed, and in which order it changes.
@Suite struct ResumeDataTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private var record: ResumeData {
        ResumeData(
            url: bench.server.url("/a"), finalURL: bench.server.url("/b?x=\"1\""), entityTag: "\"v1\"",
            lastModified: "Thu, 01 Jan 2026 00:00:00 GMT", totalBytes: 3_000_000, contentCoding: "gzip",
            digest: SHA256.digest(of: [1]), held: [0..<1000], flushed: [0..<900], mayHaveHoles: false,
            bootID: BootIdentity.current)
    }

    private var recordWithHoles: ResumeData {
        var record = record
        (record.held, record.flushed, record.mayHaveHoles) = ([0..<1000, 2000..<3000], [0..<900, 2000..<2100], true)
        return record
    }

    private func text(_ change: (String) -> String = { $0 }) -> [UInt8] {
        Array(change(String(decoding: record.encoded, as: UTF8.self)).utf8)
    }

    @Test func comesBackAsItWasWritten() {
        #expect(ResumeData(decoding: record.encoded) == record)
        var bare = record
        (bare.entityTag, bare.lastModified, bare.totalBytes, bare.contentCoding, bare.digest) = (
            nil, nil, nil, nil, nil
        )
        (bare.held, bare.flushed) = ([], [])
        #expect(ResumeData(decoding: bare.encoded) == bare)
        #expect(ResumeData(decoding: recordWithHoles.encoded) == recordWithHoles)
        bare.part = 5000..<7000
        #expect(ResumeData(decoding: bare.encoded) == bare)
    }

    @Test(
        arguments: [
            ("larder-resume/1", "larder-resume/2"), ("larder-resume/1", "larder-resume/3"),
            ("\"flushedBytes\": 900", "\"flushedBytes\": -900"),
            ("\"flushedBytes\": 900", "\"flushedBytes\": \"900\""), ("\"totalBytes\": 3000000", "\"totalBytes\": -1"),
            ("\"url\"", "\"uri\""), ("1000", "-1000"), ("{", "["), ("\"boot\"", "\"bot\""),
            ("3000000", "99999999999999999999"),
        ])
    func whatCannotBeReadIsNoRecord(_ from: String, _ to: String) {
        let changed = text { text in
            let parts = text.split(separator: from, maxSplits: 1, omittingEmptySubsequences: false)
            return parts.joined(separator: to)
        }
        let read = ResumeData(decoding: changed)
        #expect(read == nil || read?.totalBytes == nil)
    }

    @Test func aRecordThatWasCutIsNone() {
        let whole = text()
        for length in 0..<(whole.count - 2) { #expect(ResumeData(decoding: Array(whole[..<length])) == nil) }
    }

    @Test(arguments: ["W/\\\"v1\\\"", "\\\"v1\\\"\\r\\nHost: evil", "v1"])
    func aValidatorThatNoHeaderCouldCarryIsNone(_ tag: String) {
        let changed = text { $0.split(separator: "\\\"v1\\\"").joined(separator: tag) }
        #expect(ResumeData(decoding: changed)?.entityTag == nil)
    }

    @Test func onlyFlushedBytesSurviveAnotherBoot() {
        #expect(record.believable(fileBytes: 5000, bootID: BootIdentity.current) == [0..<5000])
        #expect(record.believable(fileBytes: 5000, bootID: "another") == [0..<900])
        #expect(record.believable(fileBytes: 500, bootID: "another") == [0..<500])
        var unknown = record
        unknown.bootID = ""
        #expect(unknown.believable(fileBytes: 5000, bootID: "") == [0..<900])
    }

    @Test func theLengthOfAFileWithHolesSaysNothing() {
        let record = recordWithHoles
        #expect(record.believable(fileBytes: 5000, bootID: BootIdentity.current) == [0..<1000, 2000..<3000])
        #expect(record.believable(fileBytes: 2500, bootID: BootIdentity.current) == [0..<1000, 2000..<2500])
        #expect(record.believable(fileBytes: 5000, bootID: "another") == [0..<900, 2000..<2100])
        var other = record
        other.held = [1..<1000, 2000..<3000]
        #expect(other.believable(fileBytes: 5000, bootID: BootIdentity.current) == [], "it would begin with a hole")
        other.held = [0..<1000]
        #expect(other.believable(fileBytes: 5000, bootID: BootIdentity.current) == [0..<1000])
    }

    @Test(arguments: [
        ("2000", "999"), ("2000", "-1"), ("2000", "\"2000\""), ("2100", "1999"),
        ("larder-resume/2", "larder-resume/1"), ("\"flushed\"", "\"flushedBytes\""),
    ])
    func rangesThatContradictEachOtherAreNoRecord(_ from: String, _ to: String) {
        let text = String(decoding: recordWithHoles.encoded, as: UTF8.self)
        #expect(ResumeData(decoding: Array(text.split(separator: from).joined(separator: to).utf8)) == nil)
    }

    @Test(arguments: [("5000", "7001"), ("5000", "\"5000\""), ("5000,", ""), ("5000", "[5000]")])
    func aPartThatIsNoneIsNoRecord(_ from: String, _ to: String) {
        var record = record
        record.part = 5000..<7000
        let text = String(decoding: record.encoded, as: UTF8.self)
        #expect(ResumeData(decoding: Array(text.split(separator: from).joined(separator: to).utf8)) == nil)
    }

    @Test func aRecordOfEverSoManyRangesCanBeRead() throws {
        var record = recordWithHoles
        record.held = ByteRangeSet((0..<10_000).map { $0 << 32..<$0 << 32 + 1_000_000 })
        record.flushed = record.held
        record.totalBytes = nil
        #expect(record.encoded.count <= ResumeData.limitBytes)
        let read = try #require(ResumeData(decoding: record.encoded))
        #expect(read.held.ranges.elementsEqual(record.held.ranges.prefix(read.held.ranges.count)))
        #expect(read.held.ranges.count >= 100)
    }

    @Test func afterAPowerLossOnlyFlushedBytesAreGoneOnWith() async throws {
        try await bench.pause()
        let name = try bench.storedNames()[0]
        var record = try #require(try bench.stored().record)
        record.bootID = "another"
        record.flushed = [0..<600_000]
        try bench.folder.write(record.encoded, to: "partial/\(name).resume")
        // What wasn't flushed came back as something else.
        let damaged = bench.content.bytes(count: 600_000) + [UInt8](repeating: 0, count: 400_000)
        try bench.folder.write(damaged, to: "partial/\(name)")
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed == [600_000])
    }

    @Test func inTheSameBootTheFileItselfSaysHowMuchIsThere() async throws {
        try await bench.pause()
        let name = try bench.storedNames()[0]
        // As if it had been killed with more bytes written than the record knows of.
        try bench.folder.write(bench.content.bytes(count: 1_700_000), to: "partial/\(name)")
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed == [1_700_000])
    }

    @Test(arguments: ["", "garbage", "{}", "[1]", "\0\0\0\0", "{\"format\": \"larder-resume/3\", \"new\": true}"])
    func garbageMeansAFreshStart(_ text: String) async throws {
        try await bench.pause()
        let name = try bench.storedNames()[0]
        try bench.folder.write(Array(text.utf8), to: "partial/\(name).resume")
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_200_000, until: gate) }])
        let downloader = try bench.downloader()
        let (_, caller) = downloader.ask(try bench.request())
        try await caller.waitForBytes(1_200_000)
        #expect(try bench.stored().record != nil, "ours has taken its place before the first byte")
        gate.open()
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed == [])
    }

    @Test func aNewerRecordNeverStandsBesideNewBytes() async throws {
        // A small body writes no record of its own; a foreign one must go all the same, before its writer believes it again.
        bench.server.serve("/small", Resource(.text("small")))
        let downloader = try bench.downloader()
        let location = try ResumeStore(path: bench.folder["partial"])
            .location(of: plan(for: bench.request("/small")))
        try bench.folder.write(Array("{\"format\": \"larder-resume/3\"}".utf8), to: "partial/\(location.recordName)")
        try bench.folder.write(Array("old bytes".utf8), to: "partial/\(location.name)")
        let file = try await downloader.download(bench.request("/small"))
        #expect(try bench.storedNames() == ["\(location.name)"])
        #expect(try file.bytes(limitBytes: 10) == Array("small".utf8))
    }

    @Test func aRecordWithoutBytesIsNotBelieved() async throws {
        try await bench.pause()
        removeTree(bench.folder["partial/\(try bench.storedNames()[0])"])
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(caller.resumed == [])
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
    }

    @Test func bytesWithoutARecordAreNotBelieved() async throws {
        try await bench.pause()
        removeTree(bench.folder["partial/\(try bench.storedNames()[0]).resume"])
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(caller.resumed == [])
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
    }

    @Test func aRecordOfAnotherURLIsNotBelieved() async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        try await bench.pause(bench.request { $0.partialFile = place })
        bench.server.serve("/other", Resource(.pattern(lengthBytes: 3_000_000, seed: 99)))
        let caller = try await bench.downloader().answer(to: bench.request("/other") { $0.partialFile = place })
        #expect(caller.resumed == [])
        #expect(bench.wire("/other") == ["200"])
    }

    @Test func aServerThatDoesNotAnswerCostsNoBytes() async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        try await bench.pause(bench.request { $0.partialFile = place })
        // Another URL is asked for, in vain: what the first one brought is still there.
        let vain = try await bench.downloader().answer(to: bench.request("/none") { $0.partialFile = place })
        #expect(try await vain.answer().code == .unacceptableStatus(404))
        let caller = try await bench.downloader().answer(to: bench.request { $0.partialFile = place })
        #expect(caller.resumed == [1_000_000])
    }

    @Test("crash-order") func flushedBeforeClaimed() async throws {
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000, until: gate) }])
        let downloader = try bench.downloader()
        let (token, caller) = downloader.ask(try bench.request())
        try await caller.waitForBytes(1_000_000)
        #expect(try bench.stored().record?.flushed == [], "nothing is claimed that was not flushed")
        downloader.cancel(token)
        await downloader.shutDown()
        #expect(try bench.stored().record?.flushed == [0..<1_000_000])
    }

    @Test func smallDownloadsLeaveNoRecordUnlessTheyPause() async throws {
        let small = Content.pattern(lengthBytes: 100_000, seed: 2)
        bench.server.serve("/small", Resource(small).altered { $1.stalled(afterBytes: 40_000) })
        let downloader = try bench.downloader()
        let (token, caller) = downloader.ask(try bench.request("/small"))
        try await caller.waitForBytes(40_000)
        #expect(try bench.storedNames().count == 1)
        downloader.cancel(token)
        await downloader.shutDown()
        #expect(try bench.storedNames().count == 2)
        bench.server.serve("/small", Resource(small))
        let again = try await bench.downloader().answer(to: bench.request("/small"))
        #expect(again.resumed == [40_000])
    }

    @Test func recordsAreForTheirOwnerOnly() async throws {
        try await bench.pause()
        var status = stat()
        #expect(stat(bench.folder["partial/\(try bench.storedNames()[1])"], &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600, "a URL may hold secrets")
    }

    @Test func aWeakDateIsNoValidator() async throws {
        // Changed within the second in which it was sent.
        bench.server.serve(
            "/a",
            Resource(bench.content, etag: nil, lastModified: serverDate(fromNow: 100)))
        try await bench.pause()
        #expect(try bench.storedNames() == [])
    }

    @Test func aStrongDateIsAValidator() async throws {
        bench.server.serve("/a", Resource(bench.content, etag: nil))
        try await bench.pause()
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(caller.resumed == [1_000_000])
        #expect(bench.server.log.last?.request["If-Range"] == "Thu, 01 Jan 2026 00:00:00 GMT")
    }

    private func plan(for request: DownloadRequest) throws -> AttemptPlan {
        let download = Download(
            id: DownloadID(number: 1), request: request, key: SourceKey(request), sources: SourceRotation(request.urls))
        return AttemptPlan(download, attempt: AttemptID(number: 1), takesDigest: true)
    }
}
