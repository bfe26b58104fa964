/// A presentation that ffmpeg makes within a second or two, and how nginx serves it.
package struct RealPresentation: Sendable, CustomStringConvertible {
    package let description: String
    /// Where players begin: a path on the server.
    package let entry: String
    /// How many media playlists there are.
    package var playlistCount = 1
    /// More of nginx's language for its `server` block.
    package var serverDirectives = ""
    package let make: @Sendable (TemporaryDirectory) async throws -> Void

    package static let all = [languages, oneFile, rotatingKeys, twoSections, redirected, shortSegments]

    /// Two variants, sound in two languages, and subtitles.
    package static let languages = RealPresentation(
        description: "languages", entry: "master.m3u8", playlistCount: 5
    ) { tree in
        let subtitles = "WEBVTT\n\n00:00.000 --> 00:01.500\none\n\n00:02.000 --> 00:03.500\ntwo\n"
        try tree.write(subtitles.utf8, to: "words.vtt")
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
    }

    /// fMP4: one file, of which the playlist names ranges.
    package static let oneFile = RealPresentation(description: "one file", entry: "index.m3u8") { tree in
        try await ffmpeg(
            tree,
            picture + encoding + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]
                + ["-hls_segment_type", "fmp4", "-hls_flags", "single_file", "index.m3u8"])
    }

    /// Four segments from number 7794 on, as ffmpeg made them (`clear/`), and encrypted: by the number, by a vector, not, and by the number.
    package static let rotatingKeys = RealPresentation(description: "rotating keys", entry: "v/index.m3u8") { tree in
        try tree.makeDirectory("clear")
        try await ffmpeg(
            tree,
            picture + encoding + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-start_number", "7794"]
                + ["-hls_segment_filename", "clear/s%d.ts", "clear/index.m3u8"])
        let (first, second) = ([UInt8](0..<16), [UInt8](0..<16).map { ~$0 })
        try tree.write(first, to: "keys/k1.key")
        try tree.write(second, to: "keys/k2.key")
        let vector = [UInt8](0xA0...0xAF)
        for (number, key, vector) in [
            (7794, first, AESTool.vector(ofSegment: 7794)), (7795, second, vector),
            (7797, first, AESTool.vector(ofSegment: 7797)),
        ] {
            let encrypted = try await AESTool.run(
                .encrypting, tree["clear/s\(number).ts"], key: key, vector: vector)
            try tree.write(encrypted, to: "v/s\(number).ts")
        }
        try tree.write(try tree.read("clear/s7796.ts"), to: "v/s7796.ts")
        let playlist = """
            #EXTM3U
            #EXT-X-VERSION:3
            #EXT-X-TARGETDURATION:1
            #EXT-X-MEDIA-SEQUENCE:7794
            #EXT-X-KEY:METHOD=AES-128,URI="../keys/k1.key?uid=1"
            #EXTINF:1,
            s7794.ts
            #EXT-X-KEY:METHOD=AES-128,URI="/keys/k2.key",IV=0xA0A1A2A3A4A5A6A7A8A9AAABACADAEAF
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
        try tree.write(playlist.utf8, to: "v/index.m3u8")
    }

    /// fMP4 in two encodings, each with its own initialization section. Its decoder configuration is in the segments, too, where ffmpeg
    /// looks for it: of sections it decodes by the first alone.
    package static let twoSections = RealPresentation(description: "two sections", entry: "index.m3u8") { tree in
        var text = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:2\n"
        for (folder, size) in [("one", "160x90"), ("two", "192x108")] {
            try tree.makeDirectory(folder)
            try await ffmpeg(
                tree,
                ["-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25:duration=2"] + encoding
                    + ["-bsf:v", "dump_extra=freq=keyframe"] + [
                        "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4",
                    ]
                    + ["-hls_fmp4_init_filename", "init.mp4", "-hls_segment_filename", "\(folder)/s%d.m4s"]
                    + ["\(folder)/index.m3u8"])
            text += "#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"\(folder)/init.mp4\"\n"
            text += "#EXTINF:1,\n\(folder)/s0.m4s\n#EXTINF:1,\n\(folder)/s1.m4s\n"
        }
        try tree.write((text + "#EXT-X-ENDLIST\n").utf8, to: "index.m3u8")
    }

    /// A playlist that redirects lead to, with a token for everything, and a segment that has moved.
    package static let redirected = RealPresentation(
        description: "redirects and tokens", entry: "start.m3u8",
        serverDirectives: """
            location = /start.m3u8 { return 302 /moved/again.m3u8; }
            location = /moved/again.m3u8 { return 301 /deep/index.m3u8?token=t%2F1; }
            location = /deep/s1.ts { return 302 /elsewhere/part.ts?token=t%2F1&part=1; }
            location ~ ^/(deep|elsewhere)/ { if ($arg_token != "t%2F1") { return 403; } }
            """
    ) { tree in
        try tree.makeDirectory("deep")
        try await ffmpeg(
            tree,
            picture + encoding + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]
                + ["-hls_segment_filename", "deep/s%d.ts", "deep/index.m3u8"])
        let text = String(decoding: try tree.read("deep/index.m3u8"), as: UTF8.self)
        try tree.write(
            text.split(separator: "\n").map { line in
                line.hasSuffix(".ts") ? "\(line)?token=t%2F1\n" : "\(line)\n"
            }.joined().utf8, to: "deep/index.m3u8")
        // Where only the redirect leads.
        try tree.write(try tree.read("deep/s1.ts"), to: "elsewhere/part.ts")
        try tree.write([], to: "deep/s1.ts")
    }

    /// 2,000 segments of one picture each.
    package static let shortSegments = RealPresentation(description: "short segments", entry: "index.m3u8") { tree in
        try await ffmpeg(
            tree,
            ["-f", "lavfi", "-i", "testsrc2=size=64x36:rate=25:duration=80", "-c:v", "libx264"]
                + ["-preset", "ultrafast", "-g", "1", "-f", "hls", "-hls_time", "0.04", "-hls_playlist_type", "vod"]
                + ["-hls_segment_filename", "s%d.ts", "index.m3u8"])
    }

    private static let picture = ["-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=4"]
    private static let encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-c:a", "aac"]

    private static func ffmpeg(_ tree: TemporaryDirectory, _ arguments: [String]) async throws {
        let result = try await ChildProcess.run(
            "ffmpeg", ["-nostdin", "-v", "error"] + arguments, directory: tree.path)
        guard result.status == .exited(0) else { throw PlaybackFailed(what: "\(result)") }
    }
}
