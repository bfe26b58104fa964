import Glibc

/// Files that are read piece by piece, and written somewhere else.
extension OwnedDescriptor {
    /// Hands the bytes of the file to `body`, piece by piece, until it has had as many as are asked for, the file ends, or it wants no more.
    /// - Parameters:
    ///   - pieceBytes: how long each is at most.
    ///   - offset: where the bytes begin.
    ///   - body: says whether it wants more.
    /// - Returns: how many bytes it was handed.
    package func forEachPiece(
        of pieceBytes: Int, at offset: Int64 = 0, lengthBytes: Int64 = .max,
        _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Bool
    ) throws(SystemError) -> Int64 {
        let length = Int(min(Int64(pieceBytes), max(1, lengthBytes)))
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 4096)
        defer { piece.deallocate() }
        var done: Int64 = 0
        while done < lengthBytes {
            let wanted = Int(min(Int64(piece.count), lengthBytes - done))
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: piece[..<wanted]), at: offset + done)
            if count == 0 { break }
            done += Int64(count)
            guard try body(UnsafeRawBufferPointer(rebasing: piece[..<count])) else { break }
        }
        return done
    }

    /// What a copy takes at a time.
    static let copiedPieceBytes = 256 << 10

    /// Writes the whole file to `target`, from its start. The target stays its owner's.
    package func copyAll(to target: Int32) throws(SystemError) {
        _ = try forEachPiece(of: Self.copiedPieceBytes) { piece throws(SystemError) in
            var rest = piece
            while !rest.isEmpty {
                let written = retryingInterrupts { Glibc.write(target, rest.baseAddress, rest.count) }
                guard written >= 0 else { throw .last("write", "the output") }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
            return true
        }
    }

    /// Writes bytes of another file into this one.
    /// - Parameters:
    ///   - offset: where they begin in `source`.
    ///   - position: where they go.
    ///   - hasher: fed with them.
    /// - Throws: `EIO` when there are fewer.
    package func write(
        _ lengthBytes: Int64, of source: OwnedDescriptor, at offset: Int64, to position: Int64, hashing hasher: SHA256
    ) throws(SystemError) {
        var next = position
        let count = try source.forEachPiece(of: Self.copiedPieceBytes, at: offset, lengthBytes: lengthBytes) {
            piece throws(SystemError) in
            hasher.update(piece)
            try write(piece, at: next)
            next += Int64(piece.count)
            return true
        }
        guard count >= lengthBytes else { throw SystemError(code: EIO, operation: "read", subject: source.name) }
    }
}
