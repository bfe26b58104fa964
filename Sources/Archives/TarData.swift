/// The data blocks of one entry.
final class TarData: ByteStream {
    private let input: BufferedInput
    private(set) var remainingBytes: Int64
    private let paddingBytes: Int64

    init(_ input: BufferedInput, bytes: Int64) {
        self.input = input
        remainingBytes = bytes
        let tail = bytes % Int64(TarHeader.blockBytes)
        paddingBytes = tail == 0 ? 0 : Int64(TarHeader.blockBytes) - tail
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let wanted = Int(min(Int64(buffer.count), remainingBytes))
        guard wanted > 0 else { return 0 }
        let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        guard count > 0 else { throw Self.cut }
        remainingBytes -= Int64(count)
        return count
    }

    /// Takes one byte; nil at the end of the data.
    func readByte() throws(ArchiveError) -> UInt8? {
        guard remainingBytes > 0 else { return nil }
        guard let byte = try input.take(1)?[0] else { throw Self.cut }
        remainingBytes -= 1
        return byte
    }

    /// All that is left; for what is known to be short.
    func readAll() throws(ArchiveError) -> [UInt8] {
        var bytes: [UInt8] = []
        while remainingBytes > 0 {
            guard try input.fill(1) else { throw Self.cut }
            let piece = input.available.prefix(Int(min(Int64(input.available.count), remainingBytes)))
            bytes += piece
            input.consume(piece.count)
            remainingBytes -= Int64(piece.count)
        }
        return bytes
    }

    /// Passes over what was not read, and the padding.
    func finish() throws(ArchiveError) {
        guard try input.skip(remainingBytes), try input.skip(paddingBytes) else { throw Self.cut }
        remainingBytes = 0
    }

    private static var cut: ArchiveError { ArchiveError(.corrupted, "the archive is cut short") }
}
