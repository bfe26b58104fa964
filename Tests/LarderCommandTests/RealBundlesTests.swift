import TestSupport
import Testing

/// Bundles that people really have, by a server that people really run.
@Suite struct RealBundlesTests {
    @Test func whatIsPublishedIsWhatUnzipMakesAndTheOriginalBooks() async throws {
        let server = try await RealBundleServer()
        let library = try TemporaryDirectory()

        let first = try await LarderProgram.run(["sync", server.manifestURL, "--library", library.path])
        #expect(first.status == .exited(0), "\(first)")
        #expect(try await server.differences(inLibrary: library.path) == [])

        let second = try await LarderProgram.run(["sync", server.manifestURL, "--library", library.path, "--json"])
        #expect(second.status == .exited(0), "\(second)")
        let end = try #require(second.events.last { $0.name == "run.finished" })
        #expect(end.value["bundles"]?["unchanged"]?.integer == RealBundle.all.count)
        #expect(end.value["bundles"]?["published"]?.integer == 0)

        // Each bundle went over the line once, whole.
        let accesses = try await server.nginx.finish()
        for bundle in RealBundle.all {
            let requests = accesses.filter { $0.target == "/\(bundle.name)" }
            #expect(requests.map(\.status) == [200])
            #expect(requests.map(\.bodyBytesSent) == [UInt64(try bundle.sizeBytes)])
        }
    }
}
