/// Text from outside made safe for a terminal or a log, as UTF-8; bytes that are none become `\xNN`.
package func escapedText(_ bytes: some Sequence<UInt8>) -> String {
    let array = Array(bytes)
    if array.allSatisfy({ (0x20..<0x7f).contains($0) }) { return String(decoding: array, as: UTF8.self) }
    if let text = String(validating: array, as: UTF8.self) { return escapedText(text) }
    return array.map { byte in
        (0x20..<0x7f).contains(byte)
            ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
}

/// Text from outside made safe for a terminal or a log: everything is escaped that could move a cursor or reorder what is read. Whatever a
/// message quotes from a manifest, a server or an archive goes through this.
package func escapedText(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnsafeInMessages) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": escaped += "\\n"
        case "\r": escaped += "\\r"
        case "\t": escaped += "\\t"
        case _ where scalar.isUnsafeInMessages: escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

extension Unicode.Scalar {
    /// Whether showing this scalar as it is could garble or disguise a message: C0 and C1 controls, DEL, line and paragraph separators, and
    /// the bidirectional controls.
    package var isUnsafeInMessages: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
