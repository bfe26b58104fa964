import Platform

/// A time as pax writes it: decimal seconds, perhaps negative, perhaps with a fraction.
enum PaxTime {
    static func timestamp(_ text: ArraySlice<UInt8>) -> Timestamp? {
        let isNegative = text.first == UInt8(ascii: "-")
        let parts = text.dropFirst(isNegative ? 1 : 0)
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, let seconds = TarNumber.decimal(whole) else { return nil }
        let digits = parts.count > 1 ? Array(parts[1].prefix(9)) : []
        let padded = digits + Array(repeating: UInt8(ascii: "0"), count: 9 - digits.count)
        guard let fraction = TarNumber.decimal(padded) else { return nil }
        guard isNegative else {
            return Timestamp(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: fraction))
        }
        // Nanoseconds count forwards, before 1970 too.
        return fraction == 0
            ? Timestamp(seconds: -seconds)
            : Timestamp(seconds: -seconds - 1, nanoseconds: Int32(truncatingIfNeeded: 1_000_000_000 - fraction))
    }
}
