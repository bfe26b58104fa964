import CLinux
import Glibc

/// Watches, on a thread of its own, what happens to the machine while work goes on: sleep, and changes of its ways out.
package final class MachineWatch: Sendable {
    package enum Event: Hashable, Sendable {
        /// A second has passed, or a sleep has ended: time to look at clocks.
        case tick
        case resumedFromSleep
        /// The first look at the default routes, or another one that shows a change.
        case routes(DefaultRoutes, isFirst: Bool)
    }

    /// Readable once the watch is over: its other end is closed.
    private let isWatched: OwnedDescriptor

    /// - Parameter handler: called on the watch's thread; must not block.
    /// - Throws: where the system has no descriptor or thread left for it. Without netlink there are no events of routes.
    package init(_ handler: @escaping @Sendable (Event) -> Void) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .last("make", "a pair of sockets")
        }
        isWatched = OwnedDescriptor(adopting: ends[0], name: "the end of a watch")
        let end = OwnedDescriptor(adopting: ends[1], name: "the end of a watch")
        let timer = larder_open_boot_timer(1)
        guard timer >= 0 else { throw .last("make", "a timer") }
        let loop = Loop(
            end: end, timer: OwnedDescriptor(adopting: timer, name: "a timer"), routes: try? RouteSocket(),
            handler: handler)
        _ = try WorkerThread(ifGranted: "larder-watch") { loop.run() }
    }

    private struct Loop: Sendable {
        let end: OwnedDescriptor
        /// Ticks on in the machine's sleep, so that it rings at once when that ends.
        let timer: OwnedDescriptor
        let routes: RouteSocket?
        let handler: @Sendable (Event) -> Void

        func run() {
            var sleep = SleepDetector()
            var known = try? routes?.defaultRoutes()
            if let known { handler(.routes(known, isFirst: true)) }
            // A negative descriptor is passed over.
            var polled = [end.rawValue, timer.rawValue, routes?.descriptor ?? -1].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            while true {
                guard retryingInterrupts({ poll(&polled, nfds_t(polled.count), -1) }) >= 0, polled[0].revents == 0
                else { return }
                if polled[1].revents != 0 {
                    var count: UInt64 = 0
                    _ = read(timer.rawValue, &count, MemoryLayout<UInt64>.size)
                    if sleep.look() { handler(.resumedFromSleep) }
                    handler(.tick)
                }
                if polled[2].revents != 0, let routes {
                    routes.drain()
                    guard let found = try? routes.defaultRoutes(), found != known else { continue }
                    handler(.routes(found, isFirst: known == nil))
                    known = found
                }
            }
        }
    }
}
