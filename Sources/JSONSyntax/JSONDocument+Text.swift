extension JSONDocument {
    /// What is between the quotes of a string, escapes decoded.
    func content(of string: JSONNode) -> ArraySlice<UInt8> {
        let content = source.bytes[Int(string.start) + 1..<Int(string.end) - 1]
        return string.hasEscapes ? unescaped(content) : content
    }
}

/// Resolves the escapes of a string's content, which the parser has checked.
private func unescaped(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text: ArraySlice<UInt8> = []
    text.reserveCapacity(content.count)
    var rest = content
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
            text.append(byte)
            continue
        }
        switch escape {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: popUnicodeEscape(&rest).utf8)
        default: text.append(escape)
        }
    }
    return text
}

/// Takes what follows `\u`, and the second escape of a surrogate pair.
private func popUnicodeEscape(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
    var units = [popHexUnit(&rest)]
    if UTF16.isLeadSurrogate(units[0]) {
        rest = rest.dropFirst(2)
        units.append(popHexUnit(&rest))
    }
    return String(decoding: units, as: UTF16.self).unicodeScalars.first ?? "\u{FFFD}"
}

private func popHexUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
}
