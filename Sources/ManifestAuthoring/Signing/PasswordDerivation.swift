import Platform

/// How a password becomes what decrypts a key: scrypt, whose parameters come from a number of operations and one of bytes, as libsodium does it.
struct PasswordDerivation {
    let salt: [UInt8]
    let operations: UInt64
    let memoryBytes: UInt64

    /// Twice what minisign's own keys ask for.
    private static let memoryLimitBytes: UInt64 = 2 << 30

    /// Eight times what minisign's own keys ask for.
    static let mostOperations: UInt64 = 1 << 28

    func stream(_ password: [UInt8], lengthBytes: Int) throws(SecretKeyError) -> [UInt8] {
        guard memoryBytes <= Self.memoryLimitBytes, operations <= Self.mostOperations else {
            throw .tooExpensive(bytes: memoryBytes, operations: operations)
        }
        let (cost, parallelism) = parameters
        let stream: [UInt8]?
        do throws(AlgorithmMissing) {
            stream = try Scrypt.key(
                password, salt: salt, cost: cost, parallelism: parallelism,
                memoryLimitBytes: Self.memoryLimitBytes + (64 << 20), keyBytes: lengthBytes)
        } catch {
            throw .missing(error)
        }
        guard let stream else { throw .notAKey("its costs make no sense") }
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
