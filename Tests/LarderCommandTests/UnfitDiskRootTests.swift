import FaultServer
import Glibc
import TestSupport
import Testing

/// File systems that can't carry a library, and those that stop being able to while a run is at work.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"), .serialized)
struct UnfitDiskRootTests {
    private let content = Content.pattern(lengthBytes: 300_000, seed: 1)

    @Test func exFATIsRefusedAtTheFirstRunWithTheReasonAndTheWayOut() async throws {
        let disk = try await MountedDisk(exFATBytes: 16 << 20)
        let stock = try Stock(library: "\(disk.path)/library")
        stock.serveManifest([stock.file("a", content)])
        for _ in 1...2 {
            let refused = try await stock.sync()
            #expect(refused.status == .exited(1), "\(refused)")
            #expect(refused.problems.count == 1 && refused.errorText.contains("\(disk.path)/library"), "\(refused)")
            #expect(refused.errorText.contains("symbolic links"), "\(refused)")
            #expect(refused.errorText.contains("name a directory on another one"), "\(refused)")
        }
        #expect(try directoryEntries(FilePathBytes(stock.library)).isEmpty, "nothing is left behind")
        #expect(stock.server.log.isEmpty, "nor was anything fetched")
    }

    /// A courier disk needs nothing that only file systems for a library have; and a full one is told before anything is written.
    @Test func exFATCarriesWhatALibraryLacks() async throws {
        let disk = try await MountedDisk(exFATBytes: 16 << 20)
        let stock = try Stock()
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stock.sync().status == .exited(0))
        let export = ["export", "--library", stock.library, "--to", "\(disk.path)/stick"]
        for isFirst in [true, false] {
            let result = try await LarderProgram.run(export)
            #expect(result.status == .exited(0), "\(result)")
            let written =
                isFirst ? "1 file written (300.0 kB), 0 there already" : "0 files written (0 B), 1 there already"
            #expect(result.outputText == "1 bundle carried, 0 failed; \(written)\n", "\(result)")
        }
        stock.server.stop()
        let arrival = try await LarderProgram.run([
            "sync", "\(disk.path)/stick/manifests/m.json", "--from", "\(disk.path)/stick", "--library",
            stock.directory["second"], "--retries", "0", "--min-free", "0",
        ])
        #expect(arrival.status == .exited(0), "\(arrival)")
        #expect(contentDifference(content.bytes(), try stock.directory.read("second/current/m/a/data")) == nil)
    }

    @Test func aDiskThatCannotHoldAllIsToldBeforeAnythingIsWritten() async throws {
        let disk = try await MountedDisk(exFATBytes: 16 << 20)
        let stock = try Stock()
        let large = Content.pattern(lengthBytes: 17 << 20, seed: 2)
        stock.serveManifest([stock.file("a", content), stock.file("b", large)])
        #expect(try await stock.sync().status == .exited(0))
        let result = try await LarderProgram.run(["export", "--library", stock.library, "--to", "\(disk.path)/stick"])
        #expect(result.status == .exited(73) && result.errorText.contains("nothing was written"), "\(result)")
        #expect(result.errorText.contains("18.1 MB are to be written"), "\(result)")
        #expect(access("\(disk.path)/stick/sha256", F_OK) != 0)
    }

    /// The kernel takes a damaged file system's right to be written to away.
    @Test func aDiskThatIsMadeReadOnlyMidRunIsToldOfAndLaterGoneOnWith() async throws {
        let disk = try await MountedDisk(ext4Bytes: 32 << 20)
        let stock = try Stock(library: "\(disk.path)/library")
        let old = Content.pattern(lengthBytes: 5_000, seed: 2)
        stock.serveManifest([stock.file("a", old)])
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([stock.file("a", content)], serial: 2)
        let environment = try await FileCalls(beneath: stock.library)
            .environment(.stop, at: .first("create", on: "-receipt"))
        let run = try ChildProcess(LarderProgram.path, stock.arguments(), environment: environment)
        try await run.hasStopped()
        try await disk.becomeReadOnly()
        run.kill(SIGCONT)
        let refused = try await run.waitForExit()
        #expect(refused.status == .exited(1), "\(refused)")
        #expect(refused.errorText.contains("Read-only file system"), "\(refused)")
        #expect(try stock.difference("a", old) == nil)

        try await disk.repair()
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.difference("a", content) == nil)
    }

    @Test(arguments: ["store/m", "store/m/a", ".larder/staging", ".larder/partial", "generations", ""])
    func aPermissionThatIsLostMidRunIsToldOf(path: String) async throws {
        let stock = try Stock()
        let old = Content.pattern(lengthBytes: 5_000, seed: 2)
        stock.serveManifest([stock.file("a", old)])
        let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups", try LarderProgram.path]
        #expect(chown(stock.directory.path, 65534, 65534) == 0)
        #expect(try await ChildProcess.run("setpriv", nobody + stock.arguments()).status == .exited(0))

        stock.serveManifest([stock.file("a", content), stock.file("b", old)], serial: 2)
        let environment = try await FileCalls(beneath: stock.library)
            .environment(.stop, at: .first("create", on: ".part"))
        let run = try ChildProcess("setpriv", nobody + stock.arguments(), environment: environment)
        try await run.hasStopped()
        let place = path.isEmpty ? stock.library : "\(stock.library)/\(path)"
        #expect(chmod(place, 0o555) == 0)
        run.kill(SIGCONT)
        let refused = try await run.waitForExit()
        #expect([.exited(1), .exited(2)].contains(refused.status), "\(refused)")
        #expect(refused.errorText.contains("Permission denied") && refused.errorText.contains(place), "\(refused)")
        #expect(try LibraryAudit(path: stock.library).problems() == [])

        #expect(chmod(place, 0o755) == 0)
        #expect(try await ChildProcess.run("setpriv", nobody + stock.arguments()).status == .exited(0))
        #expect(try stock.difference("a", content) == nil)
    }
}
