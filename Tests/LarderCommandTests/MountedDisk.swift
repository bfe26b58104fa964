import Glibc
import TestSupport
import Testing

/// A small disk, mounted while a test holds it.
final class MountedDisk: Sendable {
    private let folder: TemporaryDirectory
    private let image: String?

    let path: String

    /// One in memory.
    init(sizeBytes: Int) async throws {
        (folder, path, image) = try Self.makeMountPoint(imageBytes: nil)
        try await run("mount", ["-t", "tmpfs", "-o", "size=\(sizeBytes)", "tmpfs", path])
    }

    /// One in a file, which becomes read-only when it finds itself damaged.
    init(ext4Bytes sizeBytes: Int) async throws {
        (folder, path, image) = try Self.makeMountPoint(imageBytes: sizeBytes)
        try await run("mkfs.ext4", ["-q", imagePath])
        try await run("mount", ["-o", "loop,errors=remount-ro", imagePath, path])
    }

    /// One as cameras and sticks have it, in a file.
    init(exFATBytes sizeBytes: Int) async throws {
        (folder, path, image) = try Self.makeMountPoint(imageBytes: sizeBytes)
        try await run("mkfs.exfat", [imagePath])
        try await run("mount", ["-t", "exfat-fuse", "-o", "loop", imagePath, path])
    }

    // Lazily: a program that outlives its test must not keep it.
    deinit { umount2(path, Int32(MNT_DETACH)) }

    private static func makeMountPoint(imageBytes: Int?) throws -> (TemporaryDirectory, String, String?) {
        try #require(geteuid() == 0, "only root can mount: make test-root as root")
        let folder = try TemporaryDirectory()
        let image = try imageBytes.map { size in
            let path = try folder.write([], to: "image")
            try check(truncate(path, size), "truncate \(path)")
            return path
        }
        return (folder, try folder.makeDirectory("disk"), image)
    }

    private var imagePath: String {
        get throws { try #require(image, "a disk in memory is in no file") }
    }

    /// Changes its size or what is allowed: `size=1000`, `ro`.
    func remount(_ options: String) async throws { try await run("mount", ["-o", "remount,\(options)", path]) }

    /// What is taken of it.
    func usage() throws -> (bytes: Int, files: Int) {
        var status = statvfs()
        try check(statvfs(path, &status), "statvfs \(path)")
        return (Int((status.f_blocks - status.f_bfree) * status.f_frsize), Int(status.f_files - status.f_ffree))
    }

    /// Lets an ext4 disk find an error in itself.
    func becomeReadOnly() async throws {
        let device = try await run("findmnt", ["--noheadings", "--output", "SOURCE", path])
        let name = device.split(separator: "/").last.map { $0.filter { !$0.isWhitespace } } ?? ""
        try writeFile(Array("a test\n".utf8), to: "/sys/fs/ext4/\(name)/trigger_fs_error")
    }

    /// Unmounts an ext4 disk, checks it, and mounts it again.
    func repair() async throws {
        try await run("umount", [path])
        // 1: errors were corrected.
        let check = try await ChildProcess.run("fsck.ext4", ["-fy", imagePath])
        try #require([.exited(0), .exited(1)].contains(check.status), "\(check)")
        try await run("mount", ["-o", "loop,errors=remount-ro", imagePath, path])
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await ChildProcess.run(program, arguments)
        try #require(result.status == .exited(0), "\(result)")
        return result.outputText
    }
}
