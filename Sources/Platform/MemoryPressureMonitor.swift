import CLinux
import Glibc

/// Says when memory is short, so that whoever holds some for comfort can let go of it.
package final class MemoryPressureMonitor: Sendable {
    /// What tells of the pressure; another one in tests.
    package protocol Source: Sendable {
        /// Blocks until memory is short, or until there is something to be read from `stop`.
        /// - Returns: false when nothing more will be told.
        func waitForPressure(orUntil stop: OwnedDescriptor) -> Bool
    }

    /// There is something to be read from it once the monitor is over.
    private let stop: OwnedDescriptor

    /// Watches on a thread of its own, for as long as the monitor lives.
    /// - Parameter handler: called there each time; not while it runs.
    /// - Returns: nil where the system has no descriptor or thread to spare.
    package init?(_ source: any Source, handler: @escaping @Sendable () -> Void) {
        let raw = larder_eventfd()
        guard raw >= 0 else { return nil }
        let stop = OwnedDescriptor(adopting: raw, name: "an event descriptor")
        self.stop = stop
        let thread = try? WorkerThread(ifGranted: "larder-pressure") {
            while source.waitForPressure(orUntil: stop) { handler() }
        }
        if thread == nil { return nil }
    }

    deinit { _ = eventfd_write(stop.rawValue, 1) }
}
