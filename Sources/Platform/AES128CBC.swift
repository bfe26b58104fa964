import CCrypto

/// AES with 128-bit keys in cipher block chaining mode (NIST SP 800-38A §6.2), by OpenSSL.
package enum AES128CBC {
    package static let blockBytes = 16

    /// Decrypts whole blocks; padding stays.
    /// - Returns: nil for a key or a vector that isn't 16 bytes long, and for bytes that are no whole blocks.
    package static func decrypt(_ bytes: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        guard key.count == blockBytes, vector.count == blockBytes, bytes.count.isMultiple(of: blockBytes),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        guard EVP_DecryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else { return nil }
        var clear = [UInt8](repeating: 0, count: bytes.count + blockBytes)
        var count: Int32 = 0
        guard EVP_DecryptUpdate(context, &clear, &count, bytes, Int32(clamping: bytes.count)) == 1,
            Int(count) == bytes.count
        else { return nil }
        return Array(clear.prefix(bytes.count))
    }
}
