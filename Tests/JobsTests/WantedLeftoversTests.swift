import BundleManifest
import Diagnostics
import Platform
import TestSupport
import Testing
import Transfer

@testable import ContentLibrary
@testable import Downloads
@testable import Jobs

/// Which paused downloads a run's manifests may still go on with.
@Suite struct WantedLeftoversTests {
    private let directory: TemporaryDirectory
    private let store: ResumeStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try ResumeStore(path: directory.path)
    }

    private func pause(_ name: String, digest: SHA256Digest? = nil) throws {
        try directory.write([7], to: "\(name).part")
        let digest = digest.map { #", "sha256": "\#($0)""# } ?? ""
        let record = """
            {"format": "larder-resume/1", "url": "http://a.example/x", "finalURL": "http://a.example/x",
             "entityTag": "\\"1\\"", "ranges": [[0, 1]], "flushedBytes": 1, "boot": ""\(digest)}
            """
        try directory.write(record.utf8, to: "\(name).part.resume")
    }

    private func wanted(by bundle: String) throws -> Set<String> {
        let text = #"{"format": "larder/1", "id": "m", "serial": 1, "bundles": [\#(bundle)]}"#
        let source = SourceText(name: "m.json", bytes: Array(text.utf8))
        let (manifest, diagnostics) = Manifest.decode(source, options: ManifestDecodingOptions())
        let known = try #require(manifest, "\(diagnostics)")
        var wanted = WantedLeftovers(in: store)
        wanted.add(
            LoadedManifest(
                manifest: known, id: try #require(ContentID("m")), bytes: source.bytes,
                bases: SourceBases(known.mirrors, orElse: try TransferURL("http://a.example/"))),
            redirects: [.refuse])
        return Set(try store.pausedDownloads().filter { wanted.contains($0) }.map(\.name.description))
    }

    @Test func aRunWithPlaylistsMayGoOnWithAnythingThatHasNoDigest() throws {
        try pause("segment")
        try pause("other", digest: SHA256.digest(of: [7]))
        #expect(try wanted(by: #"{"id": "v", "kind": "hls", "urls": ["v.m3u8"]}"#) == ["segment.part"])
        #expect(try wanted(by: book("b")) == [])
    }

    @Test func whatHasNoReadableRecordIsNotGoneOnWith() throws {
        try directory.write([7], to: "segment.part")
        #expect(try wanted(by: #"{"id": "v", "kind": "hls", "urls": ["v.m3u8"]}"#) == [])
    }
}
