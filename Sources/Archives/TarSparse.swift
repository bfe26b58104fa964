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

/// What pax records say of a sparse file, in GNU's versions 0.0, 0.1 and 1.0.
struct PaxSparse {
    var major: Int64?
    var minor: Int64?
    var name: [UInt8]?
    var realBytes: Int64?
    /// The map of versions 0.0 and 0.1; nil when the records hold none.
    private(set) var extents: [TarExtent]?
    private var pendingOffset: Int64?

    /// The map stands before the data (version 1.0).
    var mapIsInData: Bool { major == 1 }

    mutating func addOffset(_ offset: Int64) { pendingOffset = offset }

    mutating func addLength(_ length: Int64) throws(ArchiveError) {
        guard let offset = pendingOffset else { throw TarExtent.malformedMap("has a length without an offset") }
        pendingOffset = nil
        try append(offset: offset, length: length)
    }

    /// Version 0.1: all numbers in one record.
    mutating func setMap(_ value: ArraySlice<UInt8>) throws(ArchiveError) {
        extents = []
        var offset: Int64?
        for text in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) where !value.isEmpty {
            guard let number = TarNumber.decimal(text) else {
                throw TarExtent.malformedMap("holds something that is no number")
            }
            if let start = offset {
                try append(offset: start, length: number)
                offset = nil
            } else {
                offset = number
            }
        }
        guard offset == nil else { throw TarExtent.malformedMap("has an offset without a length") }
    }

    private mutating func append(offset: Int64, length: Int64) throws(ArchiveError) {
        guard extents?.count ?? 0 < TarExtent.maximumCount else { throw TarExtent.malformedMap("is too long") }
        extents = extents ?? []
        extents?.append(TarExtent(offset: offset, lengthBytes: length))
    }
}

/// A sparse file as it will be: its extents in order, zeros between them.
final class SparseStream: ByteStream {
    private let data: any ByteStream
    private let extents: [TarExtent]
    private let realBytes: Int64
    private var position: Int64 = 0
    private var index = 0
    /// What was read last stands in no extent: zeros that need no room on a disk.
    private(set) var lastPieceIsHole = false

    /// Checks the map: ascending, nothing shared, within the file, and as long as the data.
    /// - Parameter dataBytes: what `data` holds.
    init(
        _ data: any ByteStream, dataBytes: Int64, extents: [TarExtent], realBytes: Int64
    ) throws(ArchiveError) {
        var end: Int64 = 0
        var total: Int64 = 0
        for extent in extents {
            let (next, overflow) = extent.offset.addingReportingOverflow(extent.lengthBytes)
            guard extent.offset >= end, extent.lengthBytes >= 0, !overflow, next <= realBytes else {
                throw TarExtent.malformedMap("is out of order or leaves the file")
            }
            end = next
            // No more than `next`, as extents share nothing.
            total += extent.lengthBytes
        }
        guard total == dataBytes else { throw TarExtent.malformedMap("doesn't cover its data") }
        self.data = data
        self.extents = extents
        self.realBytes = realBytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        while index < extents.count, position == extents[index].end { index += 1 }
        let extent = index < extents.count ? extents[index] : TarExtent(offset: realBytes, lengthBytes: 0)
        lastPieceIsHole = position < extent.offset
        let end = lastPieceIsHole ? extent.offset : extent.end
        let wanted = Int(min(Int64(buffer.count), end - position))
        guard wanted > 0 else { return 0 }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        var count = wanted
        if lastPieceIsHole {
            room.initializeMemory(as: UInt8.self, repeating: 0)
        } else {
            count = try data.read(into: room)
        }
        position += Int64(count)
        return count
    }
}
