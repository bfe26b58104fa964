/// A stream that must come to a known length and CRC-32; never yields a byte more.
final class VerifiedStream: ByteStream {
    private let stream: any ByteStream
    private let compressed: BufferedInput?
    private let expectedBytes: Int64
    private let expectedCRC: UInt32
    private var bytes: Int64 = 0
    private var crc = CRC32()

    /// - Parameter compressed: what `stream` decompresses; nothing may be left of it at the end.
    init(_ stream: any ByteStream, sizeBytes: Int64, crc: UInt32, compressed: BufferedInput? = nil) {
        self.stream = stream
        self.compressed = compressed
        expectedBytes = sizeBytes
        expectedCRC = crc
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = try stream.read(into: buffer)
        guard count > 0 else {
            try checkEnd()
            return 0
        }
        guard Int64(count) <= expectedBytes - bytes else {
            throw ArchiveError(.corrupted, "holds more than the \(expectedBytes) bytes the directory says")
        }
        bytes += Int64(count)
        crc.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return count
    }

    private func checkEnd() throws(ArchiveError) {
        guard bytes == expectedBytes else {
            throw ArchiveError(.corrupted, "holds \(bytes) bytes, not the \(expectedBytes) the directory says")
        }
        guard crc.value == expectedCRC else {
            throw ArchiveError(.corrupted, "the CRC-32 of its content doesn't match")
        }
        if let compressed, try compressed.fill(1) {
            throw ArchiveError(.corrupted, "further bytes follow its compressed data")
        }
    }
}
