import CCrypto

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
        /// - Returns: what is decrypted by now, the last whole block held back, since it may be padding; nil where nothing could be decrypted: then
        ///   bytes would be missing in what follows, so that it is over. More than 2 GiB at once are never decrypted.
        package func update(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
            // Block and bytes together must be what the library can count.
            guard let length = Int32(exactly: bytes.count), length <= .max - Int32(blockBytes) else { return nil }
            return output(atMost: bytes.count + blockBytes) { buffer, count in
                EVP_DecryptUpdate(context, buffer, &count, bytes.bindMemory(to: UInt8.self).baseAddress, length) == 1
            }
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
