import FaultServer
import Glibc
import TestSupport
import Testing

/// `larder verify` and `larder export` on disks that can't be written to, or are full.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"))
struct VerifyRootTests {
    private let server: FaultServer
    private let content = Content.pattern(lengthBytes: 2 << 20, seed: 1)

    init() throws {
        server = try FaultServer()
        server.serve("/a.bin", Resource(content))
        let file =
            #"{"path": "data", "urls": ["a.bin"], "size": \#(content.lengthBytes), "sha256": "\#(content.sha256)"}"#
        server.serve(
            "/m.json", Resource(.text(Stock.manifest([#"{"id": "a", "kind": "files", "files": [\#(file)]}"#]))))
    }

    private func publish(in library: String) async throws {
        let result = try await LarderProgram.run(
            ["sync", server.url("/m.json"), "--library", library, "--min-free", "0"])
        #expect(result.status == .exited(0), "\(result)")
    }

    @Test func aReadOnlyDiskIsVerified() async throws {
        let disk = try await MountedDisk(sizeBytes: 16 << 20)
        try await publish(in: "\(disk.path)/library")
        try await disk.remount("ro")
        let whole = try await LarderProgram.run(["verify", "--library", "\(disk.path)/library"])
        #expect(whole.status == .exited(0) && whole.outputText.hasSuffix("all whole\n"), "\(whole)")
        #expect(whole.errorText.contains("can't be noted"), "\(whole)")
        try await disk.remount("rw")
        let published = try #require(
            try directoryEntries(FilePathBytes("\(disk.path)/library/store/m/a")).map(\.description)
                .first { !$0.hasSuffix(".receipt") })
        try writeFile([1], to: "\(disk.path)/library/store/m/a/\(published)/data")
        try await disk.remount("ro")
        let damaged = try await LarderProgram.run(["verify", "--library", "\(disk.path)/library"])
        #expect(damaged.status == .exited(1), "\(damaged)")
    }

    @Test func anExportToAFullDiskIsRefusedAndGoesOnWhenThereIsRoom() async throws {
        let folder = try TemporaryDirectory()
        try await publish(in: folder["library"])
        let disk = try await MountedDisk(sizeBytes: 1 << 20)
        let arguments = ["export", "--library", folder["library"], "--to", "\(disk.path)/stick"]
        let full = try await LarderProgram.run(arguments)
        #expect(full.status == .exited(73), "\(full)")
        #expect(access("\(disk.path)/stick/sha256", F_OK) != 0)
        try await disk.remount("size=\(16 << 20)")
        #expect(try await LarderProgram.run(arguments).status == .exited(0))
        let name = "\(disk.path)/stick/sha256/\(content.sha256.prefix(2))/\(content.sha256)"
        #expect(contentDifference(content.bytes(), try readFile(name)) == nil)
    }

    @Test func aRepairOnAFullDiskChangesNothing() async throws {
        let disk = try await MountedDisk(sizeBytes: 3 << 20)
        let library = "\(disk.path)/library"
        try await publish(in: library)
        let store = try #require(
            try directoryEntries(FilePathBytes("\(library)/store/m/a")).map(\.description)
                .first { !$0.hasSuffix(".receipt") })
        let path = "\(library)/store/m/a/\(store)/data"
        let file = open(path, O_RDWR)
        try check(pwrite(file, [UInt8(1), 2, 3], 3, 1000), "pwrite")
        close(file)
        let damaged = try readFile(path)
        let full = try await LarderProgram.run(["verify", "--repair", "--library", library, "--min-free", "0"])
        #expect(full.status == .exited(73), "\(full)")
        #expect(try readFile(path) == damaged)
        try await disk.remount("size=\(16 << 20)")
        let roomy = try await LarderProgram.run(["verify", "--repair", "--library", library, "--min-free", "0"])
        #expect(roomy.status == .exited(0), "\(roomy)")
        #expect(contentDifference(content.bytes(), try readFile(path)) == nil)
    }
}
