import CCrypto

/// A running SHA-256 (FIPS 180-4), by OpenSSL.
package final class SHA256: @unchecked Sendable {
    // Sendable because it is handed from thread to thread, never shared: whoever feeds it has it alone.
    private let context: OpaquePointer

    /// Looked up once: a fetch for each digest costs more than hashing a small file.
    private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    package init() {
        guard let context = EVP_MD_CTX_new() else { giveUp("out of memory for a digest") }
        self.context = context
        reset()
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Starts anew, as if no byte had been seen.
    package func reset() {
        guard EVP_DigestInit_ex(context, Self.algorithm, nil) == 1 else { giveUp("libcrypto offers no SHA-256") }
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes so far; the running digest must be `reset` before it is fed again.
    package func finalize() -> SHA256Digest {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &bytes, nil) == 1, let digest = SHA256Digest(bytes: bytes) else {
            giveUp("libcrypto could not end a digest")
        }
        return digest
    }

    /// The digest of `bytes`.
    package static func digest(of bytes: some Sequence<UInt8>) -> SHA256Digest {
        let hasher = SHA256()
        Array(bytes).withUnsafeBytes(hasher.update)
        return hasher.finalize()
    }

    /// Feeds `lengthBytes` bytes of a file, in pieces of at most 1 MiB.
    /// - Parameters:
    ///   - offset: where they begin.
    ///   - isStopped: asked before each piece; nothing more is read after a yes.
    /// - Returns: how many bytes there were, fewer than asked when the file is shorter or reading was stopped.
    package func update(
        from file: OwnedDescriptor, at offset: Int64 = 0, lengthBytes: Int64 = .max, isStopped: () -> Bool = { false }
    ) throws(SystemError) -> Int64 {
        guard !isStopped() else { return 0 }
        return try file.forEachPiece(of: 1 << 20, at: offset, lengthBytes: lengthBytes) { piece in
            update(piece)
            return !isStopped()
        }
    }
}
