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

/// How a password becomes what decrypts a key: scrypt, whose parameters come from a number of operations and one of bytes, as libsodium does it.
struct PasswordDerivation {
    let salt: [UInt8]
    let operations: UInt64
    let memoryBytes: UInt64

    /// Twice what minisign's own keys ask for.
    private static let memoryLimitBytes: UInt64 = 2 << 30

    /// Eight times what minisign's own keys ask for.
    private static let mostOperations: UInt64 = 1 << 28

    func stream(_ password: [UInt8], lengthBytes: Int) throws(SecretKeyError) -> [UInt8] {
        guard memoryBytes <= Self.memoryLimitBytes, operations <= Self.mostOperations else {
            throw .tooExpensive(bytes: memoryBytes)
        }
        let (cost, parallelism) = parameters
        guard
            let stream = Scrypt.key(
                password, salt: salt, cost: cost, parallelism: parallelism,
                memoryLimitBytes: Self.memoryLimitBytes + (64 << 20), keyBytes: lengthBytes)
        else { throw .notAKey("its costs make no sense") }
        return stream
    }

    private var parameters: (cost: Int, parallelism: UInt64) {
        let operations = max(operations, 32768)
        guard operations >= memoryBytes / 32 else { return (cost(most: operations / 32), 1) }
        let cost = cost(most: memoryBytes / 1024)
        return (cost, max(min((operations / 4) >> UInt64(cost), 0x3fff_ffff) / 8, 1))
    }

    /// The exponent of the first power of two, from two on, that is more than half of `most`.
    private func cost(most: UInt64) -> Int {
        (1..<63).first { UInt64(1) << UInt64($0) > most / 2 } ?? 62
    }
}

private func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { number, byte in number << 8 | UInt64(byte) }
}
