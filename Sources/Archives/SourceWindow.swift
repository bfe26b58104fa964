/// A source seen through a buffer: small neighbouring reads cost one large one.
final class SourceWindow {
    private let source: any ByteSource
    private let readAheadBytes: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var start: Int64 = 0
    private var count = 0

    /// The largest piece that can be looked at: more than any header of a zip archive.
    static let capacityBytes = 256 << 10

    /// - Parameter readAheadBytes: how much is read at least, where there is that much.
    init(_ source: any ByteSource, readAheadBytes: Int) {
        self.source = source
        self.readAheadBytes = readAheadBytes
        buffer = .allocate(byteCount: Self.capacityBytes, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// The `wanted` bytes at `offset`, readable until the next call; nil when the source doesn't have them all.
    /// - Parameter wanted: at most `capacityBytes`.
    func bytes(at offset: Int64, count wanted: Int) throws(ArchiveError) -> UnsafeRawBufferPointer? {
        guard offset >= 0, offset <= source.lengthBytes - Int64(wanted) else { return nil }
        if offset < start || offset - start > Int64(count - wanted) {
            count = 0
            let size = min(max(wanted, readAheadBytes), Self.capacityBytes)
            count = try source.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]))
            start = offset
            guard count >= wanted else {
                throw ArchiveError(.unreadable, "the file became shorter while it was read", offsetBytes: offset)
            }
        }
        let low = Int(offset - start)
        return UnsafeRawBufferPointer(rebasing: buffer[low..<(low + wanted)])
    }
}
