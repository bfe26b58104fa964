import Platform

/// A zip archive, its directory read and its layout checked.
struct ZipArchive {
    let source: any ByteSource
    let directory: ZipDirectory
    /// What is odd about the archive as a whole.
    let warnings: [String]

    /// Finds the end record, reads the directory and compares every local header with it.
    init(_ source: any ByteSource, limits: ExtractionPolicy.Limits) throws(ArchiveError) {
        self.source = source
        let end = try ZipEndRecord.find(in: source)
        var directory = try ZipDirectory(source, end: end, limitEntries: limits.entries)
        let layout = try ZipLayout(checking: &directory, of: source)
        self.directory = directory
        warnings = Self.warnings(of: end, layout)
    }

    private static func warnings(of end: ZipEndRecord, _ layout: ZipLayout) -> [String] {
        var lines: [String] = []
        if end.prefixBytes > 0 { lines.append("\(end.prefixBytes) bytes stand before the archive") }
        if end.trailingBytes > 0 { lines.append("\(end.trailingBytes) bytes stand behind the archive") }
        if layout.unclaimedBytes > 0 {
            lines.append("\(layout.unclaimedBytes) bytes within the archive belong to no entry")
        }
        if layout.contradictingDescriptors > 0 {
            lines.append("\(layout.contradictingDescriptors) data descriptors contradict the central directory")
        }
        return lines
    }

    /// What the Unix mode says, else what the name's last byte says.
    func kind(of entry: ZipEntry) throws(ArchiveError) -> PathTree.Kind {
        let isMarkedAsDirectory = directory.name(of: entry).last == UInt8(ascii: "/")
        switch entry.mode & 0o170000 {
        case 0o120000: return .symbolicLink
        case 0o040000: return .directory
        case 0, 0o100000: return isMarkedAsDirectory ? .directory : .file
        // zip gives what it read from a pipe that pipe's type.
        case 0o010000 where entry.sizeBytes > 0 || entry.compressedBytes > 0: return .file
        default: throw ArchiveError(.unsafe, "is a device, FIFO or socket")
        }
    }

    /// Throws unless the content of `entry` can be read.
    func checkSupported(_ entry: ZipEntry) throws(ArchiveError) {
        if entry.isEncrypted { throw ArchiveError(.unsupported, "is encrypted") }
        if entry.flags & ZipFlag.patch != 0 { throw ArchiveError(.unsupported, "holds compressed patched data") }
        guard entry.method == ZipMethod.stored || entry.method == ZipMethod.deflate else {
            throw ArchiveError(
                .unsupported, "uses compression method \(entry.method) (\(ZipMethod.name(of: entry.method)))")
        }
    }

    /// The content of a supported entry, with its length and CRC-32 checked as it is read.
    func content(of entry: ZipEntry) -> any ByteStream {
        let data = SourceStream(source, range: entry.dataOffset..<entry.dataEnd)
        guard entry.method == ZipMethod.deflate else {
            return VerifiedStream(data, sizeBytes: entry.sizeBytes, crc: entry.crc)
        }
        // A small entry needs no large buffer.
        let capacity = Int(min(max(entry.compressedBytes, 64), 128 << 10))
        let input = BufferedInput(data, capacityBytes: capacity)
        return VerifiedStream(
            InflateStream(input, container: .raw), sizeBytes: entry.sizeBytes, crc: entry.crc, compressed: input)
    }

    /// When the content was changed last; nil where the archive doesn't say.
    func modificationTime(of entry: ZipEntry) -> Timestamp? {
        guard entry.modifiedSeconds != ZipEntry.noTime else { return nil }
        return Timestamp(
            seconds: entry.modifiedSeconds, nanoseconds: Int32(truncatingIfNeeded: entry.modifiedNanoseconds))
    }

    /// Gives errors of `body` the entry's name and place.
    func located<Result>(
        _ entry: ZipEntry, _ body: () throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result {
        do { return try body() } catch {
            throw error.located(entry: shownName(directory.name(of: entry)), offsetBytes: entry.headerOffset)
        }
    }
}
