import CLinux

/// The C library's allocator.
package enum MemoryAllocator {
    /// Gives memory that was freed back to the system, which the allocator keeps for the next allocation otherwise.
    package static func trim() { malloc_trim(0) }
}
