/// A place that carries the signature of an end record.
struct ZipEndCandidate {
    private static let maximumCommentBytes = 65_535

    let offset: Int64
    private let disk: UInt16
    private let directoryDisk: UInt16
    private let entriesOnDisk: UInt16
    private let entryCount: UInt16
    private let directoryBytes: UInt32
    private let directoryOffset: UInt32
    private let commentBytes: UInt16
    private let lengthOfSource: Int64

    /// Where the comment ends, by its own account.
    var endOffset: Int64 { offset + Int64(ZipEndRecord.fixedBytes) + Int64(commentBytes) }

    /// Every candidate that a comment of the greatest length could follow, first to last.
    static func all(in source: any ByteSource) throws(ArchiveError) -> [ZipEndCandidate] {
        let size = Int(min(Int64(ZipEndRecord.fixedBytes + maximumCommentBytes), source.lengthBytes))
        let tailOffset = source.lengthBytes - Int64(size)
        let tail = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { tail.deallocate() }
        guard try source.read(at: tailOffset, into: tail) == size else {
            throw ArchiveError(.unreadable, "the file became shorter while it was read")
        }
        let bytes = UnsafeRawBufferPointer(tail)
        var found: [ZipEndCandidate] = []
        var position = size - ZipEndRecord.fixedBytes
        while position >= 0 {
            if bytes[position] == 0x50, bytes.uint32(at: position) == ZipEndRecord.signature {
                let fields = UnsafeRawBufferPointer(rebasing: bytes[position...])
                let candidate = ZipEndCandidate(
                    fields, offset: tailOffset + Int64(position), of: source.lengthBytes)
                found.append(candidate)
            }
            position -= 1
        }
        return found.reversed()
    }

    private init(_ fields: UnsafeRawBufferPointer, offset: Int64, of lengthOfSource: Int64) {
        self.offset = offset
        self.lengthOfSource = lengthOfSource
        disk = fields.uint16(at: 4)
        directoryDisk = fields.uint16(at: 6)
        entriesOnDisk = fields.uint16(at: 8)
        entryCount = fields.uint16(at: 10)
        directoryBytes = fields.uint32(at: 12)
        directoryOffset = fields.uint32(at: 16)
        commentBytes = fields.uint16(at: 20)
    }

    /// Follows the record's pointers, by way of the ZIP64 record where there is one.
    func locate(in window: SourceWindow) throws(ArchiveError) -> ZipEndRecord {
        if let zip64 = try zip64Fields(in: window) {
            return try place(zip64, recordOffset: zip64.recordOffset, in: window)
        }
        guard disk == 0, directoryDisk == 0 else { throw split }
        guard entriesOnDisk == entryCount else { throw contradictory("its two entry counts differ") }
        let fields = Fields(
            entryCount: UInt64(entryCount), directoryBytes: UInt64(directoryBytes),
            directoryOffset: UInt64(directoryOffset), recordOffset: offset)
        return try place(fields, recordOffset: offset, in: window)
    }

    private struct Fields {
        let entryCount: UInt64
        let directoryBytes: UInt64
        let directoryOffset: UInt64
        let recordOffset: Int64
    }

    /// Checks the directory's place: straight before the end record, or where the offset literally says.
    private func place(
        _ fields: Fields, recordOffset: Int64, in window: SourceWindow
    ) throws(ArchiveError) -> ZipEndRecord {
        guard
            let size = Int64(exactly: fields.directoryBytes), let literal = Int64(exactly: fields.directoryOffset),
            let count = Int64(exactly: fields.entryCount), size <= recordOffset, literal <= recordOffset
        else { throw contradictory("its central directory would lie beyond the record") }
        guard count <= size / Int64(ZipEntry.fixedBytes) else {
            throw contradictory("its central directory is too small for \(count) entries")
        }
        let adjacent = recordOffset - size
        guard literal <= adjacent else { throw contradictory("its central directory would overlap the record") }
        let adjacentHolds = try holdsDirectory(at: adjacent, size: size, in: window)
        let literalHolds = try holdsDirectory(at: literal, size: size, in: window)
        guard adjacentHolds || literalHolds else { throw contradictory("no central directory is where it says") }
        let directoryOffset = adjacentHolds ? adjacent : literal
        return ZipEndRecord(
            offset: recordOffset, directoryOffset: directoryOffset, directoryBytes: size, entryCount: count,
            prefixBytes: adjacentHolds ? adjacent - literal : 0, trailingBytes: lengthOfSource - endOffset,
            isPlaceAmbiguous: adjacentHolds && literalHolds && literal != adjacent && size > 0)
    }

