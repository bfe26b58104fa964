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
        if value.isEmpty { return }
        var offset: Int64?
        for text in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
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
