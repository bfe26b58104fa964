import Platform

/// The central directory of a zip archive: the authority on what the archive holds (APPNOTE 4.3.12).
struct ZipDirectory {
    /// The decoded names of all entries, end to end.
    private(set) var names: [UInt8] = []
    private(set) var entries: [ZipEntry] = []
    let end: ZipEndRecord

    /// Reads the directory that `end` describes.
    /// - Parameter limitEntries: more entries are refused before they are read.
    init(_ source: any ByteSource, end: ZipEndRecord, limitEntries: Int) throws(ArchiveError) {
        self.end = end
        guard end.entryCount <= Int64(limitEntries) else {
            throw ArchiveError(.limitExceeded, "\(end.entryCount) entries are more than the limit of \(limitEntries)")
        }
        // The count was checked against the directory's length, and that against the file's.
        entries.reserveCapacity(Int(end.entryCount))
        let namesBytes = end.directoryBytes - end.entryCount * Int64(ZipEntry.fixedBytes)
        names.reserveCapacity(Int(min(namesBytes, Int64(PathTree.maximumNamesBytes))))
        let window = SourceWindow(source, readAheadBytes: SourceWindow.capacityBytes)
        // Headers are looked at where they lie in the window.
        defer { withExtendedLifetime(window) {} }
        var offset = end.directoryOffset
        let limit = end.directoryOffset + end.directoryBytes
        while offset < limit {
            let header = try ZipDirectoryHeader(in: window, at: offset, limit: limit)
            guard entries.count < end.entryCount else { throw Self.countDiffers(offset) }
            try append(header)
            offset += Int64(header.lengthBytes)
        }
        guard entries.count == end.entryCount else { throw Self.countDiffers(offset) }
    }

    /// The decoded name of `entry`.
    func name(of entry: ZipEntry) -> ArraySlice<UInt8> {
        names[Int(entry.nameOffset)..<(Int(entry.nameOffset) + Int(entry.nameBytes))]
    }

    /// Entries in the order in which they lie in the archive.
    func indicesByOffset() -> [UInt32] {
        var order = entries.indices.map { UInt32(truncatingIfNeeded: $0) }
        order.sort { entries[Int($0)].headerOffset < entries[Int($1)].headerOffset }
        return order
    }

    private static func countDiffers(_ offset: Int64) -> ArchiveError {
        ArchiveError(
            .malformed, "the central directory doesn't hold as many entries as the end record counts",
            offsetBytes: offset)
    }

    private mutating func append(_ header: ZipDirectoryHeader) throws(ArchiveError) {
        let name = try header.decodedName()
        // Those of code page 437 grow.
        guard let nameBytes = UInt16(exactly: name.count) else {
            throw header.error(.limitExceeded, "the name is longer than \(UInt16.max) bytes")
        }
        guard name.count <= PathTree.maximumNamesBytes - names.count, let nameOffset = UInt32(exactly: names.count)
        else {
            throw header.error(
                .limitExceeded, "the names are longer than \(PathTree.maximumNamesBytes) bytes in all")
        }
        let entry = try header.entry(nameOffset: nameOffset, nameBytes: nameBytes, end: end)
        names += name
        entries.append(entry)
    }

    /// Records what the local headers say, which `ZipLayout` has read.
    mutating func setHeaderBytes(_ headerBytes: UInt32, ofEntryAt index: Int) {
        entries[index].headerBytes = headerBytes
    }
}

/// One header of the central directory, while it lies in a window.
private struct ZipDirectoryHeader {
    private let fixed: UnsafeRawBufferPointer
    private let rawName: UnsafeRawBufferPointer
    private let extra: ZipExtraFields
    private let offset: Int64
    let lengthBytes: Int

    init(in window: SourceWindow, at offset: Int64, limit: Int64) throws(ArchiveError) {
        self.offset = offset
        guard
            limit - offset >= Int64(ZipEntry.fixedBytes),
            let head = try window.bytes(at: offset, count: ZipEntry.fixedBytes),
            head.uint32(at: 0) == ZipEndRecord.directorySignature
        else { throw ArchiveError(.malformed, "no central directory header", offsetBytes: offset) }
        let nameBytes = Int(head.uint16(at: 28))
        let extraBytes = Int(head.uint16(at: 30))
        lengthBytes = ZipEntry.fixedBytes + nameBytes + extraBytes + Int(head.uint16(at: 32))
        guard
            limit - offset >= Int64(lengthBytes), let whole = try window.bytes(at: offset, count: lengthBytes)
        else { throw ArchiveError(.malformed, "a central directory header is cut short", offsetBytes: offset) }
        fixed = UnsafeRawBufferPointer(rebasing: whole[..<ZipEntry.fixedBytes])
        let extraStart = ZipEntry.fixedBytes + nameBytes
        rawName = UnsafeRawBufferPointer(rebasing: whole[ZipEntry.fixedBytes..<extraStart])
        guard
            let extra = ZipExtraFields(
                UnsafeRawBufferPointer(rebasing: whole[extraStart..<(extraStart + extraBytes)]))
        else {
            throw ArchiveError(
                .malformed, "the extra fields are malformed", entry: shownName(rawName), offsetBytes: offset)
        }
        self.extra = extra
    }

