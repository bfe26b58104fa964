/// A piece of a sparse file that is not a hole.
struct TarExtent: Hashable {
    let offset: Int64
    let lengthBytes: Int64

    /// Where it ends; a checked map keeps it from overflowing.
    var end: Int64 { offset + lengthBytes }

    /// As many as are kept at once; a map of more is refused.
    static let maximumCount = 1 << 20

    /// Reads a table of old GNU extents, 24 bytes each, up to the first empty one.
    static func table(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> [TarExtent] {
        var extents: [TarExtent] = []
        for start in stride(from: 0, to: bytes.count - 23, by: 24) {
            if bytes[start] == 0 { break }
            guard
                let offset = TarNumber.read(bytes[start..<(start + 12)]),
                let length = TarNumber.read(bytes[(start + 12)..<(start + 24)])
            else { throw malformedMap("holds something that is no number") }
            extents.append(TarExtent(offset: offset, lengthBytes: length))
        }
        return extents
    }

    static func malformedMap(_ how: String) -> ArchiveError {
        ArchiveError(.malformed, "the map of the sparse file \(how)")
    }
}

/// The map that stands before the data of a sparse file, version 1.0: decimal numbers, a line each, padded to whole blocks.
extension TarExtent {
    static func readMap(from data: TarData) throws(ArchiveError) -> [TarExtent] {
        let start = data.remainingBytes
        let count = try number(from: data)
        guard count <= maximumCount else { throw malformedMap("is too long") }
        var extents: [TarExtent] = []
        for _ in 0..<count {
            extents.append(TarExtent(offset: try number(from: data), lengthBytes: try number(from: data)))
        }
        let block = Int64(TarHeader.blockBytes)
        while (start - data.remainingBytes) % block != 0 {
            guard try data.readByte() != nil else { throw malformedMap("is cut short") }
        }
        return extents
    }

    private static func number(from data: TarData) throws(ArchiveError) -> Int64 {
        var digits: [UInt8] = []
        while digits.count < 20, let byte = try data.readByte() {
            if byte == UInt8(ascii: "\n"), let number = TarNumber.decimal(digits) { return number }
            digits.append(byte)
        }
        throw malformedMap("holds something that is no number")
    }
}
