import CCrypto

/// Signatures by Ed25519 (RFC 8032 §5.1), by OpenSSL.
package enum Ed25519 {
    /// How long a public key is, and the seed that a secret key is made of.
    package static let keyBytes = 32
    package static let signatureBytes = 64

    /// Whether `signature` is one of exactly `message` by the owner of `publicKey`; no for a key or a signature of another length.
    /// - Throws: where libcrypto can't tell.
    package static func isSignature(
        _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(AlgorithmMissing) -> Bool {
        guard publicKey.count == keyBytes, signature.count == signatureBytes, !isOfSmallOrder(publicKey) else {
            return false
        }
        // Any 32 bytes make a key, so that it is not for the key where there is none.
        guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, keyBytes) else { throw missing }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { throw missing }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { throw missing }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    private static let missing = AlgorithmMissing(name: "Ed25519")

    /// Whether a key is one of the points whose order divides the curve's cofactor 8, in any of their encodings: of these anybody can make
    /// signatures, and no secret key has one.
    package static func isOfSmallOrder(_ publicKey: [UInt8]) -> Bool {
        guard let last = publicKey.last else { return false }
        // The uppermost bit is the sign of x.
        return pointsOfSmallOrder.contains(publicKey.dropLast() + [last & 0x7F])
    }

    /// The y of the points of order 4, 1, 8, 8 and 2; and of the first two once more, in the encodings that aren't canonical (p and p + 1).
    private static let pointsOfSmallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]

    /// - Parameter seed: the secret, of `keyBytes`.
    /// - Throws: where libcrypto can't do it.
    package static func signature(of message: [UInt8], seed: [UInt8]) throws(AlgorithmMissing) -> [UInt8] {
        let key = try key(seed)
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { throw missing }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == signatureBytes
        else { throw missing }
        return signature
    }

    /// The public key that belongs to a secret one.
    /// - Throws: where libcrypto can't do it.
    package static func publicKey(ofSeed seed: [UInt8]) throws(AlgorithmMissing) -> [UInt8] {
        let key = try key(seed)
        defer { EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: keyBytes)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == keyBytes else { throw missing }
        return bytes
    }

    private static func key(_ seed: [UInt8]) throws(AlgorithmMissing) -> OpaquePointer {
        precondition(seed.count == keyBytes, "a seed has 32 bytes")
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, keyBytes) else { throw missing }
        return key
    }
}
