import BundleManifest
import Platform

/// The fields of a secret key's file, of which the last are encrypted where there is a password: `Ed`, `Sc` or two zeros for how a password
/// becomes a key, `B2` for the checksum, the salt (32 bytes), two costs (8 each), and then the key's id (8), seed and public key (32 each), and
/// a checksum (32).
struct MinisignSecretKeyFile {
    /// Nil where the key isn't encrypted.
    let derivation: PasswordDerivation?
    /// 104 bytes.
    let secret: [UInt8]

    private static let lengthBytes = 158

    init(_ text: String) throws(SecretKeyError) {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count == 2, lines[0].hasPrefix(MinisignSignature.untrustedPrefix) else {
            throw .notAKey("it isn't a comment and a line of base 64")
        }
        guard let bytes = Base64.bytes(of: lines[1]), bytes.count == Self.lengthBytes, bytes.starts(with: "Ed".utf8),
            bytes[4..<6].elementsEqual("B2".utf8)
        else { throw .notAKey("its second line isn't what minisign writes") }
        secret = Array(bytes.suffix(104))
        if bytes[2..<4].elementsEqual([0, 0]) {
            derivation = nil
        } else if bytes[2..<4].elementsEqual("Sc".utf8) {
            derivation = PasswordDerivation(
                salt: Array(bytes[6..<38]), operations: littleEndian(bytes[38..<46]),
                memoryBytes: littleEndian(bytes[46..<54]))
        } else {
            throw .notAKey("how its password becomes a key isn't known")
        }
    }
}

private func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { number, byte in number << 8 | UInt64(byte) }
}
