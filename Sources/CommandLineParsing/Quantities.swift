// The forms in which sizes and durations are written, on the command line and as strings in JSON.

/// Reads a size in bytes: a plain number, or one with `K`, `M` or `G` for powers of 1024.
/// - Returns: nil for anything else, and for more bytes than an `Int` holds.
package func parseSizeBytes(_ text: String) -> Int? {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    guard let last = text.last, let unit = units[last] else { return parseDigits(text[...]) }
    return parseDigits(text.dropLast()).flatMap { product($0, unit) }
}

/// Reads a duration: a whole number with `s`, `m`, `h` or `d`.
/// - Returns: nil for anything else, and for more seconds than an `Int` holds.
package func parseDuration(_ text: String) -> Duration? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let number = parseDigits(text.dropLast()) else { return nil }
    return product(number, unit).map { .seconds($0) }
}

/// Reads a whole number: nothing but ASCII digits, at least one. No sign.
/// - Returns: nil for anything else, and for more than an `Int` holds.
package func parseDigits(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return Int(text)
}

private func product(_ number: Int, _ unit: Int) -> Int? {
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow ? nil : product
}
