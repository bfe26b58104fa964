import CLinux

/// The C library's allocator.
package enum MemoryAllocator {
    /// Gives memory that was freed back to the system, which the allocator keeps for the next allocation otherwise.
    package static func trim() { malloc_trim(0) }

    /// For a program whose few threads make much and free nothing: they share one heap, which grows 64 MiB at a time. Those of threads grow page by
    /// page, with a system call for each. To be called before there are threads.
    package static func useOneHeap() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TOP_PAD, 64 << 20)
    }
}
