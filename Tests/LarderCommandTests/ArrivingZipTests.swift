import FaultServer
import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// Zip archives that are unpacked while they arrive: their ends come first, and nothing leaves staging before all is proven.
@Suite struct ArrivingZipTests {
    private let stock: Stock
    private let files = (0..<8).map { deterministicBytes(1_700_000, seed: UInt64($0)) }
    private let archive: [UInt8]
    private let half: UInt64

    init() throws {
        stock = try Stock()
        archive = Stock.zip(of: files)
        half = UInt64(archive.count / 2)
    }

    private var resource: Resource { Resource(.bytes(archive)) }

    /// Serves the archive; whoever asks for the whole waits at its middle.
    private func serve(_ resource: Resource, stalledUntil gate: Gate) {
        stock.server.serve(
            "/z.zip",
            resource.altered { [half] in $1.status == 200 ? $1.stalled(afterBytes: half, until: gate) : $1 })
    }

    private var statuses: [Int?] { stock.server.exchanges("/z.zip").map(\.status) }

    /// For how many bytes the partial file's record speaks.
    private func recordedBytes() throws -> UInt64 {
        let name = try #require(try stock.partials().first { $0.hasSuffix(".part.resume") })
        let record = try JSONDocument(readFile("\(stock.library)/.larder/partial/\(name)"), name: "a record").root
        let ranges = try #require(record["ranges"]).elements.map { $0.elements.compactMap(\.integer) }
        return ranges.reduce(0) { $0 + UInt64(($1.last ?? 0) - ($1.first ?? 0)) }
    }

    @Test func entriesAreStagedBeforeTheArchiveIsHere() async throws {
        let gate = try Gate()
        stock.serveManifest([stock.archive("z", archive)])
        serve(resource, stalledUntil: gate)
        let run = try stock.startSync("--json")
        try await waitUntil("the second entry is staged") { try stock.staged().contains("1") }
        #expect(try stock.published() == [])
        let end = try #require(stock.server.exchanges("/z.zip").dropFirst().first)
        #expect(end.request["Range"] == "bytes=\(archive.count - (1 << 20))-\(archive.count - 1)")
        #expect(end.request["If-Range"] == "\"v1\"")
        gate.open()
        let outcome = try await run.waitForExit()
        #expect(outcome.status == .exited(0), "\(outcome)")
        #expect(outcome.events.filter { $0.name == "bundle.unpacked" }.count == 1)
        #expect(stock.server.exchanges("/z.zip").count == 2)
        try stock.expectPublished(files)
    }

    /// What has no validator, or no ranges, or is small comes in one piece.
    @Test(arguments: ["no ranges", "no validator", "small"])
    func nothingComesAheadOfItsTurnElsewhere(_ what: String) async throws {
        var resource = resource
        var files = files
        switch what {
        case "no ranges": resource.ranges = .ignored
        case "no validator": (resource.etag, resource.lastModified) = (nil, nil)
        default:
            files = files.map { Array($0.prefix(500_000)) }
            resource.content = .bytes(Stock.zip(of: files))
        }
        stock.serveManifest([stock.archive("z", resource.content.bytes())])
        stock.server.serve("/z.zip", resource)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(statuses == [200])
        try stock.expectPublished(files)
    }

    /// Whatever a server makes of the request for the end, the first request goes on and brings it all.
    @Test(arguments: ["another version", "another range", "the whole", "an error"])
    func anEndThatCannotBeTrustedIsNotRead(_ what: String) async throws {
        stock.serveManifest([stock.archive("z", archive)])
        let other = Stock.zip(of: files.reversed())
        stock.server.serve("/z.zip", resource)
        let end: Reply =
            switch what {
            case "another version":
                Reply.status(
                    206,
                    [
                        "ETag": "\"v2\"",
                        "Content-Range": "bytes \(other.count - (1 << 20))-\(other.count - 1)/\(other.count)",
                    ]
                ).body(.bytes(Array(other.suffix(1 << 20))))
            case "another range":
                Reply.status(
                    206, ["ETag": "\"v1\"", "Content-Range": "bytes 0-\((1 << 20) - 1)/\(archive.count)"]
                ).body(.bytes(Array(archive.prefix(1 << 20))))
            case "the whole": Reply.status(200, ["ETag": "\"v1\""]).body(.bytes(archive))
            default: Reply.errorPage(503)
            }
        let gate = try Gate()
        stock.server.script(
            "/z.zip", [.altered { [half] in $0.stalled(afterBytes: half, until: gate) }, .reply(end)])
        let run = try stock.startSync()
        try await stock.server.waitForRequest("/z.zip", count: 2)
        gate.open()
        let outcome = try await run.waitForExit()
        #expect(outcome.status == .exited(0), "\(outcome)")
        #expect(statuses.count == 2)
        try stock.expectPublished(files)
    }

