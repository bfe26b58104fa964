import Glibc

/// The kernel's own word on memory pressure: a trigger on its pressure stall information (PSI).
package struct PressureStallTrigger: MemoryPressureMonitor.Source {
    private let file: OwnedDescriptor

    /// Some thread waited for memory for 300 ms within two seconds. Windows of that length are what the kernel (6.5 and later) grants to
    /// those who aren't root; any others, and before that, are for root alone.
    private static let trigger = "some 300000 2000000"

    /// A trigger of this process's own control group, where others' memory doesn't count; of the whole machine where there is none. Nil where
    /// neither can be had: a kernel without PSI, or not for this user. Nothing is wrong with that.
    package static func available() -> PressureStallTrigger? {
        let group = ControlGroup.ownPath.flatMap { PressureStallTrigger(path: $0 + "/memory.pressure") }
        return group ?? PressureStallTrigger(path: "/proc/pressure/memory")
    }

    /// - Parameter path: a pressure file; nil unless it takes the trigger.
    init?(path: String) {
        guard let file = try? OwnedDescriptor.open(path, flags: O_RDWR | O_NONBLOCK) else { return nil }
        // The kernel reads it as a C string.
        do { try file.write(Array(Self.trigger.utf8CString.map(UInt8.init(bitPattern:)))) } catch { return nil }
        self.file = file
    }

    package func waitForPressure(orUntil stop: OwnedDescriptor) -> Bool {
        var entries = [
            pollfd(fd: file.rawValue, events: Int16(POLLPRI), revents: 0),
            pollfd(fd: stop.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        guard retryingInterrupts({ poll(&entries, nfds_t(entries.count), -1) }) > 0 else { return false }
        // POLLERR: the group is gone, and its trigger with it.
        return entries[1].revents == 0 && entries[0].revents & Int16(POLLERR) == 0
    }
}