    func error(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
        ArchiveError(code, reason, entry: shownName(rawName), offsetBytes: offset)
    }

    private var flags: UInt16 { fixed.uint16(at: 8) }

    private var isUnixHost: Bool {
        let host = fixed.uint16(at: 4) >> 8
        return host == 3 || host == 19  // Unix, and macOS
    }

    /// The name as the format says: UTF-8 where the flag, or a Unicode path that belongs to this name, says so; else UTF-8 from a Unix
    /// system when it is that; else code page 437.
    func decodedName() throws(ArchiveError) -> [UInt8] {
        if flags & ZipFlag.utf8 != 0 {
            guard isUTF8(rawName) else { throw error(.malformed, "the name is marked as UTF-8 and is not") }
            return Array(rawName)
        }
        if let path = extra.unicodePath, isUTF8(path.name) {
            var crc = CRC32()
            crc.update(rawName)
            if crc.value == path.crc { return Array(path.name) }
        }
        if rawName.allSatisfy({ $0 < 0x80 }) || (isUnixHost && isUTF8(rawName)) { return Array(rawName) }
        return CodePage437.utf8(rawName)
    }

    private func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// The entry, whose place and length are at least within the archive: of one that arrives they are used before its local header is there.
    func entry(nameOffset: UInt32, nameBytes: UInt16, end: ZipEndRecord) throws(ArchiveError) -> ZipEntry {
        let zip64 = try zip64Fields()
        guard zip64.disk == 0 else { throw error(.unsupported, "a part of a split (multi-disk) archive") }
        guard
            let compressed = Int64(exactly: zip64.compressed), let size = Int64(exactly: zip64.size),
            let relative = Int64(exactly: zip64.headerOffset)
        else { throw error(.malformed, "a size or offset is beyond any file") }
        let (headerOffset, overflow) = relative.addingReportingOverflow(end.prefixBytes)
        guard !overflow, headerOffset <= end.offset, compressed <= end.offset else {
            throw error(.malformed, "its data would lie beyond the end of the archive")
        }
        var hasher = Hasher()
        hasher.combine(bytes: rawName)
        let dosTime = DOSTime.seconds(date: fixed.uint16(at: 14), time: fixed.uint16(at: 12))
        let entry = ZipEntry(
            headerOffset: headerOffset, compressedBytes: compressed, sizeBytes: size,
            modifiedSeconds: extra.modified?.seconds ?? dosTime ?? ZipEntry.noTime,
            rawNameHash: hasher.finalize(), nameOffset: nameOffset, crc: fixed.uint32(at: 16),
            modifiedNanoseconds: extra.modified?.nanoseconds ?? 0, headerBytes: 0, nameBytes: nameBytes,
            method: fixed.uint16(at: 10), flags: flags,
            mode: isUnixHost ? UInt16(truncatingIfNeeded: fixed.uint32(at: 38) >> 16) : 0)
        if entry.method == ZipMethod.stored, !entry.isEncrypted, compressed != size {
            throw error(.malformed, "stored, but its two sizes differ")
        }
        return entry
    }

    private struct Zip64Fields {
        var size: UInt64
        var compressed: UInt64
        var headerOffset: UInt64
        var disk: UInt32
    }

    /// The header's fields, each that is saturated taken from the ZIP64 field; without that field the header is meant literally (APPNOTE 4.5.3).
    private func zip64Fields() throws(ArchiveError) -> Zip64Fields {
        var fields = Zip64Fields(
            size: UInt64(fixed.uint32(at: 24)), compressed: UInt64(fixed.uint32(at: 20)),
            headerOffset: UInt64(fixed.uint32(at: 42)), disk: UInt32(fixed.uint16(at: 34)))
        guard let values = extra.zip64Values else { return fields }
        var position = 0
        func next() throws(ArchiveError) -> UInt64 {
            guard values.count - position >= 8 else { throw error(.malformed, "the ZIP64 field is too short") }
            defer { position += 8 }
            return values.uint64(at: position)
        }
        if fields.size == UInt64(UInt32.max) { fields.size = try next() }
        if fields.compressed == UInt64(UInt32.max) { fields.compressed = try next() }
        if fields.headerOffset == UInt64(UInt32.max) { fields.headerOffset = try next() }
        if fields.disk == UInt32(UInt16.max) {
            guard values.count - position >= 4 else { throw error(.malformed, "the ZIP64 field is too short") }
            fields.disk = values.uint32(at: position)
        }
        return fields
    }
}
