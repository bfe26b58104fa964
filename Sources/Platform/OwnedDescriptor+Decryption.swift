import Glibc

extension OwnedDescriptor {
    /// Writes what bytes of another file decrypt to.
    /// - Parameters:
    ///   - offset: where they begin in `source`.
    ///   - hasher: fed with what is written.
    /// - Returns: how many bytes that is; nil where they don't decrypt, or not to a padded end.
    /// - Throws: `EIO` when there are fewer.
    package func write(
        _ lengthBytes: Int64, of source: OwnedDescriptor, at offset: Int64, decrypting decryption: AES128CBC.Decryption,
        hashing hasher: SHA256
    ) throws(SystemError) -> Int64? {
        var written: Int64 = 0
        func write(_ clear: [UInt8]) throws(SystemError) {
            try self.write(clear)
            clear.withUnsafeBytes(hasher.update)
            written += Int64(clear.count)
        }
        var isDecrypted = true
        let count = try source.forEachPiece(of: Self.copiedPieceBytes, at: offset, lengthBytes: lengthBytes) {
            piece throws(SystemError) in
            guard let clear = decryption.update(piece) else {
                isDecrypted = false
                return false
            }
            try write(clear)
            return true
        }
        guard isDecrypted else { return nil }
        guard count >= lengthBytes else { throw SystemError(code: EIO, operation: "read", subject: source.name) }
        guard let end = decryption.finish() else { return nil }
        try write(end)
        return written
    }
}
