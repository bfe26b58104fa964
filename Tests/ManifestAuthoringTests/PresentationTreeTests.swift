import Glibc
import ManifestAuthoring
import Platform
import TestSupport
import Testing

/// Which files of a folder are a presentation.
@Suite struct PresentationTreeTests {
    private let creation: Creation
    private var folder: TemporaryDirectory { creation.folder }

    init() throws { creation = try Creation() }

    private func media(_ name: String, _ segments: String..., key: String? = nil, end: String = "#EXT-X-ENDLIST") throws
    {
        let keyLine = key.map { "#EXT-X-KEY:METHOD=AES-128,URI=\"\($0)\"\n" } ?? ""
        let lines = segments.map { "#EXTINF:1,\n\($0)\n" }.joined()
        try folder.write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(keyLine)\(lines)\(end)\n".utf8, to: name)
    }

    private func master(_ name: String, _ playlists: String...) throws {
        let lines = playlists.map { "#EXT-X-STREAM-INF:BANDWIDTH=1\n\($0)\n" }.joined()
        try folder.write("#EXTM3U\n\(lines)".utf8, to: name)
    }

    @Test func aMasterPlaylistIsTheBeginningAndAllThatItNamesBelongsToIt() throws {
        try media("film/v/index.m3u8", "s%201.ts", key: "../keys/k")
        try master("film/master.m3u8", "v/index.m3u8?token=1")
        for name in ["film/v/s 1.ts", "film/keys/k", "film/cover.jpg"] { try folder.write([], to: name) }
        let entries = try creation.entries()
        #expect(entries.first == #"{"id":"film","kind":"hls","urls":["film/master.m3u8"]"#)
        #expect(entries.last == #"{"path":"film/cover.jpg","urls":["film/cover.jpg"]"#)
        #expect(entries.count == 3, "\(entries)")
        #expect(creation.warnings.isEmpty)
    }

