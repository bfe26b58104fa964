import Playlists
import TestSupport
import Testing

/// Copies play in ffmpeg as their originals do, frame by frame, from files alone and without options.
@Suite struct PlayerTests {
    private static let picture = ["-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=4"]
    private static let encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-c:a", "aac"]

    private static func ffmpeg(_ tree: OriginTree, _ arguments: [String]) async throws {
        let result = try await ChildProcess.run(
            "ffmpeg", ["-nostdin", "-v", "error"] + arguments, directory: tree.directory.path)
        try #require(result.status == .exited(0), "\(result.errorText)")
    }

    /// Two variants, sound in two languages, and subtitles.
    private static func presentation() async throws -> OriginTree {
        let tree = try OriginTree()
        let subtitles = "WEBVTT\n\n00:00.000 --> 00:01.500\none\n\n00:02.000 --> 00:03.500\ntwo\n"
        try tree.directory.write(subtitles.utf8, to: "words.vtt")
        try await ffmpeg(
            tree,
            picture + ["-f", "lavfi", "-i", "sine=440:duration=4", "-f", "lavfi", "-i", "sine=880:duration=4"]
                + ["-i", "words.vtt", "-map", "0:v", "-map", "0:v", "-map", "1:a", "-map", "2:a", "-map", "3:s"]
                + encoding + ["-c:s", "webvtt", "-b:v:0", "200k", "-b:v:1", "80k", "-f", "hls", "-hls_time", "1"]
                + ["-hls_playlist_type", "vod", "-hls_segment_filename", "%v/s%d.ts", "-master_pl_name", "master.m3u8"]
                + [
                    "-var_stream_map",
                    "v:0,agroup:a,s:0,sgroup:subs v:1,agroup:a a:0,agroup:a,language:en,default:yes a:1,agroup:a,language:fr",
                    "%v/index.m3u8",
                ])
        return tree
    }

    @Test func everyPlaylistOfAPresentationPlaysTheSame() async throws {
        let tree = try await Self.presentation()
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
        let tree = try await Self.presentation()
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
        let tree = try OriginTree()
        try await Self.ffmpeg(
            tree,
            Self.picture + Self.encoding + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]
                + ["-hls_segment_type", "fmp4", "-hls_flags", "single_file", "index.m3u8"])
        let plan = try tree.plan(media: "index.m3u8")
        #expect(plan.resources.count == 5 && plan.resources.allSatisfy { $0.byteRange != nil })
        let copy = try tree.copy(plan)
        #expect(try await frames(copy["index.m3u8"]) == frames(tree.path("index.m3u8")))
    }

    // MARK: Encryption

    private static let keys = [
        "k1.key": "000102030405060708090a0b0c0d0e0f", "k2.key": "f0e0d0c0b0a090807060504030201000",
    ]

    /// Four segments from number 7794 on, as ffmpeg made them (`clear/`), and encrypted: by the number, by a vector, not, and by the number.
    private static func encryptedTree() async throws -> OriginTree {
        let tree = try OriginTree()
        try tree.directory.makeDirectory("clear")
        try tree.directory.makeDirectory("v")
        try await ffmpeg(
            tree,
            picture + encoding + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]
                + ["-start_number", "7794", "-hls_segment_filename", "clear/s%d.ts", "clear/index.m3u8"])
        for (name, digits) in keys {
            let key = stride(from: 0, to: 32, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
            try tree.directory.write(key, to: "keys/" + name)
        }
        let vector = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
        for (number, key, vector) in [
            (7794, "k1.key", "1e72"), (7795, "k2.key", vector), (7797, "k1.key", "1e75"),
        ] {
            let padded = String(repeating: "0", count: 32 - vector.count) + vector
            try await openssl(tree, "-e", key, padded, "clear/s\(number).ts", "v/s\(number).ts")
        }
        try tree.directory.write(try readFile(tree.path("clear/s7796.ts")), to: "v/s7796.ts")
        let playlist = """
            #EXTM3U
            #EXT-X-VERSION:3
            #EXT-X-TARGETDURATION:1
            #EXT-X-MEDIA-SEQUENCE:7794
            #EXT-X-KEY:METHOD=AES-128,URI="../keys/k1.key?uid=1"
            #EXTINF:1,
            s7794.ts
            #EXT-X-KEY:METHOD=AES-128,URI="/keys/k2.key",IV=0x\(vector)
            #EXTINF:1,
            s7795.ts
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:1,
            s7796.ts
            #EXT-X-KEY:METHOD=AES-128,URI="../keys/k1.key?uid=1"
            #EXTINF:1,
            s7797.ts
            #EXT-X-ENDLIST

            """
        try tree.directory.write(playlist.utf8, to: "v/index.m3u8")
        return tree
    }

    private static func openssl(
        _ tree: OriginTree, _ direction: String, _ key: String, _ vector: String, _ input: String, _ output: String
    ) async throws {
        let result = try await ChildProcess.run(
            "openssl",
            [
                "enc", direction, "-aes-128-cbc", "-K", try #require(keys[key]), "-iv", vector, "-in", input, "-out",
                output,
            ],
            directory: tree.directory.path)
        try #require(result.status == .exited(0), "\(result.errorText)")
    }

    @Test func encryptedCopyPlaysAsTheClearOriginalDoes() async throws {
        let tree = try await Self.encryptedTree()
        let copy = try tree.copy(try tree.plan(media: "v/index.m3u8"))
        #expect(try await frames(copy["index.m3u8"]) == frames(tree.path("clear/index.m3u8")))
    }

    @Test func keysAndVectorsOfTheCopyDecryptEverySegment() async throws {
        let tree = try await Self.encryptedTree()
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
            let name = try #require(
                try Self.keys.keys.first { try readFile(tree.path("keys/" + $0)) == readFile(copy[key.uri]) })
            let vector = String(playlist.initializationVector(of: key, forSegmentAt: index).description.dropFirst(2))
            try await Self.openssl(tree, "-d", name, vector, copy[segment.uri], "decrypted")
            #expect(try readFile(tree.path("decrypted")) == clear, "segment \(index)")
        }
    }

    // MARK: The check itself

    @Test func comparisonSeesDamage() async throws {
        let tree = try await Self.encryptedTree()
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
