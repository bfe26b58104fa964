import CLinux
import Glibc

/// Which file an open one is, and where it is seen, told so that it can be written down: by it a copy shows, and a disk that was mounted anew.
package struct FileBirth: Hashable, Sendable {
    /// The file's number and, where its file system keeps that, the moment it was made.
    package let file: String
    /// The mount; nil where the kernel (before 6.8) has no number for it that is never used again.
    package let mount: String?
}

extension OwnedDescriptor {
    /// Nil where the kernel doesn't tell.
    package var birth: FileBirth? {
        var raw = larder_file_birth()
        guard larder_file_birth_of(rawValue, &raw) == 0 else { return nil }
        return FileBirth(
            file: "\(raw.inode)@\(raw.seconds).\(raw.nanoseconds)", mount: raw.mount == 0 ? nil : "\(raw.mount)")
    }

    /// Whether there are bytes on the disk, or on their way there, for all of these positions: none lies in a hole, as what never came to the disk
    /// does. Where a file system can't tell, there are.
    package func hasBytes(in range: Range<Int64>) -> Bool {
        let seekHole: Int32 = 4
        let hole = lseek(rawValue, off_t(range.lowerBound), seekHole)
        return hole < 0 || hole >= range.upperBound
    }
}
