import Platform

/// A zip archive, its directory read and its layout checked; of one that still arrives, the layout is checked entry by entry.
struct ZipArchive {
    let source: any ByteSource
    let directory: ZipDirectory
    /// The local headers of an archive that still arrives; nil where all are known to agree with the directory.
    let arrivingHeaders: ArrivingHeaders?
    private let checkedOddities: ZipLayout.Oddities

    /// Finds the end record, reads the directory and compares every local header with it.
    /// - Parameter isArriving: the local headers are compared as the archive comes. Where it holds links, which are judged by their contents, all of
    ///   it is waited for.
    init(_ source: any ByteSource, isArriving: Bool, limits: ExtractionPolicy.Limits) throws(ArchiveError) {
        self.source = source
        let end = try ZipEndRecord.find(in: source)
        var directory = try ZipDirectory(source, end: end, limitEntries: limits.entries)
        if isArriving, !directory.entries.contains(where: { $0.mode & 0o170000 == 0o120000 }) {
            self.directory = directory
            checkedOddities = ZipLayout.Oddities()
            arrivingHeaders = ArrivingHeaders(of: directory, in: source)
            return
        }
        var layout = ZipLayout(of: directory, in: source)
        while let next = try layout.checkNext(of: directory) {
            directory.setHeaderBytes(next.headerBytes, ofEntryAt: Int(next.index))
        }
        self.directory = directory
        checkedOddities = layout.oddities
        arrivingHeaders = nil
    }

    /// What is odd about the archive as a whole.
    /// - Throws: what is wrong with its layout, where that wasn't known yet.
    func warnings() throws(ArchiveError) -> [String] {
        let oddities = if let arrivingHeaders { try arrivingHeaders.finish() } else { checkedOddities }
        let end = directory.end
        var lines: [String] = []
        if end.prefixBytes > 0 { lines.append("\(end.prefixBytes) bytes stand before the archive") }
        if end.trailingBytes > 0 { lines.append("\(end.trailingBytes) bytes stand behind the archive") }
        if oddities.unclaimedBytes > 0 {
            lines.append("\(oddities.unclaimedBytes) bytes within the archive belong to no entry")
        }
        if oddities.contradictingDescriptors > 0 {
            lines.append("\(oddities.contradictingDescriptors) data descriptors contradict the central directory")
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

    /// What stands in the archive for an entry's content.
    func packedContent(of entry: ZipEntry) -> any ByteStream {
        SourceStream(source, range: entry.dataOffset..<entry.dataEnd)
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
