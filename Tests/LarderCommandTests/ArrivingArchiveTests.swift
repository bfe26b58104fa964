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

    /// A tar.gz of the files `0`, `1` and so on.
    private func archive(of files: [[UInt8]]) async throws -> [UInt8] {
        let folder = try TemporaryDirectory()
        for (number, content) in files.enumerated() { try folder.write(content, to: "\(number)") }
        return try await ChildProcess.run(
            "tar", ["--create", "--gzip", "--directory", folder.path] + files.indices.map(String.init)
        ).output
    }

    /// What stands in the library's staging, bundle by bundle.
    private func staged() throws -> [String] {
        let staging = "\(stock.library)/.larder/staging"
        return try directoryEntries(FilePathBytes(staging)).flatMap { name in
            ((try? directoryEntries(FilePathBytes("\(staging)/\(name)"))) ?? []).map(\.description)
        }
    }

    private func expectPublished(_ files: [[UInt8]]) throws {
        #expect(try stock.published("m/z").sorted() == files.indices.map(String.init))
        for (number, content) in files.enumerated() {
            #expect(contentDifference(content, try stock.content("z/\(number)")) == nil)
        }
        #expect(try staged() == [])
    }

    @Test func filesAreStagedBeforeTheArchiveIsHere() async throws {
        let archive = try await archive(of: files)
        stock.serveManifest([stock.archive("z", archive)])
        let gate = try Gate()
        let reply = Reply.status(200).body(.bytes(archive)).stalled(afterBytes: UInt64(archive.count / 2), until: gate)
        stock.server.serve("/z.zip", always: reply)
        let run = try stock.startSync("--json")
        try await waitUntil("the first file is staged") { try staged().contains("0") }
        #expect(try stock.published() == [])
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        #expect(end.events.filter { $0.name == "bundle.unpacked" }.count == 1)
        try expectPublished(files)
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
        #expect(try staged() == [])
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
        try await waitUntil("the first file is staged") { try staged().contains("0") }
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        try expectPublished(files.reversed())
    }

    @Test func afterAKillNothingThatCameIsFetchedAgain() async throws {
        let archive = try await archive(of: files)
        stock.serveManifest([stock.archive("z", archive)])
        let gate = try Gate()
        let half = UInt64(archive.count / 2)
        stock.server.serve("/z.zip", Resource(.bytes(archive)))
        stock.server.script("/z.zip", [.altered { $0.stalled(afterBytes: half, until: gate) }])
        let run = try stock.startSync()
        try await waitUntil("the first file is staged") { try staged().contains("0") }
        run.kill(SIGKILL)
        #expect(try await run.waitForExit().status == .signalled(SIGKILL))
        let held = UInt64(try stock.partialBytes())
        let sent = stock.server.bodyBytesSent("/z.zip")
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.bodyBytesSent("/z.zip") - sent <= UInt64(archive.count) - held)
        try expectPublished(files)
    }
}
