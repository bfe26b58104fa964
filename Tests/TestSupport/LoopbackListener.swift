import Glibc

/// A TCP socket that listens on 127.0.0.1, or for once on every address of the machine.
package final class LoopbackListener: Sendable {
    package let descriptor: OwnedDescriptor
    package let port: UInt16

    /// - Parameter port: 0 takes any free one.
    package init(port: UInt16 = 0, onEveryAddress: Bool = false) throws(SystemError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = try check(Glibc.socket(AF_INET, type, 0), "socket")
        descriptor = OwnedDescriptor(socket)
        var enabled: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &enabled, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = onEveryAddress ? INADDR_ANY : in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure: SystemError? = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                do throws(SystemError) {
                    try check(bind(socket, name, length), "bind port \(port)")
                    try check(listen(socket, SOMAXCONN), "listen")
                    try check(getsockname(socket, name, &length), "getsockname")
                    return nil
                } catch {
                    return error
                }
            }
        }
        if let failure { throw failure }
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// - Returns: a connection that doesn't block and that children don't inherit; `nil` if there is none to take.
    package func accept() -> OwnedDescriptor? {
        spawnLock.hold {
            let accepted = Glibc.accept(descriptor.number, nil, nil)
            guard accepted >= 0 else { return nil }
            setCloseOnExec(accepted)
            setNonBlocking(accepted)
            return OwnedDescriptor(accepted)
        }
    }
}
