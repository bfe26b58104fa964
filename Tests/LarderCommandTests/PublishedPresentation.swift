import TestSupport
import Testing

/// A presentation on a real server, and the library that `larder sync` copies it into.
struct PublishedPresentation {
    let nginx: NginxServer
    let folder: TemporaryDirectory
    /// What is served.
    let tree: TemporaryDirectory

    init(tree: TemporaryDirectory, serverDirectives: String = "") async throws {
        folder = try TemporaryDirectory()
        self.tree = tree
        nginx = try await NginxServer(root: tree.path, serverDirectives: serverDirectives)
    }

    /// Lets ffmpeg make it.
    init(_ presentation: RealPresentation) async throws {
        let tree = try TemporaryDirectory()
        try await presentation.make(tree)
        try await self.init(tree: tree, serverDirectives: presentation.serverDirectives)
    }

    var copy: String { folder["library/current/m/film"] }

    /// Whether readers see anything.
    var isPublished: Bool { (try? readFile(copy + "/index.m3u8")) != nil }

    /// The command line that copies what begins at `entry`, a path on the server.
    /// - Parameter library: a name in the folder.
    func arguments(_ entry: String, library: String = "library", _ more: [String] = []) throws -> [String] {
        try folder.write(
            #"""
            {"format": "larder/1", "id": "m", "serial": 1, "mirrors": ["\#(nginx.url("/"))"],
             "bundles": [{"id": "film", "kind": "hls", "select": {"all": true}, "urls": ["\#(entry)"]}]}
            """#.utf8, to: "m.json")
        return ["sync", folder["m.json"], "--library", folder[library], "--retries", "0", "--min-free", "0"] + more
    }

    func sync(_ entry: String) async throws -> ChildProcess.Result {
        try await LarderProgram.run(try arguments(entry))
    }
}
