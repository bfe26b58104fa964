import TestSupport
import Testing

/// Manifests on disks that take no files.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"))
struct ManifestRootTests {
    /// Hours may pass while files are read.
    @Test func aReadOnlyDiskIsToldBeforeAnythingIsRead() async throws {
        let disk = try await MountedDisk(sizeBytes: 1 << 20)
        try writeFile([1], to: "\(disk.path)/a")
        let create = ["manifest", "create", "\(disk.path)/a", "-o", "\(disk.path)/m.json"]
        #expect(try await LarderProgram.run(create).status == .exited(0))
        try await disk.remount("ro")
        for command in [create, ["manifest", "update", "\(disk.path)/m.json", "\(disk.path)/a"]] {
            let refused = try await LarderProgram.run(command)
            #expect(refused.status == .exited(1), "\(refused)")
            #expect(refused.problems.count == 1 && refused.errorText.contains("Read-only file system"), "\(refused)")
        }
    }
}
