import Glibc

extension OwnedDescriptor {
    /// Writes what bytes of another file decrypt to, in pieces of 256 KiB.
    /// - Parameters:
    ///   - offset: where they begin in `source`.
    ///   - hasher: fed with what is written.
    /// - Returns: how many bytes that is; nil where they don't decrypt, or not to a padded end.
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
            guard let clear = decryption.update(UnsafeRawBufferPointer(rebasing: piece[..<count])) else { return nil }
            try write(clear)
            done += Int64(count)
        }
        guard let end = decryption.finish() else { return nil }
        try write(end)
        return written
    }
}