    @Test func aPlaylistOfItsOwnIsCalledAsItsFileIs() throws {
        try media("songs/one.m3u8", "one.ts")
        try media("songs/two.m3u8", "two.ts", "https://a.example/more.ts")
        for name in ["songs/one.ts", "songs/two.ts"] { try folder.write([], to: name) }
        #expect(
            try creation.entries() == [
                #"{"id":"one","kind":"hls","urls":["songs/one.m3u8"]"#,
                #"{"id":"two","kind":"hls","urls":["songs/two.m3u8"]"#,
            ])
    }

    /// Of a playlist in a tree that can't be copied; what is told of it.
    @Test(arguments: ["missing.ts", "../../out.ts", "a%00b.ts", "live"])
    func aBrokenPresentationIsToldAndItsFilesAreLikeAnyOthers(segment: String) throws {
        try media("f/index.m3u8", "s.ts", segment, end: segment == "live" ? "" : "#EXT-X-ENDLIST")
        try master("f/master.m3u8", "index.m3u8")
        for name in ["f/s.ts", "f/live"] { try folder.write([], to: name) }
        #expect(try creation.entries().dropFirst().count == 4)
        #expect(creation.warnings.count == 1)
        #expect(creation.warnings.first?.contains("f/master.m3u8: ") == true, "\(creation.warnings)")
    }

    /// Each by itself, as a shell names them.
    @Test func namedFilesOfAFolderAreLookedAtTogether() throws {
        try media("f/index.m3u8", "1.ts", "2.ts")
        try master("f/master.m3u8", "index.m3u8")
        for name in ["f/1.ts", "f/2.ts"] { try folder.write([1], to: name) }
        let operands = ["f/1.ts", "f/2.ts", "f/index.m3u8", "f/master.m3u8"]
        #expect(try creation.entries(of: operands) == [#"{"id":"f","kind":"hls","urls":["master.m3u8"]"#])
    }

    /// A variable of the master playlist's, which the other can't be understood without.
    @Test func aPlaylistIsReadWithItsMastersVariables() throws {
        try folder.write(
            #"""
            #EXTM3U
            #EXT-X-VERSION:8
            #EXT-X-DEFINE:IMPORT="name"
            #EXT-X-TARGETDURATION:1
            #EXTINF:1,
            {$name}.ts
            #EXT-X-ENDLIST

            """#.utf8, to: "f/index.m3u8")
        try folder.write(
            #"""
            #EXTM3U
            #EXT-X-VERSION:8
            #EXT-X-DEFINE:NAME="name",VALUE="s"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            index.m3u8

            """#.utf8, to: "f/master.m3u8")
        try folder.write([], to: "f/s.ts")
        #expect(try creation.entries().count == 1)
        #expect(creation.warnings.isEmpty, "\(creation.warnings)")
    }

    /// What sync refuses to copy.
    @Test func aProtectedPresentationIsToldOnce() throws {
        try media("f/index.m3u8", "s.ts")
        let key = #"#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery""#
        try folder.write(
            "#EXTM3U\n#EXT-X-VERSION:5\n#EXT-X-TARGETDURATION:1\n\(key)\n#EXTINF:1,\ns.ts\n#EXT-X-ENDLIST\n".utf8,
            to: "f/index.m3u8")
        try master("f/master.m3u8", "index.m3u8")
        try folder.write([], to: "f/s.ts")
        #expect(try creation.entries().count == 4)
        #expect(creation.warnings.count == 1 && creation.warnings[0].contains("FairPlay"), "\(creation.warnings)")
    }

    @Test func aPlaylistForSeekingMayBeWhateverItIs() throws {
        try media("f/index.m3u8", "s.ts")
        try folder.write(
            "#EXTM3U\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nindex.m3u8\n"
                .utf8, to: "f/master.m3u8")
        try folder.write([], to: "f/s.ts")
        #expect(try creation.entries().count == 1)
        try folder.write("broken\n".utf8, to: "f/i.m3u8")
        #expect(try creation.entries().first == #"{"id":"f","kind":"hls","urls":["f/master.m3u8"]"#)
        #expect(creation.warnings.isEmpty, "\(creation.warnings)")
    }

    @Test func aSegmentThatIsALinkIsToldAsOne() throws {
        try media("f/index.m3u8", "s.ts")
        try folder.write([], to: "t.ts")
        try check(symlink("../t.ts", folder["f/s.ts"]), "symlink")
        _ = try creation.entries()
        #expect(creation.warnings.contains { $0.contains("f/s.ts, which is a link") }, "\(creation.warnings)")
    }

    /// Files that belong to a presentation aren't read, nor counted twice where nobody came by them.
    @Test(arguments: [[""], ["f/index.m3u8"], ["f/index.m3u8", "f/1.ts"]])
    func onlyWhatIsReadIsCounted(operands: [String]) throws {
        try media("f/index.m3u8", "1.ts", "2.ts")
        for name in ["f/1.ts", "f/2.ts"] { try folder.write([1, 2, 3], to: name) }
        let last = Locked<[Int64]>([])
        _ = try creation.text(of: operands, didFind: { files, bytes in last.withLock { $0 = [Int64(files), bytes] } })
        let playlistBytes = try folder.read("f/index.m3u8").count
        #expect(last.withLock { $0 } == [1, Int64(playlistBytes)])
    }

    @Test func aPlaylistThatChangesBeforeItIsReadAgainIsTold() throws {
        try media("f/index.m3u8", "1.ts")
        for name in ["f/1.ts", "a"] { try folder.write([1, 2, 3], to: name) }
        let path = folder["f/index.m3u8"]
        // Told once all is counted, which is after the playlist was understood.
        let failure = #expect(throws: CreationProblem.self) {
            try creation.text(didFind: { files, _ in
                guard files == 2 else { return }
                let file = open(path, O_WRONLY | O_APPEND)
                write(file, "#\n", 2)
                close(file)
            })
        }
        guard case .changed? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func whatIsNoPlaylistIsTold() throws {
        try folder.write("a song\n".utf8, to: "list.m3u8")
        #expect(try creation.entries().last == #"{"path":"list.m3u8","urls":["list.m3u8"]"#)
        #expect(creation.warnings.count == 1)
    }

    /// A path from the server's top is one from the folder's, unless it is told where the folder is.
    @Test(arguments: [[], ["https://a.example/"], ["https://a.example/x/../"], ["https://a.example/deep/"]])
    func aRootedPathLeadsToTheServersTop(mirrors: [String]) throws {
        try media("f/film.m3u8", "/s/1.ts", "/elsewhere/2.ts")
        try folder.write([], to: "s/1.ts")
        if mirrors.first?.contains("deep") == false { try folder.write([], to: "elsewhere/2.ts") }
        let entries = try creation.entries(mirrors: mirrors)
        #expect(entries.first == #"{"id":"film","kind":"hls","urls":["f/film.m3u8"]"#)
        #expect(entries.count == (mirrors == ["https://a.example/deep/"] ? 3 : 1))
    }
}
