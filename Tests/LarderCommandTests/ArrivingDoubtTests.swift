import FaultServer
import Platform
import TestSupport
import Testing

/// Archives that are unpacked while they arrive, whole, and turn out to be the wrong ones: nothing of them is published.
@Suite struct ArrivingDoubtTests {
    private let stock: Stock
    private let files = (0..<8).map { deterministicBytes(1_500_000, seed: UInt64($0)) }

    init() throws { stock = try Stock() }

    private func archive(_ format: String, _ files: [[UInt8]]) async throws -> [UInt8] {
        format == "zip" ? Stock.zip(of: files) : try await Stock.tar(of: files, isCompressed: format == "tar.gz")
    }

    private func bundle(_ urls: [String], _ archive: [UInt8]) -> String {
        let list = urls.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            #"{"id": "z", "kind": "archive", "urls": [\#(list)], "sha256": "\#(SHA256.digest(of: archive))"}"#
    }

    /// Until all of the wrong archive is unpacked. Of a stream the last bytes stay with whoever inflates, until it is known that no more come.
    private func waitForAll(of files: [[UInt8]], _ format: String) async throws {
        try await waitUntil("all is staged") {
            try format == "zip" ? stock.isStaged("7", files[7]) : stock.staged().contains("7")
        }
    }

    @Test(arguments: ["zip", "tar.gz"]) func aMirrorsStaleVersionIsNotPublished(format: String) async throws {
        let (old, new) = (try await archive(format, files.reversed()), try await archive(format, files))
        stock.serveManifest([bundle(["old", "new"], new)])
        let gate = try Gate()
        stock.server.serve("/old", Resource(.bytes(old)))
        stock.server.serve("/new", Resource(.bytes(new)).altered { $1.headHeld(until: gate) })
        let run = try stock.startSync()
        try await waitForAll(of: files.reversed(), format)
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files)
        #expect(stock.server.exchanges("/old").count == (format == "zip" ? 2 : 1), "a zip's end comes first")
    }

    /// What was gone on with is fetched again from its start where the digest doesn't hold; by then there is something else.
    @Test(arguments: ["zip", "tar.gz"]) func theSameSourcesOlderVersionIsNotPublished(format: String) async throws {
        let (old, new) = (try await archive(format, files.reversed()), try await archive(format, files))
        stock.serveManifest([bundle(["z"], new)])
        let (loss, gate) = (try Gate(), try Gate())
        let half = UInt64(old.count / 2)
        let later = Resource(.bytes(new), etag: "\"v2\"").altered { $1.headHeld(until: gate) }
        stock.server.serve("/z", Resource(.bytes(old)))
        let cut = Step.altered { $0.stalled(afterBytes: half, until: loss).cut(afterBytes: half + 1) }
        // A zip's end, and what the first reply had left.
        let ranges = [Step](repeating: .own, count: format == "zip" ? 2 : 1)
        stock.server.script("/z", [cut] + ranges + [.become(later)])
        let run = try LarderProgram.start(
            ["sync", stock.manifestURL, "--library", stock.library, "--retries", "3", "--min-free", "0"])
        try await waitUntil("the second file is staged") { try stock.staged().contains("1") }
        loss.open()
        try await waitForAll(of: files.reversed(), format)
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files)
    }

    /// For which nobody tells that anything began anew.
    @Test(arguments: ["zip", "tar.gz", "tar"]) func aServersArchiveIsNotTheLocalOne(format: String) async throws {
        let (old, new) = (try await archive(format, files.reversed()), try await archive(format, files))
        stock.server.serve("/z", Resource(.bytes(old)))
        try await expectLocal(new, hasDigest: true)
    }

    /// A tar archive may end without any mark, if something else tells that it isn't cut.
    @Test func whatAServerCutBetweenEntriesIsNotTheLocalArchive() async throws {
        let (old, new) = (try await Stock.tar(of: files.reversed()), try await Stock.tar(of: files))
        let entryBytes = 512 + (1_500_000 + 511) / 512 * 512
        stock.server.serve("/z", always: .status(200).body(.bytes(old)).cut(afterBytes: UInt64(2 * entryBytes)))
        try await expectLocal(new, hasDigest: false)
    }

    private func expectLocal(_ archive: [UInt8], hasDigest: Bool) async throws {
        let local = try stock.directory.write(archive, to: "local")
        let urls = [stock.server.url("/z"), "file://\(local)"]
        let bundle =
            hasDigest
            ? bundle(urls, archive) : #"{"id": "z", "kind": "archive", "urls": ["\#(urls[0])", "\#(urls[1])"]}"#
        let manifest = try stock.directory.write(Stock.manifest([bundle]).utf8, to: "m.json")
        let end = try await stock.sync(manifests: [manifest])
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files)
    }
}
