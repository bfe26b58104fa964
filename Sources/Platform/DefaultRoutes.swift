import CLinux
import Glibc

/// The ways that lead out of the networks a machine is part of: of each address family and table, the default route that the kernel prefers.
///
/// Whoever is reachable on a network of the machine's own, or on loopback, needs none of them.
package struct DefaultRoutes: Hashable, Sendable {
    private var preferred: [Table: Route] = [:]

    private struct Table: Hashable {
        let family: UInt8
        let number: UInt32
        /// 0 for a default route in the strict sense; a VPN puts two halves over it.
        let prefixLength: UInt8
    }

    private struct Route: Hashable {
        let metric: UInt32
        let interface: UInt32
        let gateway: [UInt8]
        /// The interfaces of several next hops at once.
        let hopInterfaces: [UInt32]
    }

    /// The names of the interfaces that the routes lead over.
    package var interfaceNames: Set<String> {
        var names: Set<String> = []
        for index in preferred.values.flatMap({ [$0.interface] + $0.hopInterfaces }) {
            var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
            // One that is gone by now leads nowhere.
            guard if_indextoname(index, &name) != nil else { continue }
            names.insert(String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return names
    }

    /// The routes of this moment.
    package static func current() throws(SystemError) -> DefaultRoutes { try RouteSocket().defaultRoutes() }

    package var isEmpty: Bool { preferred.isEmpty }

    /// No routes.
    package init() {}

    /// The most specific prefix that still stands for "anywhere": halves of the address space, and IPv6's global addresses (2000::/3).
    private static func isDefault(_ route: rtmsg) -> Bool {
        route.rtm_dst_len <= (route.rtm_family == UInt8(AF_INET6) ? 3 : 1)
    }

    /// Takes in one datagram of the kernel's answer to `larder_request_routes` (rtnetlink(7)). What is malformed within a route is passed over.
    /// - Returns: whether it was the answer's last.
    /// - Throws: where it is no answer: then nobody knows which routes there are.
    mutating func take(_ datagram: UnsafeRawBufferPointer) throws(SystemError) -> Bool {
        var rest = datagram
        while let header = rest.loadPrefix(nlmsghdr.self) {
            let length = Int(header.nlmsg_len)
            guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else {
                throw SystemError(code: EBADMSG, operation: "read", subject: "the kernel's routes")
            }
            let payload = UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<nlmsghdr>.size..<length])
            switch Int32(header.nlmsg_type) {
            case NLMSG_DONE: return true
            case NLMSG_ERROR:
                throw SystemError(
                    code: -(payload.loadPrefix(Int32.self) ?? -EBADMSG), operation: "list",
                    subject: "the kernel's routes")
            case Int32(RTM_NEWROUTE): takeRoute(payload)
            default: break
            }
            rest = rest.droppingAligned(length)
        }
        return false
    }

    private mutating func takeRoute(_ payload: UnsafeRawBufferPointer) {
        guard let route = payload.loadPrefix(rtmsg.self), Self.isDefault(route), route.rtm_type == RTN_UNICAST,
            // A route whose link is down leads nowhere.
            route.rtm_flags & UInt32(RTNH_F_DEAD | RTNH_F_LINKDOWN) == 0
        else { return }
        var table = UInt32(route.rtm_table)
        var (metric, interface, gateway): (UInt32, UInt32, [UInt8]) = (0, 0, [])
        var hopInterfaces: [UInt32] = []
        var rest = payload.droppingAligned(MemoryLayout<rtmsg>.size)
        while let attribute = rest.loadPrefix(rtattr.self) {
            let length = Int(attribute.rta_len)
            guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { break }
            let value = UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<rtattr>.size..<length])
            switch UInt32(attribute.rta_type) {
            case RTA_TABLE.rawValue: table = value.loadPrefix(UInt32.self) ?? table
            case RTA_PRIORITY.rawValue: metric = value.loadPrefix(UInt32.self) ?? metric
            case RTA_OIF.rawValue: interface = value.loadPrefix(UInt32.self) ?? interface
            // Several next hops at once are told apart by their bytes alone.
            case RTA_GATEWAY.rawValue: gateway = Array(value)
            case RTA_MULTIPATH.rawValue: (gateway, hopInterfaces) = (Array(value), Self.hopInterfaces(value))
            default: break
            }
            rest = rest.droppingAligned(length)
        }
        let key = Table(family: route.rtm_family, number: table, prefixLength: route.rtm_dst_len)
        let found = Route(
            metric: metric, interface: interface, gateway: gateway, hopInterfaces: hopInterfaces)
        // The kernel lists the older of two equals first, and prefers it.
        if preferred[key].map({ found.metric < $0.metric }) ?? true { preferred[key] = found }
    }
}

extension DefaultRoutes {
    /// The interfaces of a list of next hops: `struct rtnexthop`, each with attributes behind it.
    private static func hopInterfaces(_ hops: UnsafeRawBufferPointer) -> [UInt32] {
        var interfaces: [UInt32] = []
        var rest = hops
        while let hop = rest.loadPrefix(rtnexthop.self) {
            let length = Int(hop.rtnh_len)
            guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
            interfaces.append(UInt32(bitPattern: hop.rtnh_ifindex))
            rest = rest.droppingAligned(length)
        }
        return interfaces
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func loadPrefix<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
        count >= MemoryLayout<Value>.size ? loadUnaligned(as: type) : nil
    }

    /// What follows `count` bytes, netlink's padding to four left out.
    fileprivate func droppingAligned(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Swift.min(self.count, (count + 3) & ~3)...])
    }
}
