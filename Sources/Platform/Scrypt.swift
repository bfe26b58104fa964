import CCrypto

/// Keys made of passwords by scrypt (RFC 7914), by OpenSSL.
package enum Scrypt {
    /// - Parameters:
    ///   - cost: the power of two that is N: how much time and, times 1 KiB, memory it takes; r is 8.
    ///   - parallelism: p.
    ///   - memoryLimitBytes: more than this is refused.
    /// - Returns: nil when libcrypto refuses: parameters out of range, or too much memory.
    /// - Throws: where it refuses whatever the parameters are.
    package static func key(
        _ password: [UInt8], salt: [UInt8], cost: Int, parallelism: UInt64,
        memoryLimitBytes: UInt64, keyBytes: Int
    ) throws(AlgorithmMissing) -> [UInt8]? {
        guard (1..<63).contains(cost) else { return nil }
        // The least that it takes: OpenSSL doesn't say why it refuses.
        guard EVP_PBE_scrypt("", 0, salt, salt.count, 2, 8, 1, memoryLimitBytes, nil, 0) == 1 else {
            throw AlgorithmMissing(name: "scrypt")
        }
        var key = [UInt8](repeating: 0, count: keyBytes)
        let isMade = password.withUnsafeBytes { password in
            EVP_PBE_scrypt(
                password.bindMemory(to: CChar.self).baseAddress, password.count, salt, salt.count,
                UInt64(1) << UInt64(cost), 8, parallelism, memoryLimitBytes, &key, keyBytes)
        }
        return isMade == 1 ? key : nil
    }
}
