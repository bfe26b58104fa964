/// Which characters a URL is written in (RFC 3986, section 2).
package enum URLCharacters {
    /// The reserved and unreserved ones, and the percent sign.
    package static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "/")...UInt8(ascii: ";"):
            true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"):
            false
        default: (0x21...0x5F).contains(byte) || byte == UInt8(ascii: "~")
        }
    }

    /// A URL with what can't stand in it percent-encoded; nil where it has a backslash or a control character, which were meant otherwise.
    package static func percentEncoded(_ text: String) -> String? {
        guard !text.utf8.allSatisfy(isAllowed) else { return text }
        var encoded = ""
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x20, scalar.value != 0x7F, scalar != "\\" else { return nil }
            if scalar.isASCII, isAllowed(UInt8(ascii: scalar)) {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += percentEncoded(scalar)
            }
        }
        return encoded
    }

    package static func percentEncoded(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf8.map(\.percentEncoded).joined()
    }
}
