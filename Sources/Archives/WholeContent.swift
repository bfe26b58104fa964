/// The content of a deflated entry that is small enough to be in memory at once, both as it stands in the archive and as a file.
///
/// Where it isn't just what the directory says, zlib reads it again, and tells why.
final class WholeContent: ByteStream {
    private enum State {
        case untried
        case taken
        /// To be read piece by piece.
        case stream(any ByteStream)
    }

    private let entry: ZipEntry
    private let packed: UnsafeRawBufferPointer
    private let room: UnsafeMutableRawBufferPointer
    private let inflater: WholeInflater
    private var state = State.untried

    /// - Parameters:
    ///   - packed: the entry as it stands in the archive. Must stay as long as this, like `room`.
    ///   - room: has the length that the content should have.
    init(
        of entry: ZipEntry, packed: UnsafeRawBufferPointer, room: UnsafeMutableRawBufferPointer, inflater: WholeInflater
    ) {
        (self.entry, self.packed, self.room, self.inflater) = (entry, packed, room, inflater)
    }

    /// All of the content, good as long as this; nil when it has been taken, or has to be read piece by piece.
    func takeWhole() -> UnsafeRawBufferPointer? {
        guard case .untried = state else { return nil }
        let content = UnsafeRawBufferPointer(room)
        guard inflater.inflates(packed, into: room), CRC32.value(of: content) == entry.crc else {
            state = .stream(entry.content(in: MemoryStream(packed)))
            return nil
        }
        state = .taken
        return content
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        if case .taken = state { return 0 }
        if case .stream(let stream) = state { return try stream.read(into: buffer) }
        let stream = entry.content(in: MemoryStream(packed))
        state = .stream(stream)
        return try stream.read(into: buffer)
    }
}
