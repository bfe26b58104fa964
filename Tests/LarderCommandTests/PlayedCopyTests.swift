import TestSupport
import Testing

/// Small presentations that ffmpeg made: `a` of transport streams, `b` of fMP4 in byte ranges, `c` encrypted.
let mediaFolder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    + "/Corpus/hls/media"

func mediaFile(_ path: String) throws -> [UInt8] { try readFile("\(mediaFolder)/\(path)") }

/// Copies that a real player plays from the disk, with the network taken away, as it plays the originals from their server.
@Suite struct PlayedCopyTests {
    private let folder: TemporaryDirectory
    private let nginx: NginxServer

    init() async throws {
        folder = try TemporaryDirectory()
        nginx = try await NginxServer(root: mediaFolder)
    }

    private func sync(_ path: String, _ more: String = "") async throws {
        try folder.write(
            #"""
            {"format": "larder/1", "id": "m", "serial": 1, "mirrors": ["\#(nginx.url("/"))"],
             "bundles": [{"id": "film", "kind": "hls", \#(more) "urls": ["\#(path)"]}]}
            """#.utf8, to: "m.json")
        let run = try await LarderProgram.run([
            "sync", folder["m.json"], "--library", folder["library"], "--min-free", "0",
        ])
        try #require(run.status == .exited(0), "\(run)")
    }

    private func frames(_ input: String, isOffline: Bool, _ options: [String] = []) async throws -> String {
        try await MediaPlayer.frames(of: input, isOffline: isOffline, options)
    }

    private var copy: String { folder["library/current/m/film/index.m3u8"] }

    @Test(arguments: ["a/master.m3u8", "b/master.m3u8", "c/master.m3u8"])
    func everythingPlaysAsItDoesFromItsServer(path: String) async throws {
        try await sync(path, #""select": {"all": true},"#)
        // The server's keys have names that ffmpeg opens only when it is told to.
        let original = try await frames(nginx.url("/" + path), isOffline: false, ["-allowed_extensions", "ALL"])
        #expect(try await frames(copy, isOffline: true) == original)
    }

    @Test func theHighestVariantIsWhatPlaysByDefault() async throws {
        try await sync("a/master.m3u8")
        let video = try await frames(nginx.url("/a/hi/index.m3u8"), isOffline: false)
        let sound = try await frames(nginx.url("/a/en/index.m3u8"), isOffline: false)
        let played = try await frames(copy, isOffline: true).split(separator: "\n")
        #expect(played.count == (video + "\n" + sound).split(separator: "\n").count)
        let digest = { (line: Substring) in line.split(separator: ",").last.map(String.init) ?? "" }
        #expect(Set(played.map(digest)) == Set((video + "\n" + sound).split(separator: "\n").map(digest)))
    }

    /// The check can fail.
    @Test func damageShows() async throws {
        try await sync("a/hi/index.m3u8")
        let whole = try await frames(copy, isOffline: true)
        let names = try directoryEntries(FilePathBytes(folder["library/current/m/film/media"])).map(\.description)
        let name = try #require(names.sorted().first)
        // What is published is read-only by agreement alone.
        let path = "library/current/m/film/media/\(name)"
        var bytes = try folder.read(path)
        bytes[bytes.count / 2] ^= 1
        try folder.write(bytes, to: path)
        #expect(try await frames(copy, isOffline: true) != whole)
    }
}
