import CLinux
import Glibc

/// A new file that has no name until it is given one (`O_TMPFILE`), so that a crash leaves nothing of it behind. Where the file system has no such
/// files (NFS, overlays, most of FUSE) it goes by a passing name until then.
package final class UnnamedFile: Sendable {
    /// Open for reading and writing.
    package let descriptor: OwnedDescriptor
    private let directory: Directory
    /// Nil once it has none, or where it never needed one.
    private let passingName: Locked<RelativePath?>

    /// What passing names are made of: what killed processes left behind are this name's `temporarySiblings`.
    package static let stem: RelativePath = "unnamed"

    /// - Parameter directory: on whose file system it is.
    package init(in directory: Directory) throws(SystemError) {
        self.directory = directory
        do throws(SystemError) {
            descriptor = try directory.openUnnamed(mode: Self.mode)
            passingName = Locked(nil)
        } catch {
            guard [EOPNOTSUPP, EINVAL, ENOSYS, EISDIR].contains(error.code) else { throw error }
            let name = try directory.temporarySibling(of: Self.stem)
            descriptor = try directory.open(name, flags: O_RDWR | O_CREAT | O_EXCL, mode: Self.mode)
            passingName = Locked(name)
        }
    }

    private static let mode: mode_t = 0o644

    deinit { dropPassingName() }

    /// Gives it a name, be it its first or another one; fails with `EEXIST` when the name is taken. Where the file system has no hard links it is a
    /// copy that gets the name.
    package func link(to path: RelativePath, in target: Directory) throws(SystemError) {
        do throws(SystemError) { try target.link(descriptor, at: path) } catch {
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.code) else { throw error }
            _ = try target.copyFile(from: descriptor, to: path, mode: Self.mode)
        }
        dropPassingName()
    }

    private func dropPassingName() {
        let name = passingName.withLock { name in
            defer { name = nil }
            return name
        }
        if let name { try? directory.remove(name) }
    }
}

extension Directory {
    fileprivate func openUnnamed(mode: mode_t) throws(SystemError) -> OwnedDescriptor {
        let opened = retryingInterrupts {
            larder_openat(descriptor.rawValue, ".", larder_o_tmpfile | O_RDWR | O_CLOEXEC, mode)
        }
        guard opened >= 0 else { throw .last("create a file in", name) }
        return OwnedDescriptor(adopting: opened, name: "a new file in \(name)")
    }

    /// Gives an open file a name, be it its first or another one; fails with `EEXIST` when the name is taken, with `ENOENT` when the file had names
    /// and has lost them all.
    package func link(_ file: OwnedDescriptor, at path: RelativePath) throws(SystemError) {
        let code = try withParent(of: path) { parent, name in
            linkat(AT_FDCWD, "/proc/self/fd/\(file.rawValue)", parent, name, AT_SYMLINK_FOLLOW)
        }
        if code == -1 { throw .last("create", subject(path)) }
    }
}
