extension ZipEntry {
    /// The content of a supported entry, with its length and CRC-32 checked as it is read.
    /// - Parameter packed: what stands in the archive for it.
    func content(in packed: any ByteStream) -> any ByteStream {
        guard method == ZipMethod.deflate else {
            let content = VerifiedStream(packed, sizeBytes: sizeBytes, crc: crc)
            return sizeBytes >= ReadAhead.worthwhileBytes ? ReadAhead(content) : content
        }
        // A small entry needs no large buffer.
        let capacity = Int(min(max(compressedBytes, 64), 128 << 10))
        let input = BufferedInput(packed, capacityBytes: capacity)
        var content: any ByteStream = InflateStream(input, container: .raw)
        // Inflating takes longest: everything else is left to the thread that takes the bytes.
        if sizeBytes >= ReadAhead.worthwhileBytes { content = ReadAhead(content) }
        return VerifiedStream(content, sizeBytes: sizeBytes, crc: crc, compressed: input)
    }
}
