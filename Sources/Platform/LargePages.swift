import Glibc

/// Memory that is used as a whole, in pieces that the kernel hands out two megabytes at a time instead of four kilobytes: filling tens of megabytes
/// takes a third of the time then.
package enum LargePages {
    /// Less than that isn't worth a call.
    private static let leastBytes = 4 << 20
    private static let pageBytes = UInt(4096)

    /// - Parameter memory: allocated, and not yet used.
    package static func prefer(_ memory: UnsafeRawPointer?, byteCount: Int) {
        guard byteCount >= leastBytes, let memory else { return }
        let start = (UInt(bitPattern: memory) + pageBytes - 1) & ~(pageBytes - 1)
        let end = (UInt(bitPattern: memory) + UInt(byteCount)) & ~(pageBytes - 1)
        // Advice: where the kernel doesn't follow it, nothing is lost.
        madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_HUGEPAGE)
    }
}

extension Array {
    /// Makes room for so many elements, in large pages where that pays.
    /// - Precondition: the array is empty.
    package mutating func reserveLargeCapacity(_ count: Int) {
        reserveCapacity(count)
        withUnsafeMutableBufferPointer {
            LargePages.prefer($0.baseAddress, byteCount: count &* MemoryLayout<Element>.stride)
        }
    }
}
