import Glibc

/// What threads share.
package enum Processors {
    /// How many are online; at least 1.
    package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
