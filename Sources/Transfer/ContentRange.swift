/// The `Content-Range` of a 206 or 416 reply in bytes (RFC 9110 §14.4).
public struct ContentRange: Hashable, Sendable {
    /// The first and last position that the body carries; nil in a 416's `bytes */N`.
    public let positions: ClosedRange<Int64>?
    /// The length of the whole representation; nil when the server doesn't know it.
    public let totalBytes: Int64?

    /// Reads `bytes FIRST-LAST/TOTAL`, `bytes FIRST-LAST/*` or `bytes */TOTAL`; nil for anything malformed or contradictory.
    public init?(_ value: String) {
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var total: Int64?
        if parts[1] != "*" {
            guard let number = decimalBytes(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            positions = nil
        } else {
            let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let first = decimalBytes(ends[0]), let last = decimalBytes(ends[1]), first <= last
            else { return nil }
            if let total, last >= total { return nil }
            positions = first...last
        }
        totalBytes = total
    }
}

/// Reads a count of bytes in plain decimal digits, nothing around them; nil when it is none or over 2^63−1.
package func decimalBytes(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return nil
    }
    return Int64(text)
}