    @Test func nothingLeavesStagingWhenTheDigestDoesNotHold() async throws {
        stock.serveManifest([stock.archive("z", archive)])
        stock.server.serve("/z.zip", Resource(.bytes(Stock.zip(of: files.reversed()))))
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(statuses == [200, 206, 200], "once more in one piece: then it is the source's own fault")
        #expect(try stock.published() == [])
        #expect(try stock.staged() == [])
    }

    @Test func anotherVersionInTheMiddleIsUnpackedFromItsStart() async throws {
        stock.serveManifest([stock.archive("z", archive, hasDigest: false)])
        let gate = try Gate()
        let new = Resource(.bytes(Stock.zip(of: files.reversed())), etag: "\"v2\"")
        stock.server.serve("/z.zip", resource)
        let cut: @Sendable (Reply) -> Reply = { [half] in
            $0.stalled(afterBytes: half, until: gate).cut(afterBytes: half + 1)
        }
        stock.server.script("/z.zip", [.altered(cut), .own, .become(new)])
        let run = try LarderProgram.start(
            ["sync", stock.manifestURL, "--library", stock.library, "--retries", "2", "--min-free", "0"])
        try await waitUntil("the first entry is staged") { try stock.staged().contains("0") }
        gate.open()
        let outcome = try await run.waitForExit()
        #expect(outcome.status == .exited(0), "\(outcome)")
        try stock.expectPublished(files.reversed())
    }

    @Test func afterAKillNothingThatCameIsFetchedAgain() async throws {
        stock.serveManifest([stock.archive("z", archive)])
        serve(resource, stalledUntil: try Gate())
        let run = try stock.startSync()
        try await waitUntil("the second entry is staged") { try stock.staged().contains("1") }
        // What was written since then is fetched again.
        try await waitUntil("the record is on the disk") { ((try? recordedBytes()) ?? 0) >= half - (2 << 20) }
        run.kill(SIGKILL)
        #expect(try await run.waitForExit().status == .signalled(SIGKILL))
        stock.server.serve("/z.zip", resource)
        let before = stock.server.bodyBytesSent("/z.zip")
        #expect(try await stock.sync().status == .exited(0))
        // Beside the half that is missing what came since the last record was written.
        #expect(stock.server.bodyBytesSent("/z.zip") - before <= half + (3 << 20))
        try stock.expectPublished(files)
    }

    /// What was unpacked is of as much use as the bytes that it was unpacked from.
    @Test func whatWasUnpackedOutlivesALostConnection() async throws {
        stock.serveManifest([stock.archive("z", archive)])
        let gate = try Gate()
        stock.server.serve(
            "/z.zip",
            resource.altered { [half] in
                $1.status == 200 ? $1.stalled(afterBytes: half, until: gate).cut(afterBytes: half + 1) : $1
            })
        let run = try stock.startSync()
        try await waitUntil("the second entry is staged") { try stock.staged().contains("1") }
        gate.open()
        let outcome = try await run.waitForExit()
        #expect(outcome.status == .exited(1), "\(outcome)")
        #expect(try stock.staged().contains("0"))
        stock.server.serve("/z.zip", resource)
        #expect(try await stock.sync().status == .exited(0))
        try stock.expectPublished(files)
    }

    @Test func anEndThatIsHereIsNotAskedForAgain() async throws {
        stock.serveManifest([stock.archive("z", archive)])
        // So much is missing that more connections would be worth it.
        let gate = try Gate()
        stock.server.serve(
            "/z.zip", resource.altered { $1.status == 200 ? $1.stalled(afterBytes: 3_500_000, until: gate) : $1 })
        let run = try stock.startSync()
        try await waitUntil("the second entry is staged") { try stock.staged().contains("1") }
        // The record is written on the way out, so that it speaks for all of the end.
        run.kill(SIGTERM)
        _ = try await run.waitForExit()
        stock.server.serve("/z.zip", resource)
        #expect(try await stock.sync().status == .exited(0))
        #expect(statuses == [200, 206, 206])
        try stock.expectPublished(files)
    }
}
