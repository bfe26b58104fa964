import TestSupport
import Testing

/// The manifest that comes with Larder, and its content.
@Suite struct DemoManifestTests {
    /// The checkout's `Manifests`.
    private let manifests = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Manifests"

    @Test func itIsPublishedFromAPlainCheckout() async throws {
        try await publish("\(manifests)/demo.json")
    }

    @Test func itIsPublishedFromAServer() async throws {
        let server = try await NginxServer(root: manifests)
        try await publish(server.url("/demo.json"))
    }

    /// Its textures are in a format that has no mark in front.
    @Test func nothingOfItsContentIsDoubtful() async throws {
        let result = try await LarderProgram.run(["validate", "--deep", "--deny-warnings", "\(manifests)/demo.json"])
        #expect(result.status == .exited(0), "\(result)")
    }

    private func publish(_ manifest: String) async throws {
        let library = try TemporaryDirectory()
        let result = try await LarderProgram.run(["sync", manifest, "--library", library.path])
        #expect(result.status == .exited(0), "\(result)")

        let published = library["current/demo"]
        for textures in ["walls", "terrain"] {
            let expected = try TemporaryDirectory()
            let archive = "\(manifests)/content/\(textures).zip"
            let unzipped = try await ChildProcess.run("unzip", ["-q", archive, "-d", expected.path])
            try #require(unzipped.status == .exited(0), "\(unzipped)")
            #expect(try treeDifferences(expected.path, "\(published)/\(textures)") == [])
        }
        #expect(try treeDifferences("\(manifests)/content/notes", "\(published)/notes") == [])
        let book = try readFile("\(published)/book/about-larder.epub")
        #expect(contentDifference(try readFile("\(manifests)/content/about-larder.epub"), book) == nil)
    }
}
