import Playlists
import TestSupport
import Testing

/// Copies play in ffmpeg as their originals do, frame by frame, from files alone and without options.
@Suite struct PlayerTests {
    private static func tree(of presentation: RealPresentation) async throws -> OriginTree {
        let tree = try OriginTree()
        try await presentation.make(tree.directory)
        return tree
    }

    @Test func everyPlaylistOfAPresentationPlaysTheSame() async throws {
        let tree = try await Self.tree(of: .languages)
        var selection = VariantSelection()
        selection.takesAll = true
        let (plan, copies) = try tree.plan(master: "master.m3u8", selection)
        #expect(copies.count == 5)
        let copy = try tree.copy(plan)
        for (original, copied) in copies {
            #expect(try await frames(copy[copied]) == frames(tree.path(original)), "\(original)")
        }
        #expect(try await frames(copy["index.m3u8"]) == frames(tree.path("master.m3u8")))
    }

    @Test func chosenVariantPlaysWithItsSoundAlone() async throws {
        let tree = try await Self.tree(of: .languages)
        let (plan, _) = try tree.plan(master: "master.m3u8", VariantSelection())
        let copy = try tree.copy(plan)
        let result = try await ChildProcess.run(
            "ffprobe", ["-v", "error", "-show_entries", "program_stream=codec_type", "-of", "csv", copy["index.m3u8"]])
        #expect(result.errorText.isEmpty)
        #expect(result.outputText.count { $0 == "\n" } > 0)
        let types = result.outputText.split(separator: "\n").flatMap { $0.split(separator: ",") }
        #expect(types.filter { $0 == "video" }.count == 1)
        #expect(types.filter { $0 == "audio" }.count == 1)
    }

    @Test func rangesOfOneFragmentedFilePlayAsFilesOfTheirOwn() async throws {
        let tree = try await Self.tree(of: .oneFile)
        let plan = try tree.plan(media: "index.m3u8")
        #expect(plan.resources.count == 5 && plan.resources.allSatisfy { $0.byteRange != nil })
        let copy = try tree.copy(plan)
        #expect(try await frames(copy["index.m3u8"]) == frames(tree.path("index.m3u8")))
    }

    // MARK: Encryption

    @Test func encryptedCopyPlaysAsTheClearOriginalDoes() async throws {
        let tree = try await Self.tree(of: .rotatingKeys)
        let copy = try tree.copy(try tree.plan(media: "v/index.m3u8"))
        #expect(try await frames(copy["index.m3u8"]) == frames(tree.path("clear/index.m3u8")))
    }

    @Test func keysAndVectorsOfTheCopyDecryptEverySegment() async throws {
        let tree = try await Self.tree(of: .rotatingKeys)
        let plan = try tree.plan(media: "v/index.m3u8")
        let copy = try tree.copy(plan)
        guard case .media(let playlist) = plan.playlists[0].content else {
            Issue.record("no media playlist")
            return
        }
        for (index, segment) in playlist.segments.enumerated() {
            let clear = try readFile(tree.path("clear/s\(7794 + index).ts"))
            guard let set = segment.keySet else {
                #expect(try readFile(copy[segment.uri]) == clear)
                continue
            }
            let key = try #require(playlist.keySets[Int(set)].first)
            let vector = playlist.initializationVector(of: key, forSegmentAt: index)
            let decrypted = try await AESTool.run(
                .decrypting, copy[segment.uri], key: try readFile(copy[key.uri]), vector: vector.bytes)
            #expect(decrypted == clear, "segment \(index)")
        }
    }

    // MARK: The check itself

    @Test func comparisonSeesDamage() async throws {
        let tree = try await Self.tree(of: .rotatingKeys)
        let plan = try tree.plan(media: "clear/index.m3u8")
        let copy = try tree.copy(plan)
        let whole = try await frames(copy["index.m3u8"])
        let paths = plan.resources.map(\.path)

        let first = try readFile(copy[paths[0]])
        let second = try readFile(copy[paths[1]])
        try copy.write(second, to: paths[0])
        try copy.write(first, to: paths[1])
        #expect(try await frames(copy["index.m3u8"]) != whole, "swapped")

        var flipped = first
        flipped[flipped.count / 2] ^= 1
        try copy.write(flipped, to: paths[0])
        try copy.write(second, to: paths[1])
        #expect(try await frames(copy["index.m3u8"]) != whole, "flipped")

        try copy.write(first.prefix(first.count / 2), to: paths[0])
        #expect(try await frames(copy["index.m3u8"]) != whole, "short")
    }
}
