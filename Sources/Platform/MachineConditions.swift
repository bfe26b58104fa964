import Glibc

/// When a machine has better things to do, or no good way to do them.
package struct MachineConditions: Hashable, Sendable {
    /// Not while it lives on its battery.
    package var needsMains = false
    /// Not while a default route leads over one of these.
    package var unwantedInterfaces: Set<String> = []
    /// Not while more processes than this, for each processor, wanted to run in the last minute; nil: whatever they are.
    package var maximumLoad: Double?
    /// Where the kernel's file systems are.
    package var sysfs = "/sys"
    package var procfs = "/proc"

    package init() {}

    /// What speaks against beginning now, for people; nil when nothing does.
    package var objection: String? {
        if let lastingObjection { return lastingObjection }
        guard let maximumLoad, let load = loadPerProcessor, load > maximumLoad else { return nil }
        return "the load is \(Self.hundredths(load)) for each processor, more than \(Self.hundredths(maximumLoad))"
    }

    /// What speaks against going on: work that has begun makes the load itself.
    package var lastingObjection: String? {
        if needsMains, PowerSupplies(sysfs: sysfs).isOnBattery { return "the machine lives on its battery" }
        guard !unwantedInterfaces.isEmpty else { return nil }
        do throws(SystemError) {
            let unwanted = try DefaultRoutes.current().interfaceNames.intersection(unwantedInterfaces).sorted()
            return unwanted.first.map { "the way out leads over \($0)" }
        } catch {
            // Who can't tell may be on a network that costs.
            return "nobody can tell which interface the way out leads over: \(error)"
        }
    }

    private var loadPerProcessor: Double? {
        guard
            let bytes = try? OwnedDescriptor.open("\(procfs)/loadavg", flags: O_RDONLY).readAll(limitBytes: 4096),
            let load = Double(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
        else { return nil }
        return load / Double(Processors.count)
    }

    private static func hundredths(_ value: Double) -> String {
        let hundredths = Int((min(max(0, value), 1e6) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
