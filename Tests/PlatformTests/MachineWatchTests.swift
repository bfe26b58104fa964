import Glibc
import TestSupport
import Testing

@testable import Platform

/// Sleep and routes, told from clocks and from the kernel's own messages.
@Suite struct MachineWatchTests {
    // MARK: Sleep

    @Test func aClockThatRanAheadMeansSleep() {
        var detector = SleepDetector(slept: .seconds(100))
        let looks = [100, 101, 103, 106, 110, 110, 4000].map { detector.look(slept: .seconds($0)) }
        #expect(looks == [false, false, false, false, true, false, true])
    }

    @Test func thisMachineDoesNotSleepMeanwhile() {
        var detector = SleepDetector()
        let slept = detector.look()
        #expect(!slept)
    }

    // MARK: Routes

    // rtnetlink(7): rtm_type and rtm_flags.
    private static let (unicast, local, unreachable): (UInt8, UInt8, UInt8) = (1, 2, 7)
    private static let (dead, linkDown): (UInt32, UInt32) = (1, 16)

    /// The kernel's answer on a machine with two networks, as `strace` shows it: what the fields are is rtnetlink(7)'s.
    private static func message(
        family: Int32 = AF_INET, prefixLength: UInt8 = 0, table: UInt8 = 254, type: UInt8 = unicast, flags: UInt32 = 0,
        interface: UInt32 = 2, metric: UInt32? = nil, gateway: [UInt8] = [192, 0, 2, 1]
    ) -> [UInt8] {
        var payload: [UInt8] = [UInt8(family), prefixLength, 0, 0, table, 3, 0, type]
        payload += bytes(flags)
        func attribute(_ number: UInt16, _ value: [UInt8]) {
            payload += bytes(UInt16(4 + value.count)) + bytes(number) + value
            while payload.count % 4 != 0 { payload.append(0) }
        }
        attribute(4, bytes(interface))
        attribute(5, gateway)
        if let metric { attribute(6, bytes(metric)) }
        return header(type: 24, payload)
    }

    private static func header(type: UInt16, _ payload: [UInt8]) -> [UInt8] {
        bytes(UInt32(16 + payload.count)) + bytes(type) + [0, 0] + [0, 0, 0, 0, 0, 0, 0, 0] + payload
    }

    private static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    private static let done = header(type: 3, [0, 0, 0, 0])

    private func routes(_ messages: [[UInt8]]) -> (routes: DefaultRoutes, isLast: Bool) {
        var routes = DefaultRoutes()
        let isLast = messages.flatMap(\.self).withUnsafeBytes { (try? routes.take($0)) ?? false }
        return (routes, isLast)
    }

    @Test func everyInterfaceOfARouteIsNamed() throws {
        // rtnetlink(7): struct rtnexthop, without attributes of its own.
        func hop(_ interface: UInt32) -> [UInt8] { Self.bytes(UInt16(8)) + [0, 0] + Self.bytes(interface) }
        let loopback = if_nametoindex("lo")
        let single = routes([Self.message(interface: loopback), Self.done]).routes
        #expect(single.interfaceNames == ["lo"])
        var payload: [UInt8] = [UInt8(AF_INET), 0, 0, 0, 254, 3, 0, Self.unicast] + Self.bytes(UInt32(0))
        let hops = hop(loopback) + hop(1 << 30)
        payload += Self.bytes(UInt16(4 + hops.count)) + Self.bytes(UInt16(9)) + hops
        let several = routes([Self.header(type: 24, payload), Self.done]).routes
        #expect(several.interfaceNames == ["lo"], "one that is gone has no name")
    }

    @Test func aDefaultRouteLeadsOut() {
        let (found, isLast) = routes([Self.message(), Self.done])
        #expect(!found.isEmpty && isLast)
        #expect(!routes([Self.message()]).isLast)
        #expect(routes([Self.done]).routes == DefaultRoutes())
        #expect(!routes([Self.message(family: AF_INET6, gateway: [UInt8](repeating: 7, count: 16))]).routes.isEmpty)
        #expect(!routes([Self.message(prefixLength: 1)]).routes.isEmpty, "half of the addresses, as VPNs set it")
    }

    @Test func whatLeadsNowhereIsNone() {
        let none: [[UInt8]] = [
            Self.message(prefixLength: 24), Self.message(type: Self.unreachable), Self.message(type: Self.local),
            Self.message(flags: Self.linkDown), Self.message(flags: Self.dead),
            Self.message(family: AF_INET6, prefixLength: 64),
        ]
        #expect(routes(none).routes.isEmpty)
    }

    @Test func onlyAnotherPreferredRouteIsAChange() {
        let wired = Self.message(interface: 2, metric: 100)
        let before = routes([wired]).routes
        #expect(routes([wired, Self.message(interface: 3, metric: 600)]).routes == before)
        #expect(routes([Self.message(interface: 3, metric: 600), wired]).routes == before)
        #expect(routes([wired, Self.message(interface: 3, metric: 50)]).routes != before)
        #expect(routes([Self.message(interface: 2, metric: 100, gateway: [192, 0, 2, 9])]).routes != before)
        #expect(routes([wired, Self.message(prefixLength: 1, interface: 7)]).routes != before, "a VPN over it")
    }

    @Test func brokenMessagesAreNoHarm() {
        let whole = Self.message(metric: 9) + Self.done
        for length in 0..<whole.count { _ = routes([Array(whole[..<length])]) }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 3, 255] {
                var broken = whole
                broken[index] = value
                _ = routes([broken])
            }
        }
    }

    @Test func theKernelAnswers() throws {
        let socket = try RouteSocket()
        #expect(try socket.defaultRoutes() == socket.defaultRoutes())
        socket.drain()
    }

    @Test func aWatchTellsTheRoutesAndThenTheTime() async throws {
        let events = EventRecorder<MachineWatch.Event>()
        let watch = try MachineWatch(events.record)
        _ = try await events.first("a tick") { $0 == .tick }
        guard case .routes(_, isFirst: true) = events.events.first else {
            Issue.record("the first event is \(events.events)")
            return
        }
        withExtendedLifetime(watch) {}
    }
}
