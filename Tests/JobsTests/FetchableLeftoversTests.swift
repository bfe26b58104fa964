import BundleManifest
import ContentLibrary
import Platform
import TestSupport
import Testing

@testable import Jobs

/// What of earlier runs' work goes for want of room.
@Suite struct FetchableLeftoversTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func address(_ bundle: String) throws -> BundleAddress {
        BundleAddress(manifest: try #require(ContentID("m")), bundle: try #require(ContentID(bundle)))
    }

    private func writer() throws -> LibraryWriter {
        switch try Library.open(directory["library"], for: .writing).beginWriting() {
        case .granted(let writer): return writer
        case .busy: throw LibraryError(.busy, "somebody has the library")
        }
    }

    /// Leaves a file of a bundle behind, as a run that was cut short does.
    /// - Parameter record: what is known besides.
    private func leave(_ bundle: String, from url: String, record: String? = nil) throws {
        let staging = try writer().makeStaging(for: try address(bundle))
        let path = RelativePath("file")
        try staging.directory.replaceFile(path, with: Array(bundle.utf8), flush: false)
        try staging.note(
            Receipt.Source(
                url: url, sizeBytes: Int64(bundle.utf8.count), sha256: SHA256.digest(of: bundle.utf8), validator: "v"),
            at: path)
        if let record { try staging.note("something", of: record) }
        try staging.leave()
    }

    /// What was live can't be had again.
    @Test func recordingsAndWhatIsWantedStay() throws {
        try leave("wanted", from: "http://a.example/1")
        try leave("other", from: "http://a.example/2")
        try leave("radio", from: "http://a.example/3", record: "a recording")
        let writer = try writer()
        let wanted = try address("wanted")
        #expect(try writer.discardFetchable { $0 == wanted } > 0)
        #expect(writer.salvagedBundles == [wanted, try address("radio")])
        #expect(try writer.discardFetchable { _ in false } > 0)
        #expect(writer.salvagedBundles == [try address("radio")])
    }
}
