import Platform

/// Where the entries of a zip archive lie, checked in the order in which they lie: local headers must say what the directory says, and no two
/// entries may share bytes.
struct ZipLayout {
    /// What is odd and does no harm.
    struct Oddities {
        /// Entries whose data descriptor contradicts the directory; the directory's values are the ones that count.
        var contradictingDescriptors = 0
        /// Bytes before the end record that belong to nothing.
        var unclaimedBytes: Int64 = 0
    }

    /// Complete once every entry is checked.
    private(set) var oddities = Oddities()
    private let window: SourceWindow
    private let end: ZipEndRecord
    /// Everything before it is accounted for.
    private var cursor: Int64
    /// Entries in the order in which they lie, and how many of them are checked.
    let order: [UInt32]
    private var position = 0
    /// The entry checked last, but for what lies behind its data.
    private var last: (entry: ZipEntry, next: Int64, limit: Int64)?

    /// - Parameter readAheadBytes: how much is read at once, where there is that much.
    /// - Complexity: O(n log n) for n entries; with all of `checkNext`, each local header is read once.
    init(of directory: ZipDirectory, in source: any ByteSource, readAheadBytes: Int = 4096) {
        window = SourceWindow(source, readAheadBytes: readAheadBytes)
        end = directory.end
        cursor = end.prefixBytes
        order = directory.indicesByOffset()
    }

    /// Checks the next entry.
    /// - Returns: which one it was, and the length of its local header; nil behind the last one.
    mutating func checkNext(of directory: ZipDirectory) throws(ArchiveError) -> (index: UInt32, headerBytes: UInt32)? {
        try claimLast()
        guard position < order.count else {
            claimDirectory(before: end.offset)
            claim(end.offset..<end.offset)
            return nil
        }
        let index = order[position]
        position += 1
        let entry = directory.entries[Int(index)]
        let next = position < order.count ? directory.entries[Int(order[position])].headerOffset : end.offset
        do throws(ArchiveError) { return (index, try claim(entry, next: next)) } catch {
            throw error.located(entry: shownName(directory.name(of: entry)), offsetBytes: entry.headerOffset)
        }
    }

    private var directoryRange: Range<Int64> {
        end.directoryOffset..<(end.directoryOffset + end.directoryBytes)
    }

    /// Checks that the entry lies by itself, before or behind the directory.
    /// - Parameter next: where the next entry begins.
    /// - Returns: the length of its local header.
    private mutating func claim(_ entry: ZipEntry, next: Int64) throws(ArchiveError) -> UInt32 {
        claimDirectory(before: entry.headerOffset)
        guard entry.headerOffset >= cursor else { throw ArchiveError(.unsafe, "overlaps another entry") }
        guard !directoryRange.contains(entry.headerOffset) else {
            throw ArchiveError(.malformed, "its local header would lie within the central directory")
        }
        let limit = entry.headerOffset < directoryRange.lowerBound ? directoryRange.lowerBound : end.offset
        var entry = entry
        entry.headerBytes = try checkedHeaderBytes(of: entry, limit: limit)
        last = (entry, next, limit)
        return entry.headerBytes
    }

    /// Accounts for the entry before: with its descriptor, which may come much later than its header.
    private mutating func claimLast() throws(ArchiveError) {
        guard let (entry, next, limit) = last else { return }
        last = nil
        var spanEnd = entry.dataEnd
        // A next entry that begins within this one is found at its own turn.
        if entry.hasDescriptor, next >= spanEnd { spanEnd += try descriptorBytes(of: entry, before: min(next, limit)) }
        claim(entry.headerOffset..<spanEnd)
    }

    /// Accounts for the directory once everything before it is.
    private mutating func claimDirectory(before offset: Int64) {
        guard cursor <= directoryRange.lowerBound, offset >= directoryRange.upperBound else { return }
        claim(directoryRange)
    }

    private mutating func claim(_ span: Range<Int64>) {
        oddities.unclaimedBytes += span.lowerBound - cursor
        cursor = span.upperBound
    }

