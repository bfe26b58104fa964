import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

/// What is told of contents by their receipts alone.
@Suite struct ContentSummaryTests {
    /// Content that is nothing but a directory and its receipt.
    private func put(_ sample: Sample, into library: Library) throws {
        let place = library.storeDirectory
        let (bundle, address) = (try RelativePath("\(sample.bundle)"), sample.origin.address)
        try place.makeDirectories(bundle.appending(address.name.path))
        let receipt = try place.open(bundle.appending(address.name.receiptPath), flags: O_WRONLY | O_CREAT | O_EXCL)
        try ReceiptWriter.write(
            Receipt(origin: sample.origin, sources: sample.sources + sample.sources, entries: []), to: receipt)
    }

    @Test(arguments: [3, 1_000]) func eachContentIsToldOf(count: Int) throws {
        let fixture = try Fixture()
        let library = try fixture.open()
        let samples = try (0..<count).map { try Sample("museum", "b\($0)", text: "\($0)") }
        for sample in samples { try put(sample, into: library) }
        let museum = try #require(ContentID("museum"))
        let names = Dictionary(
            uniqueKeysWithValues: samples.map { ($0.bundle.bundle, $0.origin.address.name) })

        let summaries = library.store.summaries(of: museum, names, withSources: true)
        #expect(summaries.count == count)
        for sample in samples {
            let summary = try #require(summaries[sample.bundle.bundle])
            #expect(summary.header.origin == sample.origin && summary.firstURL == sample.sources[0].url)
            #expect(summary.sourceDigests == [sample.sources[0].sha256, sample.sources[0].sha256])
        }
        let heads = library.store.summaries(of: museum, names, withSources: false)
        #expect(heads.count == count && heads.values.allSatisfy { $0.sourceDigests.isEmpty })
    }

    @Test func whatIsNotToBeBelievedIsLeftOut() throws {
        let fixture = try Fixture()
        let library = try fixture.open()
        let samples = try ["whole", "bare", "halved", "other"].map { try Sample("museum", $0, text: $0) }
        for sample in samples { try put(sample, into: library) }
        func path(_ sample: Sample, _ suffix: String = "") -> String {
            "library/store/\(sample.origin.address)\(suffix)"
        }
        try fixture.directory().removeTree(RelativePath("store/\(samples[1].origin.address)"))
        try fixture.temporary.write("{".utf8, to: path(samples[2], ".receipt"))
        try fixture.temporary.write(
            fixture.temporary.read(path(samples[0], ".receipt")), to: path(samples[3], ".receipt"))
        let names = Dictionary(uniqueKeysWithValues: samples.map { ($0.bundle.bundle, $0.origin.address.name) })
        let museum = try #require(ContentID("museum"))
        let found = library.store.summaries(of: museum, names, withSources: false)
        #expect(found.keys.map(\.description) == ["whole"])
    }
}
