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
