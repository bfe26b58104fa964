extension JSONValue {
    /// How a number is written, for those who want whole ones in plain digits, `0...largestInteger`.
    package enum IntegerForm: Sendable, Equatable {
        case plain(Int)
        /// `1e3`, `1.0`: the value is whole and exact, and written otherwise.
        case otherForm(Int)
        /// `-0`, which some readers keep apart from 0.
        case negativeZero
        /// Whole and above `largestInteger`: readers that take numbers for `Double` would round it.
        case tooLarge
        /// Below zero.
        case negative
        /// With a fraction.
        case fractional
    }

    /// Nil for what is no number. Decided by the digits alone, so nothing is rounded.
    package var integerForm: IntegerForm? {
        guard let text = numberText else { return nil }
        if let integer { return .plain(integer) }
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        let number = (parts.first ?? "").split(separator: ".", maxSplits: 1)
        let fraction = number.count > 1 ? number[1] : ""
        let digits = ((number.first ?? "") + fraction).drop { $0 == "0" }
        guard let lastDigit = digits.lastIndex(where: { $0 != "0" }) else {
            return isNegative ? .negativeZero : .otherForm(0)
        }
        guard !isNegative else { return .negative }
        let significant = digits[...lastDigit]
        // An exponent too long to be a number is far beyond all bounds anyway; a sign tells which.
        let exponent = parts.count > 1 ? Int(parts[1]) ?? (parts[1].hasPrefix("-") ? -(1 << 32) : 1 << 32) : 0
        let (shifted, overflows) = exponent.addingReportingOverflow(digits.count - significant.count - fraction.count)
        guard !overflows else { return exponent < 0 ? .fractional : .tooLarge }
        guard shifted >= 0 else { return .fractional }
        guard significant.count <= 16, shifted <= 16 - significant.count,
            let value = Int(significant + String(repeating: "0", count: shifted)), value <= Self.largestInteger
        else { return .tooLarge }
        return .otherForm(value)
    }

    /// Whether a text is a number as JSON writes them, and nothing else.
    package static func isNumber(_ text: String) -> Bool {
        var parser = JSONParser(Array(text.utf8), limits: JSONLimits())
        parser.parse()
        return parser.errors.isEmpty
            && parser.nodes.first.map { $0.kind == .number && $0.start == 0 && $0.end == text.utf8.count } == true
    }
}
