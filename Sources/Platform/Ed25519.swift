import CCrypto

/// Signatures by Ed25519 (RFC 8032 §5.1), by OpenSSL.
package enum Ed25519 {
    /// How long a public key is, and the seed that a secret key is made of.
    package static let keyBytes = 32
    package static let signatureBytes = 64

    /// Whether `signature` is one of exactly `message` by the owner of `publicKey`; no for a key or a signature of another length.
    package static func isSignature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard publicKey.count == keyBytes, signature.count == signatureBytes,
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, keyBytes)
        else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// - Parameter seed: the secret, of `keyBytes`.
    /// - Returns: nil for a seed of another length, or when libcrypto refuses.
    package static func signature(of message: [UInt8], seed: [UInt8]) -> [UInt8]? {
        withKey(seed) { key in
            guard let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: signatureBytes)
            var count = signature.count
            guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == signatureBytes
            else { return nil }
            return signature
        }
    }

    /// The public key that belongs to a secret one.
    /// - Returns: nil for a seed of another length, or when libcrypto refuses.
    package static func publicKey(ofSeed seed: [UInt8]) -> [UInt8]? {
        withKey(seed) { key in
            var bytes = [UInt8](repeating: 0, count: keyBytes)
            var count = bytes.count
            guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == keyBytes else { return nil }
            return bytes
        }
    }

    private static func withKey(_ seed: [UInt8], _ body: (OpaquePointer) -> [UInt8]?) -> [UInt8]? {
        guard seed.count == keyBytes, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, keyBytes)
        else { return nil }
        defer { EVP_PKEY_free(key) }
        return body(key)
    }
}
