import Platform

/// What tells one walk from another, however many files there are: their paths, in order.
struct WalkFingerprint {
    private let hasher = SHA256()

    func add(_ path: RelativePath) {
        path.bytes.withUnsafeBytes(hasher.update)
        // No path holds it.
        withUnsafeBytes(of: UInt8(0), hasher.update)
    }

    var value: SHA256Digest { hasher.finalize() }
}
