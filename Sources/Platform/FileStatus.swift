import Glibc

/// What the kernel says of a file (`stat`).
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file, directory, symbolicLink, other
    }

    package let kind: Kind
    package let sizeBytes: Int64
    /// Bytes really taken on the disk.
    package let allocatedBytes: Int64
    /// Permission bits, set-id and sticky bits included.
    package let mode: mode_t
    package let userID: uid_t
    package let groupID: gid_t
    package let linkCount: Int
    package let modified: Timestamp
    package let device: UInt64
    package let inode: UInt64

    /// What tells this file from every other one.
    package var identity: [UInt64] { [device, inode] }

    init(_ raw: stat) {
        switch raw.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        sizeBytes = Int64(raw.st_size)
        // A file system that a program serves (FUSE) may say anything.
        allocatedBytes = max(0, Int64(raw.st_blocks)).multipliedClamped(by: 512)
        mode = raw.st_mode & 0o7777
        userID = raw.st_uid
        groupID = raw.st_gid
        linkCount = Int(clamping: raw.st_nlink)
        modified = Timestamp(raw.st_mtim)
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
    }
}
