/// Text from outside made safe for a terminal or a log: control characters, and bytes that are not UTF-8, become `\xNN`.
package func escapedText(_ bytes: some Sequence<UInt8>) -> String {
    let array = Array(bytes)
    guard let text = String(validating: array, as: UTF8.self) else {
        return array.map { (0x20..<0x7f).contains($0) ? String(UnicodeScalar($0)) : hexEscape(UInt32($0)) }.joined()
    }
    return escapedText(text)
}

/// Text from outside made safe for a terminal or a log: control and bidirectional-override characters become `\xNN` or `\u{NNNN}`.
package func escapedText(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafeToPrint) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if isUnsafeToPrint(scalar) {
            result += hexEscape(scalar.value)
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

private func isUnsafeToPrint(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
}

private func hexEscape(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    guard value > 0xff else { return "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits }
    return "\\u{\(digits)}"
}
