import CCrypto

/// BLAKE2b with digests of 64 bytes and without a key (RFC 7693), by OpenSSL.
package enum BLAKE2b {
    package static let digestBytes = 64

    /// - Throws: where libcrypto doesn't offer it.
    package static func digest(of bytes: [UInt8]) throws(AlgorithmMissing) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestBytes)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_blake2b512(), nil) == 1 else {
            throw AlgorithmMissing(name: "BLAKE2b")
        }
        return digest
    }
}
