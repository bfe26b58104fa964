extension StringProtocol {
    /// The text with everything escaped that could move a terminal's cursor or reorder what is read: C0 and C1 controls, DEL, line and
    /// paragraph separators, and the bidirectional controls. What a message quotes from a manifest, a server or an archive goes through this.
    package func escapingControlCharacters() -> String {
        guard unicodeScalars.contains(where: \.isUnsafeInMessages) else { return String(self) }
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where scalar.isUnsafeInMessages:
                escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The text in double quotes for a message: control characters escaped, and cut after `maximumScalars`.
    package func quotedForMessage(maximumScalars: Int = 80) -> String {
        let kept = unicodeScalars.prefix(maximumScalars)
        let ellipsis = kept.endIndex < unicodeScalars.endIndex ? "…" : ""
        return "\"" + String(String.UnicodeScalarView(kept)).escapingControlCharacters() + ellipsis + "\""
    }
}

extension Unicode.Scalar {
    /// Whether showing this scalar as it is could garble or disguise a message.
    package var isUnsafeInMessages: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