    private func holdsDirectory(at offset: Int64, size: Int64, in window: SourceWindow) throws(ArchiveError) -> Bool {
        if size == 0 { return true }
        return try window.bytes(at: offset, count: 4)?.uint32(at: 0) == ZipEndRecord.directorySignature
    }

    private func contradictory(_ how: String) -> ArchiveError {
        ArchiveError(.malformed, "the end record contradicts the file: \(how)", offsetBytes: offset)
    }

    private var split: ArchiveError {
        ArchiveError(.unsupported, "a part of a split (multi-disk) archive", offsetBytes: offset)
    }
}

/// The ZIP64 end record and its locator (APPNOTE 4.3.14, 4.3.15).
extension ZipEndCandidate {
    private static let locatorSignature: UInt32 = 0x0706_4b50
    private static let locatorBytes: Int64 = 20
    private static let zip64Signature: UInt32 = 0x0606_4b50
    private static let zip64Bytes = 56

    private var saturated: Bool {
        entryCount == .max || entriesOnDisk == .max || directoryBytes == .max || directoryOffset == .max
    }

    /// The fields of the ZIP64 record; nil when the archive has none.
    private func zip64Fields(in window: SourceWindow) throws(ArchiveError) -> Fields? {
        let locatorOffset = offset - Self.locatorBytes
        guard
            let locator = try window.bytes(at: locatorOffset, count: Int(Self.locatorBytes)),
            locator.uint32(at: 0) == Self.locatorSignature
        else { return nil }
        let target = locator.uint64(at: 8)
        let disks = locator.uint32(at: 16)
        let recordDisk = locator.uint32(at: 4)
        guard let recordOffset = try zip64Offset(target: target, locatorOffset: locatorOffset, in: window) else {
            // Within the directory that the classic record spans, the signature is a part of some entry.
            if !saturated, Int64(directoryOffset) + Int64(directoryBytes) == offset { return nil }
            if disks > 1 || recordDisk > 0 { throw split }
            throw contradictory("its ZIP64 locator points to no ZIP64 end record")
        }
        guard let record = try window.bytes(at: recordOffset, count: Self.zip64Bytes) else {
            throw contradictory("its ZIP64 end record is cut short")
        }
        guard recordDisk == 0, disks <= 1, record.uint32(at: 16) == 0, record.uint32(at: 20) == 0 else { throw split }
        let count = record.uint64(at: 32)
        let size = record.uint64(at: 40)
        let start = record.uint64(at: 48)
        guard record.uint64(at: 24) == count else { throw contradictory("its two ZIP64 entry counts differ") }
        guard
            entryCount == .max || UInt64(entryCount) == count, entriesOnDisk == .max || UInt64(entriesOnDisk) == count,
            directoryBytes == .max || UInt64(directoryBytes) == size,
            directoryOffset == .max || UInt64(directoryOffset) == start,
            disk == .max || disk == 0, directoryDisk == .max || directoryDisk == 0
        else { throw contradictory("it differs from its ZIP64 end record") }
        return Fields(entryCount: count, directoryBytes: size, directoryOffset: start, recordOffset: recordOffset)
    }

    /// Where the ZIP64 record is: where the locator says, or straight before it when a prefix moved it. It must reach up to the locator.
    private func zip64Offset(
        target: UInt64, locatorOffset: Int64, in window: SourceWindow
    ) throws(ArchiveError) -> Int64? {
        var places: [Int64] = []
        if let literal = Int64(exactly: target) { places.append(literal) }
        places.append(locatorOffset - Int64(Self.zip64Bytes))
        for place in places where place >= 0 && place < locatorOffset {
            guard
                let head = try window.bytes(at: place, count: 12), head.uint32(at: 0) == Self.zip64Signature,
                let rest = Int64(exactly: head.uint64(at: 4)), rest == locatorOffset - place - 12,
                locatorOffset - place >= Int64(Self.zip64Bytes)
            else { continue }
            return place
        }
        return nil
    }
}
