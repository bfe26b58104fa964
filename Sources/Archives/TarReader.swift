import Platform

/// Reads tar archives, from front to back in one pass.
final class TarReader {
    private let input: BufferedInput
    private var global = PaxRecords()
    private var sawPax = false
    /// The entry before, whose data may not be read to its end yet.
    private var current: TarEntry?
    private var isFirst = true
    private(set) var warnings: [String] = []
    /// False when the archive had ended without saying so: more may have been meant to follow.
    private(set) var hasEndMark = true

    /// More in the extension headers of one entry is refused: nothing real comes near.
    private static let maximumExtensionBytes: Int64 = 1 << 20

    init(_ stream: any ByteStream) { input = BufferedInput(stream, capacityBytes: 64 << 10) }

    /// The next entry, after whatever of the last one's data was not read; nil at the end.
    func next() throws(ArchiveError) -> TarEntry? {
        try finishCurrent()
        var extensions = Extensions()
        while true {
            let offset = input.offset
            do throws(ArchiveError) {
                guard let header = try nextHeader() else {
                    guard extensions.isEmpty else {
                        throw ArchiveError(.malformed, "an extension header belongs to no entry")
                    }
                    return nil
                }
                switch header.kind {
                case .extended: extensions.records.append(try data(of: header, &extensions))
                case .global: try global.add(data(of: header, &extensions))
                case .longName: extensions.longName = Self.text(try data(of: header, &extensions))
                case .longLink: extensions.longLink = Self.text(try data(of: header, &extensions))
                default: return try entry(header, extensions, at: offset)
                }
                if header.kind == .extended || header.kind == .global { sawPax = true }
            } catch {
                throw error.located(offsetBytes: offset)
            }
        }
    }

    /// What stood before an entry's own header.
    private struct Extensions {
        var records: [[UInt8]] = []
        var longName: [UInt8]?
        var longLink: [UInt8]?
        var bytes: Int64 = 0

        var isEmpty: Bool { records.isEmpty && longName == nil && longLink == nil }
    }

    private func finishCurrent() throws(ArchiveError) {
        guard let current else { return }
        self.current = nil
        do { try current.data.finish() } catch {
            throw error.located(entry: shownName(current.name), offsetBytes: current.offsetBytes)
        }
    }

    /// The next header block; nil at the end of the archive, which then has been read to its last byte.
    private func nextHeader() throws(ArchiveError) -> TarHeader? {
        guard try input.fill(TarHeader.blockBytes) else {
            if isFirst { throw ArchiveError(.malformed, "no tar header: no tar archive, or cut short") }
            if !input.available.isEmpty { throw ArchiveError(.corrupted, "the archive is cut short") }
            hasEndMark = false
            warnings.append("the blocks that mark the archive's end are missing")
            return nil
        }
        let block = UnsafeRawBufferPointer(rebasing: input.available[..<TarHeader.blockBytes])
        if block.allSatisfy({ $0 == 0 }) {
            try readEnd()
            return nil
        }
        guard TarHeader.isHeader(block) else {
            throw ArchiveError(.malformed, "no tar header: its checksum doesn't match")
        }
        isFirst = false
        let header = try TarHeader(block)
        input.consume(TarHeader.blockBytes)
        return header
    }

    /// Reads on to the end of the stream: a checksum may stand there.
    private func readEnd() throws(ArchiveError) {
        input.consume(TarHeader.blockBytes)
        if try input.fill(TarHeader.blockBytes) {
            let block = input.available[..<TarHeader.blockBytes]
            if block.contains(where: { $0 != 0 }) { warnings.append("the archive ends with a single block of zeros") }
        } else if input.available.isEmpty {
            warnings.append("the archive ends with a single block of zeros")
        }
        let start = input.offset
        var isPadding = true
        while try input.fill(1) {
            isPadding = isPadding && input.available.allSatisfy { $0 == 0 }
            input.consume(input.available.count)
        }
        if !isPadding { warnings.append("\(input.offset - start) bytes stand behind the archive's end") }
    }

    private func data(of header: TarHeader, _ extensions: inout Extensions) throws(ArchiveError) -> [UInt8] {
        // The header counts too, lest there be empty ones without end.
        let room = Self.maximumExtensionBytes - extensions.bytes - Int64(TarHeader.blockBytes)
        guard header.sizeBytes <= room else {
            throw ArchiveError(.malformed, "extension headers claim more than \(Self.maximumExtensionBytes) bytes")
        }
        extensions.bytes += Int64(TarHeader.blockBytes) + header.sizeBytes
        let data = TarData(input, bytes: header.sizeBytes)
        let bytes = try data.readAll()
        try data.finish()
        return bytes
    }

    /// A GNU long name ends at its NUL.
    private static func text(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix { $0 != 0 }) }

    private func entry(
        _ header: TarHeader, _ extensions: Extensions, at offset: Int64
    ) throws(ArchiveError) -> TarEntry {
        var records = global
        for bytes in extensions.records { try records.add(bytes) }
        let name = records.sparse.name ?? records.path ?? extensions.longName ?? header.name
        do throws(ArchiveError) {
            if records.hasSolarisHoles { throw ArchiveError(.unsupported, "is a sparse file as Solaris writes it") }
            let sparse = try sparseMap(header, records)
            let data = TarData(input, bytes: dataBytes(of: header, records))
            // Before there was a type for directories, a slash marked them.
            let isDirectory = header.kind == .file && name.last == UInt8(ascii: "/")
            let entry = TarEntry(
                kind: isDirectory ? .directory : header.kind, name: name,
                linkName: records.linkPath ?? extensions.longLink ?? header.linkName,
                mode: header.mode, modified: records.modified ?? header.modifiedSeconds.map { Timestamp(seconds: $0) },
                offsetBytes: offset, data: data, sparse: sparse)
            current = entry
            return entry
        } catch {
            throw error.located(entry: shownName(name))
        }
    }

    /// How much data follows the header. Links and directories have none, whatever their size says; but pax allows a hard link a body.
    private func dataBytes(of header: TarHeader, _ records: PaxRecords) -> Int64 {
        let size = records.sizeBytes ?? header.sizeBytes
        switch header.kind {
        case .symbolicLink, .directory, .special: return 0
        case .hardLink: return sawPax ? size : 0
        default: return size
        }
    }

    private func sparseMap(
        _ header: TarHeader, _ records: PaxRecords
    ) throws(ArchiveError) -> (extents: [TarExtent]?, realBytes: Int64)? {
        if var map = header.sparse {
            while map.continues {
                guard let block = try input.take(TarHeader.blockBytes) else {
                    throw ArchiveError(.corrupted, "the archive is cut short")
                }
                map.extents += try TarExtent.table(UnsafeRawBufferPointer(rebasing: block[..<504]))
                map.continues = block[504] != 0
                guard map.extents.count <= TarExtent.maximumCount else { throw TarExtent.malformedMap("is too long") }
            }
            return (map.extents, map.realBytes)
        }
        let sparse = records.sparse
        guard sparse.mapIsInData || sparse.extents != nil else { return nil }
        guard let realBytes = sparse.realBytes else { throw TarExtent.malformedMap("doesn't say the file's size") }
        return (sparse.mapIsInData ? nil : sparse.extents, realBytes)
    }
}
