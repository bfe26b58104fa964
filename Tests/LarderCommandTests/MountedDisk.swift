import Glibc
import TestSupport
import Testing

/// A small disk in memory, mounted while a test holds it.
final class MountedDisk: Sendable {
    private let mountPoint: TemporaryDirectory

    var path: String { mountPoint.path }

    init(sizeBytes: Int) async throws {
        try #require(geteuid() == 0, "only root can mount: make test-root as root")
        mountPoint = try TemporaryDirectory()
        try await mount(["-t", "tmpfs", "-o", "size=\(sizeBytes)", "tmpfs", path])
    }

    // Lazily: a program that outlives its test must not keep it.
    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Changes its size or what is allowed: `size=1000`, `ro`.
    func remount(_ options: String) async throws { try await mount(["-o", "remount,\(options)", path]) }

    private func mount(_ arguments: [String]) async throws {
        let result = try await ChildProcess.run("mount", arguments)
        try #require(result.status == .exited(0), "\(result)")
    }
}
