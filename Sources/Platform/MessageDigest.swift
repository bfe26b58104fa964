import CCrypto

/// A running digest by any of the algorithms, by OpenSSL. For SHA-256 alone there is ``SHA256``.
package final class MessageDigest {
    package let algorithm: DigestAlgorithm
    private let context: OpaquePointer

    /// - Returns: nil where libcrypto offers no such algorithm, as MD5 where only approved ones are allowed.
    package init?(_ algorithm: DigestAlgorithm) {
        guard let context = EVP_MD_CTX_new() else { giveUp("out of memory for a digest") }
        self.algorithm = algorithm
        self.context = context
        guard let type = EVP_get_digestbyname(algorithm.plainName), EVP_DigestInit_ex(context, type, nil) == 1 else {
            return nil
        }
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes so far, which nothing can be added to any more.
    package func finalize() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: algorithm.digestBytes)
        guard EVP_DigestFinal_ex(context, &bytes, nil) == 1 else {
            giveUp("libcrypto could not end a digest")
        }
        return bytes
    }

    /// Reads a file once, from its start, for several digests.
    /// - Parameters:
    ///   - isStopped: asked before each piece of 1 MiB.
    ///   - didRead: told how many more bytes were read.
    /// - Returns: how many bytes there are, and those of the digests that libcrypto offers; nil when reading was stopped.
    package static func digests(
        of file: OwnedDescriptor, by algorithms: Set<DigestAlgorithm>, isStopped: () -> Bool,
        didRead: (Int) -> Void = { _ in }
    ) throws(SystemError) -> (sizeBytes: Int64, digests: [DigestAlgorithm: [UInt8]])? {
        let running = algorithms.compactMap { MessageDigest($0) }
        guard !isStopped() else { return nil }
        let length = try file.forEachPiece(of: 1 << 20) { piece in
            for digest in running { digest.update(piece) }
            didRead(piece.count)
            return !isStopped()
        }
        guard !isStopped() else { return nil }
        return (length, Dictionary(uniqueKeysWithValues: running.map { ($0.algorithm, $0.finalize()) }))
    }
}
