import CCrypto

/// Base 64 with padding (RFC 4648 §4), by OpenSSL.
package enum Base64 {
    package static func text(of bytes: [UInt8]) -> String {
        // Four characters for each three bytes begun, and the zero that libcrypto puts behind them.
        var text = [UInt8](repeating: 0, count: (bytes.count / 3 + 1) * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// Reads what `text(of:)` writes, and nothing else: no white space, no missing padding, no bits behind the last byte.
    /// - Returns: nil for any other text, and for one longer than 64 KiB.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4), characters.count <= 1 << 16 else { return nil }
        var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3)
        guard EVP_DecodeBlock(&bytes, characters, Int32(clamping: characters.count)) == bytes.count else { return nil }
        // Padding was decoded as if it were zero bits.
        bytes.removeLast(characters.reversed().prefix { $0 == UInt8(ascii: "=") }.prefix(2).count)
        return Self.text(of: bytes).utf8.elementsEqual(characters) ? bytes : nil
    }
}
