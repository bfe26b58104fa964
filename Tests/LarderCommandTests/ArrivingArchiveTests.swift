import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// Archives that are unpacked while they arrive: in staging, where no reader looks.
@Suite struct ArrivingArchiveTests {
    private let stock: Stock
    private let files = (1...4).map { deterministicBytes(1_500_000, seed: UInt64($0)) }

    init() throws { stock = try Stock() }

    private func archive(of files: [[UInt8]]) async throws -> [UInt8] {
        try await Stock.tar(of: files, isCompressed: true)
    }

    @Test func filesAreStagedBeforeTheArchiveIsHere() async throws {
        let archive = try await archive(of: files)
        stock.serveManifest([stock.archive("z", archive)])
        let gate = try Gate()
        let reply = Reply.status(200).body(.bytes(archive)).stalled(afterBytes: UInt64(archive.count / 2), until: gate)
        stock.server.serve("/z.zip", always: reply)
        let run = try stock.startSync("--json")
        try await waitUntil("the first file is staged") { try stock.staged().contains("0") }
        #expect(try stock.published() == [])
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        #expect(end.events.filter { $0.name == "bundle.unpacked" }.count == 1)
        try stock.expectPublished(files)
    }

    @Test func nothingLeavesStagingWhenTheDigestDoesNotHold() async throws {
        let archive = try await archive(of: files)
        stock.serveManifest([stock.archive("z", archive)])
        var other = archive
        other.append(0)
        stock.server.serve("/z.zip", Resource(.bytes(other)))
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(try stock.published() == [])
        #expect(try stock.staged() == [])
    }

    @Test func anotherVersionInTheMiddleIsUnpackedFromItsStart() async throws {
        let (old, new) = (try await archive(of: files), try await archive(of: files.reversed()))
        stock.serveManifest([stock.archive("z", old, hasDigest: false)])
        let gate = try Gate()
        stock.server.serve("/z.zip", Resource(.bytes(new)))
        stock.server.script(
            "/z.zip",
            [
                .reply(
                    Reply.status(200).body(.bytes(old)).stalled(afterBytes: UInt64(old.count / 2), until: gate).cut(
                        afterBytes: UInt64(old.count / 2) + 1))
            ])
        let run = try LarderProgram.start(
            ["sync", stock.manifestURL, "--library", stock.library, "--retries", "2", "--min-free", "0"])
        try await waitUntil("the first file is staged") { try stock.staged().contains("0") }
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files.reversed())
    }

    @Test func anotherSourcesVersionIsUnpackedFromItsStart() async throws {
        let (old, new) = (try await archive(of: files), try await archive(of: files.reversed()))
        stock.serveManifest([#"{"id": "z", "kind": "archive", "urls": ["z.zip", "other.zip"]}"#])
        let gate = try Gate()
        stock.server.serve("/other.zip", Resource(.bytes(new)))
        stock.server.script("/z.zip", [.reply(Self.cut(old, after: gate))])
        let run = try stock.startSync()
        try await waitUntil("the first file is staged") { try stock.staged().contains("0") }
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files.reversed())
    }

    @Test func nothingStaysOfWhatIsNotThereAnyMore() async throws {
        let (old, new) = (try await archive(of: files), try await archive(of: files.reversed()))
        stock.serveManifest([stock.archive("z", old, hasDigest: false)])
        #expect(try await stock.sync().status == .exited(0))
        let gate = try Gate()
        // Then the server goes back to what it had before, and says that nothing has changed.
        stock.server.script("/z.zip", [.reply(Self.cut(new, after: gate))])
        let run = try LarderProgram.start(
            ["sync", stock.manifestURL, "--library", stock.library, "--retries", "2", "--min-free", "0"])
        try await waitUntil("the first file is staged") { try stock.staged().contains("0") }
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        #expect(stock.server.exchanges("/z.zip").last?.status == 304)
        try stock.expectPublished(files)
    }

    /// Half of an archive, and then the end of the connection.
    private static func cut(_ archive: [UInt8], after gate: Gate) -> Reply {
        let half = UInt64(archive.count / 2)
        return Reply.status(200, ["ETag": "\"v2\""]).body(.bytes(archive)).stalled(afterBytes: half, until: gate)
            .cut(afterBytes: half + 1)
    }

    @Test func afterAKillNothingThatCameIsFetchedAgain() async throws {
        let archive = try await archive(of: files)
        stock.serveManifest([stock.archive("z", archive)])
        let gate = try Gate()
        let half = UInt64(archive.count / 2)
        stock.server.serve("/z.zip", Resource(.bytes(archive)))
        stock.server.script("/z.zip", [.altered { $0.stalled(afterBytes: half, until: gate) }])
        let run = try stock.startSync()
        try await waitUntil("the first file is staged") { try stock.staged().contains("0") }
        run.kill(SIGKILL)
        #expect(try await run.waitForExit().status == .signalled(SIGKILL))
        let held = UInt64(try stock.partialBytes())
        let sent = stock.server.bodyBytesSent("/z.zip")
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.bodyBytesSent("/z.zip") - sent <= UInt64(archive.count) - held)
        try stock.expectPublished(files)
    }
}
