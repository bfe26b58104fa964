import Glibc

/// How many descriptors the process may have.
enum DescriptorLimit {
    /// Asks for all the system grants: the soft limit is low for the sake of `select`, which nothing here calls.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // Where it is refused, the old limit holds.
        _ = setrlimit(resource, &limit)
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
