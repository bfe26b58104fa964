import CLinux
import Glibc

/// A netlink socket (rtnetlink(7)) that becomes readable when something about the machine's links and routes changes.
final class RouteSocket: Sendable {
    private let notices: OwnedDescriptor

    init() throws(SystemError) { notices = try Self.open(groups: larder_route_groups) }

    private static func open(groups: UInt32) throws(SystemError) -> OwnedDescriptor {
        let descriptor = larder_open_route_socket(groups)
        guard descriptor >= 0 else { throw .last("open", "a netlink socket") }
        return OwnedDescriptor(adopting: descriptor, name: "a netlink socket")
    }

    /// For `poll`.
    var descriptor: Int32 { notices.rawValue }

    /// Forgets the notices that have come. What they say is not looked at: some may have been lost (`ENOBUFS`), and the table itself knows.
    func drain() {
        var scratch = [UInt8](repeating: 0, count: 8192)
        while recv(notices.rawValue, &scratch, scratch.count, Int32(MSG_DONTWAIT)) > 0 || errno == ENOBUFS {
            errno = 0
        }
    }

    /// The routes of this moment.
    func defaultRoutes() throws(SystemError) -> DefaultRoutes {
        let socket = try Self.open(groups: 0)
        guard larder_request_routes(socket.rawValue) >= 0 else { throw .last("ask for routes on", socket.name) }
        var routes = DefaultRoutes()
        // As large as any datagram that the kernel answers with.
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = retryingInterrupts { recv(socket.rawValue, &buffer, buffer.count, 0) }
            guard count > 0 else { throw .last("read routes from", socket.name) }
            let taken = buffer.withUnsafeBytes { buffer in
                Result { () throws(SystemError) in try routes.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            }
            if try taken.get() { return routes }
        }
    }
}
