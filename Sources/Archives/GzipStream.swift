/// What a gzip file holds (RFC 1952): all its members, one after the other, each with its CRC and length checked.
final class GzipStream: ByteStream {
    private let input: BufferedInput
    private let inflated: InflateStream
    private var crc = CRC32()
    private var memberBytes: UInt32 = 0
    private var ended = false
    /// The file name the first member gives, as bytes; nil when there is none.
    let originalName: [UInt8]?
    /// The modification time the first member gives, in seconds since 1970; nil when there is none.
    let modifiedSeconds: Int64?
    /// What stands behind the last member and is no member; zeros alone are padding and not counted.
    private(set) var trailingBytes: Int64 = 0

    /// Reads the first member's header, so that its fields are known before the content.
    init(_ input: BufferedInput) throws(ArchiveError) {
        self.input = input
        inflated = InflateStream(input, container: .raw)
        let header = try GzipHeader(reading: input)
        originalName = header.name
        modifiedSeconds = header.modifiedSeconds
    }

    /// Compressed bytes taken so far.
    var consumedBytes: Int64 { input.offset }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        while !ended {
            let count = try inflated.read(into: buffer)
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            crc.update(piece)
            memberBytes &+= UInt32(truncatingIfNeeded: count)  // ISIZE is defined modulo 2^32.
            if inflated.finished { try endMember() }
            if count > 0 { return count }
        }
        return 0
    }

    private func endMember() throws(ArchiveError) {
        let place = input.offset
        guard let trailer = try input.take(8) else {
            throw ArchiveError(.corrupted, "the gzip trailer is cut short", offsetBytes: place)
        }
        guard trailer.uint32(at: 0) == crc.value else {
            throw ArchiveError(.corrupted, "the CRC-32 of the gzip member doesn't match", offsetBytes: place)
        }
        guard trailer.uint32(at: 4) == memberBytes else {
            throw ArchiveError(.corrupted, "the length of the gzip member doesn't match", offsetBytes: place)
        }
        guard try nextMemberFollows() else {
            ended = true
            return
        }
        _ = try GzipHeader(reading: input)
        crc = CRC32()
        memberBytes = 0
        inflated.restart()
    }

    /// Whether a further member follows; otherwise what follows is counted to the end.
    private func nextMemberFollows() throws(ArchiveError) -> Bool {
        if try input.fill(2), GzipHeader.magic(in: input.available) { return true }
        var padding: Int64 = 0
        var garbage = false
        while try input.fill(1) {
            let piece = input.available
            garbage = garbage || piece.contains { $0 != 0 }
            padding += Int64(piece.count)
            input.consume(piece.count)
        }
        if garbage { trailingBytes = padding }
        return false
    }
}
