import Glibc

/// Reading a file as the disk has it, without taking the page cache from those who need it. Advice that a file system doesn't take is no failure.
extension OwnedDescriptor {
    /// Lets go of what the page cache holds of the file, so that what is read next comes from the disk; what somebody has mapped into memory, or
    /// has written and not flushed, stays. Then asks for reading ahead.
    package func beginReadingFromDisk() {
        _ = posix_fadvise(rawValue, 0, 0, POSIX_FADV_DONTNEED)
        _ = posix_fadvise(rawValue, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    /// Lets go of what was read: nobody asked for it to be held.
    package func forgetCached(_ lengthBytes: Int64, at offset: Int64) {
        _ = posix_fadvise(rawValue, Int(offset), Int(lengthBytes), POSIX_FADV_DONTNEED)
    }
}
