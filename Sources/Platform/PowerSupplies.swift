import Glibc

/// What feeds a machine, as the kernel's `power_supply` class tells (sysfs-class-power).
struct PowerSupplies: Sendable {
    private let path: String

    /// - Parameter sysfs: where that file system is.
    init(sysfs: String = "/sys") { path = sysfs + "/class/power_supply" }

    /// Whether the machine lives on its battery: one is being discharged, and nothing else feeds it. One without batteries never does.
    var isOnBattery: Bool {
        guard let folder = try? Directory.open(path), let names = try? folder.names() else { return false }
        var isDischarging = false
        for supply in names.map({ "\(path)/\($0)" }) {
            // A mouse has a battery, too.
            if Self.text("\(supply)/scope") == "Device" { continue }
            if Self.text("\(supply)/type") == "Battery" {
                if Self.text("\(supply)/status") == "Discharging" { isDischarging = true }
            } else if let online = Self.text("\(supply)/online"), online != "0" {
                return false
            }
        }
        return isDischarging
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK).readAll(limitBytes: 4096) else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
