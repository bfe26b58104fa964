/// So many bytes as people read them: `999 B`, `1.5 kB`, `73.2 MB`, in decimal units, as disks and links are sold.
package func shownBytes(_ count: Int64) -> String {
    let units = ["kB", "MB", "GB", "TB", "PB"]
    guard count >= 1000 else { return "\(count) B" }
    var value = Double(count) / 1000
    var unit = 0
    while value >= 999.95, unit < units.count - 1 {
        value /= 1000
        unit += 1
    }
    return "\(shownTenths(value)) \(units[unit])"
}

/// A quantity with one digit behind the point, whatever the language of the machine.
/// - Precondition: less than 2^59.
package func shownTenths(_ value: Double) -> String {
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
