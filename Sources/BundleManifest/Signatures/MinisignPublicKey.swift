import Platform

/// A public key in minisign's form: base 64 of `Ed`, the key's id, and an Ed25519 key.
package struct MinisignPublicKey: Hashable, Sendable, CustomStringConvertible {
    package let id: MinisignKeyID
    /// 32 bytes (RFC 8032 §5.1.5).
    package let point: [UInt8]

    /// Reads a key's 56 characters, or a file that has them in its second line, beneath a comment.
    package init(_ text: String) throws(SignatureError) {
        let lines = text.minisignLines
        guard let line = lines.count == 1 ? lines.first : lines.dropFirst().first, let bytes = Base64.bytes(of: line),
            bytes.count == 2 + MinisignKeyID.lengthBytes + Ed25519.keyBytes,
            bytes.starts(with: MinisignSignature.Algorithm.wholeFile.rawValue.utf8)
        else { throw .notAKey }
        id = MinisignKeyID(bytes.dropFirst(2).prefix(MinisignKeyID.lengthBytes))
        point = Array(bytes.suffix(Ed25519.keyBytes))
        guard !Ed25519.isOfSmallOrder(point) else { throw .worthlessKey }
    }

    /// The key's 56 characters.
    package var description: String {
        Base64.text(of: Array(MinisignSignature.Algorithm.wholeFile.rawValue.utf8) + id.bytes + point)
    }
}

extension String {
    /// The lines, whatever ends them; an empty one at the end is none.
    var minisignLines: [Substring] {
        var lines = split(separator: "\n", omittingEmptySubsequences: false)
        // A carriage return and a line feed are one character to Swift.
        lines = lines.flatMap { $0.split(separator: "\r\n", omittingEmptySubsequences: false) }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
