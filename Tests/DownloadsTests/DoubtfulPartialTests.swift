import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

@testable import Downloads

/// A partial file and a record that needn't belong together: copied while a run was at work, or come from a disk that was lost and mounted again.
@Suite struct DoubtfulPartialTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func partialName() throws -> String {
        try #require(try bench.storedNames().first { $0.hasSuffix(".part") })
    }

    /// Puts another file with these bytes in the place of the partial one, as a copy of its folder has it.
    private func copy(_ bytes: [UInt8]) throws {
        let name = try partialName()
        try bench.folder.write(bytes, to: "copy")
        #expect(rename(bench.folder["copy"], bench.folder["partial/\(name)"]) == 0)
    }

    @Test func aCopyThatWasMadeMeanwhileIsNotGoneOnWith() async throws {
        try await bench.pause()
        try copy([UInt8](repeating: 0, count: 1_000_000))
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed.isEmpty)
    }

    @Test func aCopyIsGoneOnWithWhereADigestTells() async throws {
        let request = try bench.request { $0.digest = bench.digest }
        try await bench.pause(request)
        try copy(bench.content.bytes(count: 1_000_000))
        let caller = try await bench.downloader().answer(to: request)
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed == [1_000_000])
    }

    /// The kernel had the bytes when the record was written, and lost them with the disk: there are holes in their place.
    @Test(arguments: [true, false]) func whatNeverCameToTheDiskIsFetchedAgain(isMountKnown: Bool) async throws {
        try await bench.pause()
        let name = try partialName()
        var record = try #require(try bench.stored().record)
        (record.held, record.flushed, record.mayHaveHoles) = (
            [0..<1_000_000, 1_500_000..<2_500_000], [0..<500_000], true
        )
        if isMountKnown { record.mount = "0" }
        try bench.folder.write(record.encoded, to: "partial/\(name).resume")
        let file = try Directory.open(bench.folder["partial"]).open(RelativePath(name), flags: O_RDWR)
        try file.truncate(to: 500_000)
        try file.truncate(to: 2_500_000)
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed == [500_000])
    }

    /// Nothing more is there than was flushed, as far as anybody knows.
    @Test func aDiskThatWasMountedAnewHasWhatWasFlushed() async throws {
        try await bench.pause()
        let name = try partialName()
        var record = try #require(try bench.stored().record)
        (record.flushed, record.mount) = ([0..<700_000], "0")
        try bench.folder.write(record.encoded, to: "partial/\(name).resume")
        let caller = try await bench.downloader().answer(to: bench.request())
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
        #expect(caller.resumed == [700_000])
    }

    /// Servers that lie of a length: what is held is given up, and the whole asked for.
    @Test func aPartThatCanNotBeHadIsGivenUp() async throws {
        let request = try bench.request {
            $0.digest = bench.digest
            $0.sizeBytes = 3_000_000
        }
        try await bench.pause(request)
        bench.server.serve(
            "/a",
            Resource(bench.content).altered { request, reply in
                request["Range"] == nil ? reply : .rangeNotSatisfiable(lengthBytes: 786_432)
            })
        let caller = try await bench.downloader().answer(to: request)
        #expect(try await contentDifference(bench.content.bytes(), caller.bytes()) == nil)
    }

    @Test func whatStandsInThePlaceOfAPartialIsNamed() async throws {
        let place = try PartialFile.Location(path: bench.folder["place.part"])
        try bench.folder.makeDirectory("place.part")
        let caller = try await bench.downloader().answer(to: bench.request { $0.partialFile = place })
        #expect(try await caller.answer().message.contains("remove what is there") == true)
    }
}
