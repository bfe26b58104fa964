import Glibc

/// Something threads wait at until a test opens it, once and for good.
///
/// A pair of connected sockets: closing one end makes the other readable for ever, and so a thread can wait in `poll` for
/// a gate and a connection at once. (An `eventfd` would do, but Swift's Glibc module doesn't show it.)
package final class Gate: Sendable {
    private let watched: OwnedDescriptor
    private let closedToOpen: OwnedDescriptor

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try check(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends), "socketpair")
        watched = OwnedDescriptor(ends[0])
        closedToOpen = OwnedDescriptor(ends[1])
    }

    /// Readable once the gate is open; for `poll` alone.
    package var descriptor: Int32 { watched.number }

    package var isOpen: Bool { !closedToOpen.isOpen }

    package func open() { closedToOpen.close() }
}