    /// Compares the local header (APPNOTE 4.3.7) with the directory's entry.
    /// - Returns: the header's length with its variable parts.
    private func checkedHeaderBytes(of entry: ZipEntry, limit: Int64) throws(ArchiveError) -> UInt32 {
        let fixedBytes = 30
        guard
            entry.headerOffset <= limit - Int64(fixedBytes),
            let fixed = try window.bytes(at: entry.headerOffset, count: fixedBytes), fixed.uint32(at: 0) == 0x0403_4b50
        else { throw ArchiveError(.malformed, "no local header where the directory says") }
        let local = LocalFields(fixed)
        let length = fixedBytes + local.nameBytes + local.extraBytes
        let (dataEnd, overflow) = (entry.headerOffset + Int64(length)).addingReportingOverflow(entry.compressedBytes)
        guard !overflow, dataEnd <= limit, let whole = try window.bytes(at: entry.headerOffset, count: length) else {
            throw ArchiveError(.malformed, "its data would reach into the central directory or beyond it")
        }
        let name = whole[fixedBytes..<(fixedBytes + local.nameBytes)]
        let extra = UnsafeRawBufferPointer(rebasing: whole[(fixedBytes + local.nameBytes)...])
        if let difference = local.difference(from: entry, name: UnsafeRawBufferPointer(rebasing: name), extra: extra) {
            throw ArchiveError(.malformed, "its local header differs from the directory: \(difference)")
        }
        return UInt32(length)
    }

    /// The length of the data descriptor (APPNOTE 4.3.9) between the data's end and `limit`. Its four shapes, with and without signature, of
    /// 32 and of 64 bits, are told apart by what the directory says; nothing is ever searched for.
    private mutating func descriptorBytes(of entry: ZipEntry, before limit: Int64) throws(ArchiveError) -> Int64 {
        let room = Int(min(24, limit - entry.dataEnd))
        guard room >= 12, let bytes = try window.bytes(at: entry.dataEnd, count: room) else {
            oddities.contradictingDescriptors += 1
            return 0
        }
        for start in bytes.uint32(at: 0) == 0x0807_4b50 ? [4, 0] : [0] {
            guard room >= start + 12, bytes.uint32(at: start) == entry.crc else { continue }
            if room >= start + 20, bytes.uint64(at: start + 4) == UInt64(entry.compressedBytes),
                bytes.uint64(at: start + 12) == UInt64(entry.sizeBytes)
            {
                return Int64(start) + 20
            }
            if bytes.uint32(at: start + 4) == UInt32(truncatingIfNeeded: entry.compressedBytes),
                bytes.uint32(at: start + 8) == UInt32(truncatingIfNeeded: entry.sizeBytes)
            {
                return Int64(start) + 12
            }
        }
        oddities.contradictingDescriptors += 1
        return 0
    }
}

/// The fields of a local header that the directory repeats.
private struct LocalFields {
    let flags: UInt16
    let method: UInt16
    let crc: UInt32
    let compressed: UInt32
    let size: UInt32
    let nameBytes: Int
    let extraBytes: Int

    init(_ fixed: UnsafeRawBufferPointer) {
        flags = fixed.uint16(at: 6)
        method = fixed.uint16(at: 8)
        crc = fixed.uint32(at: 14)
        compressed = fixed.uint32(at: 18)
        size = fixed.uint32(at: 22)
        nameBytes = Int(fixed.uint16(at: 26))
        extraBytes = Int(fixed.uint16(at: 28))
    }

    /// The first field that contradicts `entry`, in words; nil when they agree.
    func difference(
        from entry: ZipEntry, name: UnsafeRawBufferPointer, extra: UnsafeRawBufferPointer
    ) -> String? {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        if hasher.finalize() != entry.rawNameHash { return "the name" }
        if (flags ^ entry.flags) & (ZipFlag.encrypted | ZipFlag.maskedHeader) != 0 { return "encryption" }
        if method != entry.method { return "the compression method" }
        // With a descriptor these were not known when the header was written: they are zero, saturated, or already right.
        let streamed = flags & ZipFlag.descriptor != 0
        if crc != entry.crc, !(streamed && crc == 0) { return "the CRC-32" }
        var zip64Sizes: ArraySlice<UInt64> = []
        if let zip64 = ZipExtraFields(extra)?.zip64Values {
            zip64Sizes = ArraySlice((0..<min(2, zip64.count / 8)).map { zip64.uint64(at: 8 * $0) })
        }
        for (value, expected, what) in [
            (size, entry.sizeBytes, "the size"), (compressed, entry.compressedBytes, "the compressed size"),
        ] {
            var actual = UInt64(value)
            if value == .max, let replacement = zip64Sizes.popFirst() { actual = replacement }
            if streamed, actual == 0 || value == .max { continue }
            if actual != UInt64(expected) { return what }
        }
        return nil
    }
}
