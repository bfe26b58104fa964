/// What a single-range `Range` field asks for (RFC 9110 §14.1.2).
enum ByteRange: Equatable {
    case from(UInt64)
    case between(UInt64, UInt64)
    case last(UInt64)

    /// - Returns: `nil` for several ranges, other units and anything malformed: such a field is ignored.
    init?(_ field: String) {
        guard field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (UInt64(ends[0]), UInt64(ends[1])) {
        case (let first?, let last?) where first <= last: self = .between(first, last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first)
        case (nil, let count?) where ends[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// The part of a representation that is meant.
    ///
    /// - Returns: `nil` if there is no such part, which is a 416's case.
    func resolved(lengthBytes: UInt64) -> Range<UInt64>? {
        switch self {
        case .from(let first) where first < lengthBytes: first..<lengthBytes
        case .between(let first, let last) where first < lengthBytes: first..<min(last, lengthBytes - 1) + 1
        case .last(let count) where count > 0 && lengthBytes > 0: lengthBytes - min(count, lengthBytes)..<lengthBytes
        default: nil
        }
    }
}
