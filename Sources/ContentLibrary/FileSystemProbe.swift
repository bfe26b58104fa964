import Glibc
import Platform

/// Finds out whether a file system can carry a library, by doing there what a library does.
struct FileSystemProbe {
    /// An empty directory on the file system in question.
    let directory: Directory

    private static let first: RelativePath = "first"
    private static let second: RelativePath = "second"

    /// What is missing, for people; nil when nothing is.
    /// - Throws: when it could not even be tried, for want of permission or space.
    func missingFeature() throws(SystemError) -> String? {
        if try !hasSymbolicLinks() { return "symbolic links" }
        if try !hasAtomicRename() { return "rename in one step" }
        if try !hasLocks() { return "file locks (flock)" }
        return nil
    }

    private func hasSymbolicLinks() throws(SystemError) -> Bool {
        let target = Array("somewhere/else".utf8)
        let made = try attempt { () throws(SystemError) in
            try directory.makeSymbolicLink(Self.first, target: target)
            try directory.makeSymbolicLink(Self.second, target: [UInt8(ascii: "x")])
        }
        guard made else { return false }
        return try directory.linkTarget(of: Self.first) == target
    }

    /// `current` is a link that replaces a link.
    private func hasAtomicRename() throws(SystemError) -> Bool {
        let target = try directory.linkTarget(of: Self.first)
        let renamed = try attempt { () throws(SystemError) in try directory.rename(Self.first, to: Self.second) }
        guard renamed else { return false }
        return try directory.linkTarget(of: Self.second) == target
    }

    private func hasLocks() throws(SystemError) -> Bool {
        let holder = try directory.open(Self.first, flags: O_RDWR | O_CREAT)
        let rival = try directory.open(Self.first, flags: O_RDWR)
        let locked = try attempt { () throws(SystemError) in
            guard try holder.lock(exclusive: true) else {
                throw SystemError(code: ENOLCK, operation: "lock", subject: holder.name)
            }
        }
        guard locked else { return false }
        // A file system that lets both have it only pretends to lock.
        return try !rival.lock(exclusive: true)
    }

    /// Whether `body` succeeds; a failure that says nothing of the file system's abilities is thrown.
    private func attempt(_ body: () throws(SystemError) -> Void) throws(SystemError) -> Bool {
        do {
            try body()
            return true
        } catch {
            // EPERM is how Linux says that a file system has no symbolic links (symlink(2)).
            if error.isNoSpace || [EACCES, EROFS, EIO].contains(error.code) { throw error }
            return false
        }
    }
}
