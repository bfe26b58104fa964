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

    private func publish(_ manifest: String) async throws {
        let library = try TemporaryDirectory()
        let result = try await LarderProgram.run(["sync", manifest, "--library", library.path])
        #expect(result.status == .exited(0), "\(result)")

        let published = library["current/demo"]
        let expected = try TemporaryDirectory()
        try await unzip("walls.zip", into: expected)
        #expect(try treeDifferences(expected["walls"], "\(published)/walls") == [])
        try await unzip("terrain.zip", into: expected, "terrain")
        #expect(try treeDifferences(expected["terrain"], "\(published)/terrain") == [])
        #expect(try treeDifferences("\(manifests)/content/notes", "\(published)/notes") == [])
        let book = try readFile("\(published)/book/about-larder.epub")
        #expect(contentDifference(try readFile("\(manifests)/content/about-larder.epub"), book) == nil)
    }

    private func unzip(_ archive: String, into directory: TemporaryDirectory, _ name: String = ".") async throws {
        let result = try await ChildProcess.run(
            "unzip", ["-q", "\(manifests)/content/\(archive)", "-d", directory[name]])
        try #require(result.status == .exited(0), "\(result)")
    }
}
