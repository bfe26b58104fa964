import FaultServer
import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// Zip archives whose unpacking is cut short: what was unpacked is not unpacked again, and nothing is taken for what it isn't.
@Suite struct KilledUnpackingTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func files(_ sizeBytes: Int) -> [[UInt8]] {
        (0..<8).map { deterministicBytes(sizeBytes, seed: UInt64($0)) }
    }

    /// Too small to be unpacked while it arrives.
    private var smallFiles: [[UInt8]] { files(20_000) }

    private var staging: String { "\(stock.library)/.larder/staging" }

    /// What a run has noted to have unpacked, and which files these are.
    private func noted() throws -> [String: UInt64] {
        let lines = try readFile("\(staging)/1-journal").split(separator: UInt8(ascii: "\n"))
        let names = lines.compactMap { (try? JSONDocument(Array($0), name: "a journal"))?.root["path"]?.string }
        return try Dictionary(uniqueKeysWithValues: Set(names).map { ($0, try inode("\(staging)/1/\($0)")) })
    }

    private func inode(_ path: String) throws -> UInt64 {
        var status = stat()
        try check(stat(path, &status), "stat \(path)")
        return UInt64(status.st_ino)
    }

    private func expectTaken(_ noted: [String: UInt64]) throws {
        #expect(!noted.isEmpty)
        for (name, inode) in noted {
            #expect(try self.inode("\(stock.library)/current/m/z/\(name)") == inode, "\(name) was unpacked again")
        }
    }

    /// Syncs, and is killed when it is about to make the last file of an archive that is here and verified.
    private func killWhileUnpacking() async throws -> [String: UInt64] {
        let calls = try await FileCalls(beneath: stock.library)
        let killed = try await LarderProgram.run(
            stock.arguments(), environment: calls.environment(.kill, at: .first("create", on: "staging/1/7")))
        #expect(killed.status == .signalled(SIGKILL), "\(killed)")
        return try noted()
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func whatWasUnpackedWhileItArrivedIsTaken(signal: Int32) async throws {
        let files = files(1_700_000)
        let archive = Stock.zip(of: files)
        stock.serveManifest([stock.archive("z", archive)])
        let gate = try Gate()
        stock.server.serve(
            "/z.zip",
            Resource(.bytes(archive)).altered {
                $1.status == 200 ? $1.stalled(afterBytes: UInt64(archive.count / 2), until: gate) : $1
            })
        let run = try stock.startSync()
        try await waitUntil("the third file is noted") { (try? self.noted()["2"]) != nil }
        run.kill(signal)
        _ = try await run.waitForExit()
        let noted = try self.noted()
        stock.server.serve("/z.zip", Resource(.bytes(archive)))
        let end = try await stock.sync()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files)
        try expectTaken(noted)
        #expect(try LibraryAudit(path: stock.library).orphans() == [])
    }

    /// A mirror's older version has most of the files as well: what that takes of them it has to give back.
    @Test func whatAWrongArchiveHadTakenIsTakenForTheRightOne() async throws {
        let files = files(1_700_000)
        let archive = Stock.zip(of: files)
        var older = files
        older[7] = deterministicBytes(1_700_000, seed: 99)
        stock.serveManifest([
            #"{"id": "z", "kind": "archive", "urls": ["old.zip", "z.zip"], "sha256": "\#(SHA256.digest(of: archive))"}"#
        ])
        let (stall, gate) = (try Gate(), try Gate())
        stock.server.serve("/old.zip", always: .errorPage(404))
        stock.server.serve(
            "/z.zip",
            Resource(.bytes(archive)).altered {
                $1.status == 200 ? $1.stalled(afterBytes: UInt64(archive.count / 2), until: stall) : $1
            })
        let killed = try stock.startSync()
        try await waitUntil("the third file is noted") { (try? self.noted()["2"]) != nil }
        killed.kill(SIGKILL)
        _ = try await killed.waitForExit()
        let noted = try self.noted()
        // Nothing of the download itself is left.
        for name in try stock.partials() {
            try check(unlink("\(stock.library)/.larder/partial/\(name)"), "unlink")
        }
        stock.server.serve("/old.zip", Resource(.bytes(Stock.zip(of: older))))
        stock.server.script("/old.zip", [.own, .own, .altered { $0.headHeld(until: gate) }])
        stock.server.serve("/z.zip", Resource(.bytes(archive)).altered { $1.headHeld(until: gate) })
        let run = try stock.startSync()
        try await waitUntil("all of the older one is staged") { try stock.isStaged("7", older[7]) }
        gate.open()
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files)
        try expectTaken(noted)
    }

    @Test func whatWasUnpackedOfAWholeArchiveIsTaken() async throws {
        stock.serveManifest([stock.archive("z", Stock.zip(of: smallFiles))])
        let noted = try await killWhileUnpacking()
        let end = try await stock.sync()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(smallFiles)
        try expectTaken(noted)
    }

    /// Power that was lost may have left anything of a file.
    @Test(arguments: ["another byte", "nothing", "a tail of zeros"])
    func aFileThatIsNotWhatWasUnpackedIsNotTaken(_ what: String) async throws {
        stock.serveManifest([stock.archive("z", Stock.zip(of: smallFiles))])
        let noted = try await killWhileUnpacking()
        #expect(!noted.isEmpty)
        for name in noted.keys {
            let path = "\(staging)/1/\(name)"
            var bytes = try readFile(path)
            switch what {
            case "another byte": bytes[100] ^= 1
            case "nothing": bytes = []
            default: bytes.replaceSubrange(10_000..., with: [UInt8](repeating: 0, count: 10_000))
            }
            try writeFile(bytes, to: path)
        }
        let end = try await stock.sync()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(smallFiles)
    }

    /// The new archive says the same of its entries, lengths and CRC-32 and all, and holds other bytes.
    @Test func whatWasUnpackedOfOtherBytesIsNotTaken() async throws {
        let archive = Stock.zip(of: smallFiles)
        stock.serveManifest([stock.archive("z", archive)])
        let noted = try await killWhileUnpacking()
        let name = try #require(noted.keys.min().flatMap { Int($0) })
        let content = try #require(archive.firstRange(of: smallFiles[name]))
        var forged = archive
        forged[content.lowerBound] ^= 1
        stock.serveManifest([stock.archive("z", forged)], serial: 2)
        let end = try await stock.sync()
        #expect(end.status == .exited(1), "\(end)")
        #expect(end.errorText.contains("CRC-32"))
        #expect(try stock.published() == [])
    }
}
