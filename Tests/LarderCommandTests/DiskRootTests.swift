import FaultServer
import TestSupport
import Testing

/// What happens on disks that are full, or that can't be written to.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"))
struct DiskRootTests {
    private let large = deterministicBytes(8 << 20, seed: 1)
    private let small = deterministicBytes(1000, seed: 2)
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.serve("/large.bin", Resource(.bytes(large)))
        server.serve("/small.bin", Resource(.bytes(small)))
        let manifest = """
            {"format": "larder/1", "id": "disk", "serial": 1, "bundles": [
                {"id": "large", "kind": "files", "files": [{"path": "large.bin", "urls": ["large.bin"], "size": \(large.count)}]},
                {"id": "small", "kind": "files", "files": [{"path": "small.bin", "urls": ["small.bin"], "size": \(small.count)}]}
            ]}
            """
        server.serve("/manifest.json", Resource(.bytes(Array(manifest.utf8))))
    }

    @Test func onAFullDiskTheOtherBundlesArePublishedAndLaterTheRunCarriesOn() async throws {
        let disk = try await MountedDisk(sizeBytes: 4 << 20)
        let library = "\(disk.path)/library"

        let full = try await sync(library)
        #expect(full.status == .exited(73), "\(full)")
        #expect(full.errorLines.filter { $0.contains("large") }.count == 1, "\(full)")
        #expect(try directoryEntries(FilePathBytes("\(library)/current/disk")) == [".manifest.json", "small"])
        #expect(try readFile("\(library)/current/disk/small/small.bin") == small)

        try await disk.remount("size=\(64 << 20)")
        let roomy = try await sync(library)
        #expect(roomy.status == .exited(0), "\(roomy)")
        #expect(contentDifference(large, try readFile("\(library)/current/disk/large/large.bin")) == nil)
        // Nothing was fetched twice but what had found no room.
        #expect(server.bodyBytesSent("/large.bin") <= UInt64(large.count) + 2 << 20)
        #expect(server.bodyBytesSent("/small.bin") == UInt64(small.count))
    }

    @Test func aReadOnlyMountIsRefusedAndKeepsWhatIsPublished() async throws {
        let disk = try await MountedDisk(sizeBytes: 64 << 20)
        let library = "\(disk.path)/library"
        #expect(try await sync(library).status == .exited(0))

        try await disk.remount("ro")
        let refused = try await sync(library)
        #expect(refused.status == .exited(1), "\(refused)")
        #expect(refused.errorLines.count == 1 && refused.errorText.contains(library), "\(refused)")
        #expect(refused.errorText.contains("Read-only file system"), "\(refused)")
        #expect(contentDifference(large, try readFile("\(library)/current/disk/large/large.bin")) == nil)
    }

    private func sync(_ library: String) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["sync", server.url("/manifest.json"), "--library", library, "--min-free", "0"])
    }
}

extension ChildProcess.Result {
    fileprivate var errorLines: [Substring] { errorText.split(separator: "\n") }
}
