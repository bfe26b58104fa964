/// How much of a disk: so many bytes, or a share of it.
package enum SizeOrPercent: Sendable, Hashable, CustomStringConvertible {
    case bytes(Int)
    /// 0 to 100.
    case percent(Int)

    /// Reads a size, or a whole number from 0 to 100 with `%`.
    package init?(_ text: String) {
        if text.last == "%" {
            guard let percent = parseDigits(text.dropLast()), percent <= 100 else { return nil }
            self = .percent(percent)
        } else {
            guard let bytes = parseSizeBytes(text) else { return nil }
            self = .bytes(bytes)
        }
    }

    package var description: String {
        switch self {
        case .bytes(let bytes): String(bytes)
        case .percent(let percent): "\(percent)%"
        }
    }
}
