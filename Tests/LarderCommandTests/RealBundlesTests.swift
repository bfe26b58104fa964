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

        // Each bundle went over the line once, whole: of an archive the end first, and the rest until that is reached, which the server may
        // notice late.
        let accesses = try await server.nginx.finish()
        for bundle in RealBundle.all {
            let requests = accesses.filter { $0.target == "/\(bundle.name)" }
            let statuses = requests.map(\.status).sorted()
            #expect(statuses == [200] || statuses == [200, 206], "\(bundle.name)")
            let late: UInt64 = statuses.count == 1 ? 0 : 8 << 20
            let size = UInt64(try bundle.sizeBytes)
            let sent = requests.map(\.bodyBytesSent).reduce(0, +)
            #expect((size...size + late).contains(sent), "\(bundle.name): \(sent) of \(size)")
        }
    }
}
