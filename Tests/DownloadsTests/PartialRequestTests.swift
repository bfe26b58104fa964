import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// Requests for a part of what is at a URL: the part is the asset.
@Suite struct PartialRequestTests {
    private let bench: Workbench
    private let part: Range<Int64> = 500_000..<2_500_000

    init() throws { bench = try Workbench() }

    private func request(_ change: (inout DownloadRequest) -> Void = { _ in }) throws -> DownloadRequest {
        try bench.request {
            $0.byteRange = part
            change(&$0)
        }
    }

    private var expected: [UInt8] { Array(bench.content.bytes()[Int(part.lowerBound)..<Int(part.upperBound)]) }

    @Test func nothingButThePartIsFetched() async throws {
        let caller = try await bench.downloader().answer(to: try request())
        #expect(try await caller.bytes() == expected)
        #expect(bench.wire() == ["206 bytes=500000-2499999"])
    }

    @Test func aPartIsGoneOnWithWhereItWasLeft() async throws {
        try await bench.pause(try request(), atBytes: 800_000)
        let caller = try await bench.downloader().answer(to: try request())
        #expect(try await caller.bytes() == expected)
        #expect(caller.resumed == [800_000])
        #expect(bench.wire() == ["206 bytes=500000-2499999", "206 bytes=1300000-2499999"])
        #expect(bench.server.log.last?.request["If-Range"] == "\"v1\"")
    }

    @Test func aPartOfAnotherVersionBeginsAnew() async throws {
        try await bench.pause(try request(), atBytes: 800_000)
        let other = Content.pattern(lengthBytes: 3_000_000, seed: 9)
        bench.server.serve("/a", Resource(other, etag: "\"v2\""))
        let caller = try await bench.downloader().answer(to: try request())
        let bytes = try await caller.bytes()
        #expect(bytes == Array(other.bytes()[Int(part.lowerBound)..<Int(part.upperBound)]))
    }

    @Test(arguments: [1_000_000..<3_000_000, 0..<1_000_000, nil] as [Range<Int64>?])
    func whatIsHeldOfAPartIsNothingOfAnother(other: Range<Int64>?) async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        try await bench.pause(try request { $0.partialFile = place }, atBytes: 800_000)
        let caller = try await bench.downloader().answer(
            to: try bench.request { ($0.byteRange, $0.partialFile) = (other, place) })
        let range = other ?? 0..<3_000_000
        let wanted = Array(bench.content.bytes()[Int(range.lowerBound)..<Int(range.upperBound)])
        #expect(try await contentDifference(wanted, caller.bytes()) == nil)
        #expect(caller.resumed == [])
    }

    @Test func aDigestIsThatOfThePart() async throws {
        let digest = SHA256.digest(of: expected)
        let caller = try await bench.downloader().answer(to: try request { $0.digest = digest })
        #expect(try await caller.bytes() == expected)
    }

    @Test func anotherDigestThanThePartsIsRefused() async throws {
        let answer = try await bench.downloader().answer(to: try request { $0.digest = bench.digest }).answer()
        #expect(answer.code == .digestMismatch, "\(answer)")
    }

    @Test func partsOfOneURLAreNotTheSameDownload() async throws {
        let downloader = try bench.downloader()
        let (_, first) = downloader.ask(try request())
        let (_, second) = downloader.ask(try request { $0.byteRange = 0..<1_000 })
        #expect(try await first.bytes() == expected)
        #expect(try await second.bytes() == Array(bench.content.bytes().prefix(1_000)))
    }

    @Test func theWholeIsNoPartUnlessItIsAskedForAsOne() async throws {
        bench.server.serve("/a", Resource(bench.content).ranges(.ignored))
        #expect(try await bench.downloader().answer(to: try request()).answer().code == .rangeIgnored)
        let whole = try await bench.downloader().answer(to: try request { $0.byteRange = 0..<3_000_000 })
        #expect(try await whole.bytes() == bench.content.bytes())
    }

    @Test func aMirrorThatDoesRangesIsAskedNext() async throws {
        bench.server.serve("/a", Resource(bench.content).ranges(.ignored))
        bench.server.serve("/b", Resource(bench.content))
        var request = try bench.request("/a", mirrors: ["/b"])
        request.byteRange = part
        #expect(try await bench.downloader().answer(to: request).bytes() == expected)
    }

    @Test(arguments: [4_000_000..<5_000_000, 2_000_000..<3_000_001] as [Range<Int64>])
    func aPartThatDoesNotExistIsToldWithTheLength(part: Range<Int64>) async throws {
        let answer = try await bench.downloader().answer(to: try request { $0.byteRange = part })
            .answer()
        #expect(answer.code == .sizeMismatch && answer.message.contains("3000000"), "\(answer)")
    }

    @Test(arguments: ["bytes 0-1999999/3000000", "bytes 500000-2500000/3000000", "bytes 400000-2399999/3000000", ""])
    func anotherPartIsRefused(contentRange: String) async throws {
        bench.server.serve(
            "/a",
            Resource(bench.content).altered { _, reply in
                var reply = reply
                reply.headers["Content-Range"] = contentRange.isEmpty ? nil : contentRange
                return reply
            })
        #expect(try await bench.downloader().answer(to: try request()).answer().code == .invalidResponse)
    }

    /// Whoever then asks for the whole gets it from the first.
    @Test(arguments: [404, 503]) func thatASourceDoesNoRangesIsToldWhateverItsMirrorsFailFor(status: Int) async throws {
        bench.server.serve("/a", Resource(bench.content).ranges(.ignored))
        bench.server.serve("/b", always: .errorPage(status))
        var request = try bench.request("/a", mirrors: ["/b"])
        request.byteRange = part
        let answer = try await bench.downloader { $0.retry.retries = 1 }.answer(to: request).answer()
        #expect(answer.code == .rangeIgnored, "\(answer)")
    }

    @Test(arguments: [5..<5, -5..<5, Int64.min..<1] as [Range<Int64>])
    func whatIsNoPartOfAnythingIsNotAskedFor(part: Range<Int64>) async throws {
        let answer = try await bench.downloader().answer(to: try request { $0.byteRange = part }).answer()
        #expect(answer.code == .unusableRequest, "\(answer)")
        #expect(bench.wire() == [])
    }

    @Test(arguments: ["Range", "if-match", "Content-Length", "Accept-Encoding"])
    func noHeaderAsksForAPartOrACoding(_ name: String) async throws {
        let answer = try await bench.downloader().answer(to: bench.request { $0.headers = [name: "x"] }).answer()
        #expect(answer.code == .unusableRequest && answer.message.contains(name), "\(answer)")
        #expect(bench.wire() == [])
    }
}
