import Glibc

extension OwnedDescriptor {
    /// Writes bytes of another file into this one, in pieces of 256 KiB.
    /// - Parameters:
    ///   - offset: where they begin in `source`.
    ///   - position: where they go.
    ///   - hasher: fed with them.
    /// - Throws: `EIO` when there are fewer.
    package func write(
        _ lengthBytes: Int64, of source: OwnedDescriptor, at offset: Int64, to position: Int64, hashing hasher: SHA256
    ) throws(SystemError) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { piece.deallocate() }
        var done: Int64 = 0
        while done < lengthBytes {
            let wanted = Int(min(Int64(piece.count), lengthBytes - done))
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: piece[..<wanted]), at: offset + done)
            guard count > 0 else { throw SystemError(code: EIO, operation: "read", subject: source.name) }
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            hasher.update(bytes)
            try write(bytes, at: position + done)
            done += Int64(count)
        }
    }
}
