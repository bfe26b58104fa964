import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// What a manifest says of an archive's entries holds when it is synced.
@Suite struct SelectedEntriesTests {
    private let zip = storedZip([
        "gallery-1.0/readme.txt": Array("read me".utf8), "gallery-1.0/walls/brick.png": Array("brick".utf8),
        "gallery-1.0/walls/old/stone.png": Array("stone".utf8),
    ])

    @Test func stripIncludeAndExcludeAreFollowed() async throws {
        let stock = try Stock()
        let unpack = #""unpack": {"strip": 1, "include": ["**/*.png"], "exclude": ["old/"]},"#
        stock.serveManifest([stock.archive("gallery", zip, more: unpack)])

        let result = try await stock.sync()

        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.published("m/gallery") == ["walls"])
        #expect(try stock.published("m/gallery/walls") == ["brick.png"])
        #expect(try stock.content("gallery/walls/brick.png") == Array("brick".utf8))
    }

    @Test func aChangedSelectionUnpacksAnew() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.archive("gallery", zip, more: #""unpack": {"strip": 1},"#)])
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest(
            [stock.archive("gallery", zip, more: #""unpack": {"strip": 1, "exclude": ["walls"]},"#)], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.published("m/gallery") == ["readme.txt"])
    }

    @Test(arguments: [true, false]) func timesAreTheArchivesUnlessTheManifestSaysOtherwise(preserves: Bool) async throws
    {
        let stock = try Stock()
        stock.serveManifest([stock.archive("gallery", zip, more: #""unpack": {"preserve": \#(preserves)},"#)])
        let start = Timestamp.now.seconds
        #expect(try await stock.sync().status == .exited(0))
        let file = try Directory.open("\(stock.library)/current/m/gallery/gallery-1.0").open(
            "readme.txt", flags: O_RDONLY)
        let modified = try file.status().modified.seconds
        // Midnight, in whatever time zone; or when it was unpacked.
        #expect(preserves ? abs(modified - 315_532_800) <= 86_400 : modified >= start - 1)
        #expect(try file.status().mode == 0o644)
    }

    @Test func selectingNothingFailsTheBundle() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.archive("gallery", zip, more: #""unpack": {"include": ["*.jpg"]},"#)])

        let result = try await stock.sync()

        #expect(result.status == .exited(1), "\(result)")
        #expect(result.problems.count == 1)
        #expect(result.errorText.contains("nothing in it is selected (include '*.jpg')"), "\(result)")
    }

    @Test func aMalformedPatternIsFoundInTheManifest() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.archive("gallery", zip, more: #""unpack": {"include": ["a["]},"#)])

        let result = try await stock.sync()

        #expect(result.status == .exited(65), "\(result)")
        #expect(result.errorText.contains(#""a[" can't be used as a pattern: a '[' is never closed"#), "\(result)")
    }

    @Test func aRatioThatTheManifestGivesHoldsForSmallArchivesToo() async throws {
        let stock = try Stock()
        let directory = try TemporaryDirectory()
        try directory.write(Array(repeating: UInt8(0), count: 2 << 20), to: "zeros")
        let made = try await ChildProcess.run("zip", ["-q", "zeros.zip", "zeros"], directory: directory.path)
        try #require(made.status == .exited(0), "\(made)")
        let bomb = try directory.read("zeros.zip")

        stock.serveManifest([stock.archive("zeros", bomb, more: #""unpack": {"limits": {"ratio": 10}},"#)])
        let refused = try await stock.sync()
        #expect(refused.status == .exited(1), "\(refused)")
        #expect(refused.errorText.contains("expands to more than 10 times"), "\(refused)")

        stock.serveManifest([stock.archive("zeros", bomb)], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
    }
}
