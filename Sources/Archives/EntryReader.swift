import Platform

/// Opens the contents of a zip archive's entries, one after the other. Each worker has its own.
final class EntryReader {
    private let archive: ZipArchive
    /// Of what was read of the archive for an entry; nil where nobody wants to know.
    private let packedHasher: SHA256?
    private let inflater = WholeInflater()
    /// What an entry may have, packed and unpacked together, to be in memory at once.
    private let wholeBytes: Int64
    /// For that, once there is such an entry. Pages that are never touched take no memory.
    private var room: UnsafeMutableRawBufferPointer?

    /// All workers together.
    private static let wholeBytesInAll: Int64 = 16 << 20

    /// - Parameters:
    ///   - workers: how many share the memory.
    ///   - hashesPacked: whether `packedDigest` will be asked for.
    init(_ archive: ZipArchive, workers: Int, hashesPacked: Bool) {
        self.archive = archive
        packedHasher = hashesPacked ? SHA256() : nil
        wholeBytes = Self.wholeBytesInAll / Int64(max(1, workers))
    }

    deinit { room?.deallocate() }

    /// The content of a supported entry, with its length and CRC-32 checked. Good until the next one is asked for.
    func content(of entry: ZipEntry) throws(ArchiveError) -> any ByteStream {
        packedHasher?.reset()
        let packed = archive.packedContent(of: entry)
        guard let inflater, isWhole(entry) else {
            return entry.content(in: packedHasher.map { HashedStream(packed, hasher: $0) } ?? packed)
        }
        let room = openRoom()
        // Both lengths are within it.
        let (packedBytes, bytes) = (Int(entry.compressedBytes), Int(entry.sizeBytes))
        let start = UnsafeMutableRawBufferPointer(rebasing: room[..<packedBytes])
        var done = 0
        while done < packedBytes {
            done += try packed.read(into: UnsafeMutableRawBufferPointer(rebasing: start[done...]))
        }
        packedHasher?.update(UnsafeRawBufferPointer(start))
        return WholeContent(
            of: entry, packed: UnsafeRawBufferPointer(start),
            room: UnsafeMutableRawBufferPointer(rebasing: room[packedBytes..<(packedBytes + bytes)]), inflater: inflater
        )
    }

    /// Of larger ones a thread of its own decompresses the next piece while one is hashed and written.
    private func isWhole(_ entry: ZipEntry) -> Bool {
        entry.method == ZipMethod.deflate && entry.compressedBytes > 0 && entry.sizeBytes > 0
            && entry.sizeBytes < ReadAhead.worthwhileBytes && entry.compressedBytes <= wholeBytes - entry.sizeBytes
    }

    /// What the content that was opened last follows from.
    /// - Parameter entry: that one, all of which has been read.
    func proof(of entry: ZipEntry) -> EntryProof? {
        packedHasher.map { EntryProof(outline: EntryOutline(entry), packedDigest: $0.finalize()) }
    }

    /// The same of an entry that isn't opened.
    /// - Parameter observer: asked before each piece whether that is to stop.
    func proof(reading entry: ZipEntry, _ observer: UnpackObserver) throws(ArchiveError) -> EntryProof? {
        guard let packedHasher else { return nil }
        packedHasher.reset()
        let stream = HashedStream(archive.packedContent(of: entry), hasher: packedHasher)
        // Of a size that stays in the processor's cache.
        let piece = UnsafeMutableRawBufferPointer(rebasing: openRoom()[..<(256 << 10)])
        repeat { try observer.checkStop() } while try stream.read(into: piece) > 0
        return proof(of: entry)
    }

    private func openRoom() -> UnsafeMutableRawBufferPointer {
        if let room { return room }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(wholeBytes), alignment: 4096)
        self.room = room
        return room
    }
}
