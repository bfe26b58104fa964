import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

@testable import Downloads

/// A partial file that has another name besides, as one that was linked into a library by a run that was cut short then: what it is there, published
/// perhaps, never changes.
@Suite struct LinkedPartialTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Downloads `/a`, gives it a place in the library, and ends as a killed process does.
    private func publish(_ request: DownloadRequest) async throws {
        try await bench.pause(request)
        let file = try await bench.downloader().download(request)
        try file.link(to: RelativePath("published"), in: Directory.open(bench.folder.path))
        file.keep()
    }

    private func publishedIsWhole() throws {
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("published")) == nil)
    }

    @Test(arguments: [2_000_000, 3_000_000, 4_000_000] as [UInt64])
    func anotherVersionGetsAFileOfItsOwn(_ lengthBytes: UInt64) async throws {
        try await publish(bench.request())
        let changed = Content.pattern(lengthBytes: lengthBytes, seed: 8)
        bench.server.serve("/a", Resource(changed, etag: "\"v2\""))
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(changed.bytes(), caller.bytes()) == nil)
        try publishedIsWhole()
    }

    @Test func theSameVersionIsNotFetchedAgain() async throws {
        try await publish(bench.request())
        let fetched = bench.server.bodyBytesSent("/a")
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(bench.server.bodyBytesSent("/a") - fetched == 1)
        try publishedIsWhole()
    }

    @Test func whatHasTheDigestIsTakenAsItIs() async throws {
        let request = try bench.request { $0.digest = bench.digest }
        try await publish(request)
        let asked = bench.wire().count
        let file = try await bench.downloader().download(request)
        try file.take(to: bench.folder["taken"])
        #expect(bench.wire().count == asked)
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("taken")) == nil)
        try publishedIsWhole()
    }

    /// As in a backup that is made of hard links.
    @Test func whatIsNotWholeIsGoneOnWithInACopy() async throws {
        try await bench.pause()
        let name = try #require(try bench.storedNames().first { $0.hasSuffix(".part") })
        #expect(Glibc.link(bench.folder["partial/\(name)"], bench.folder["backup"]) == 0)
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed == [1_000_000])
        #expect(try contentDifference(bench.content.bytes(count: 1_000_000), bench.folder.read("backup")) == nil)
    }

    /// Where no record says what the bytes are, they are somebody's until there is something to write.
    @Test func whatIsNotKnownStaysUntilBytesCome() async throws {
        try bench.folder.write([1, 2, 3], to: "theirs")
        #expect(Glibc.link(bench.folder["theirs"], bench.folder["place.part"]) == 0)
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        _ = try await bench.downloader().answer(to: bench.request("/none") { $0.partialFile = place })
        #expect(try bench.folder.read("place.part") == [1, 2, 3])
        let caller = try await bench.downloader().answer(to: bench.request { $0.partialFile = place })
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(try bench.folder.read("theirs") == [1, 2, 3])
    }
}
