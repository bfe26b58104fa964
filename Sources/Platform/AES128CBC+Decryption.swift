import CCrypto
import Glibc

extension AES128CBC {
    /// Decrypts piece by piece, and takes the padding (PKCS #7, RFC 5652 §6.3) off the end. Used by one thread at a time.
    package final class Decryption {
        private let context: OpaquePointer

        /// Nil for a key or a vector that isn't 16 bytes long.
        package init?(key: [UInt8], vector: [UInt8]) {
            guard key.count == blockBytes, vector.count == blockBytes, let context = EVP_CIPHER_CTX_new() else {
                return nil
            }
            guard EVP_DecryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1 else {
                EVP_CIPHER_CTX_free(context)
                return nil
            }
            self.context = context
        }

        deinit { EVP_CIPHER_CTX_free(context) }

        /// Takes the next bytes.
        /// - Returns: what is decrypted by now; the last whole block is held back, since it may be padding.
        package func update(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
            output(atMost: bytes.count + blockBytes) { buffer, count in
                EVP_DecryptUpdate(
                    context, buffer, &count, bytes.bindMemory(to: UInt8.self).baseAddress, Int32(clamping: bytes.count))
                    == 1
            } ?? []
        }

        /// The rest.
        /// - Returns: nil where the end is no whole block, or no padding: bytes are missing, or the key or the vector is another's.
        package func finish() -> [UInt8]? {
            output(atMost: blockBytes) { buffer, count in EVP_DecryptFinal_ex(context, buffer, &count) == 1 }
        }

        private func output(
            atMost capacity: Int, _ write: (UnsafeMutablePointer<UInt8>?, inout Int32) -> Bool
        ) -> [UInt8]? {
            var isWritten = false
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                var written: Int32 = 0
                isWritten = write(buffer.baseAddress, &written)
                count = isWritten ? Int(written) : 0
            }
            return isWritten ? bytes : nil
        }
    }
}

extension OwnedDescriptor {
    /// Writes what bytes of another file decrypt to, in pieces of 256 KiB.
    /// - Parameters:
    ///   - offset: where they begin in `source`.
    ///   - hasher: fed with what is written.
    /// - Returns: how many bytes that is; nil where they don't decrypt to a padded end.
    /// - Throws: `EIO` when there are fewer.
    package func write(
        _ lengthBytes: Int64, of source: OwnedDescriptor, at offset: Int64, decrypting decryption: AES128CBC.Decryption,
        hashing hasher: SHA256
    ) throws(SystemError) -> Int64? {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { piece.deallocate() }
        var (done, written): (Int64, Int64) = (0, 0)
        func write(_ clear: [UInt8]) throws(SystemError) {
            try self.write(clear)
            clear.withUnsafeBytes(hasher.update)
            written += Int64(clear.count)
        }
        while done < lengthBytes {
            let wanted = Int(min(Int64(piece.count), lengthBytes - done))
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: piece[..<wanted]), at: offset + done)
            guard count > 0 else { throw SystemError(code: EIO, operation: "read", subject: source.name) }
            try write(decryption.update(UnsafeRawBufferPointer(rebasing: piece[..<count])))
            done += Int64(count)
        }
        guard let end = decryption.finish() else { return nil }
        try write(end)
        return written
    }
}
