import Platform

/// One entry of a tar archive, with everything that extension headers said of it.
struct TarEntry {
    let kind: TarHeader.Kind
    let name: [UInt8]
    let linkName: [UInt8]
    let mode: UInt32
    let modified: Timestamp?
    /// Where its header is, in bytes from the start of the tar.
    let offsetBytes: Int64
    /// The data as it stands in the archive; to be read before the next entry is asked for.
    let data: TarData
    /// For a sparse file: its extents (nil when the map stands in the data) and its real length.
    let sparse: (extents: [TarExtent]?, realBytes: Int64)?

    /// The content: the data, or for a sparse file the file with its holes.
    func content() throws(ArchiveError) -> any ByteStream {
        guard let sparse else { return data }
        let extents: [TarExtent]
        if let known = sparse.extents { extents = known } else { extents = try TarSparseMap.read(from: data) }
        return try SparseStream(
            data, dataBytes: data.remainingBytes, extents: extents, realBytes: sparse.realBytes)
    }
}

/// Reads tar archives, from front to back in one pass.
final class TarReader {
    private let input: BufferedInput
    private var global = PaxRecords()
    private var sawPax = false
    private var data: TarData?
    private var isFirst = true
    private(set) var warnings: [String] = []

    /// More in the extension headers of one entry is refused: nothing real comes near.
    private static let maximumExtensionBytes: Int64 = 1 << 20

    init(_ stream: any ByteStream) { input = BufferedInput(stream, capacityBytes: 64 << 10) }

    /// The next entry, after whatever of the last one's data was not read; nil at the end.
    func next() throws(ArchiveError) -> TarEntry? {
        try finishData()
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

    private func finishData() throws(ArchiveError) {
        guard let data else { return }
        try data.finish()
        self.data = nil
    }

    /// The next header block; nil at the end of the archive, which then has been read to its last byte.
    private func nextHeader() throws(ArchiveError) -> TarHeader? {
        guard try input.fill(TarHeader.blockBytes) else {
            if isFirst { throw ArchiveError(.malformed, "no tar header: no tar archive, or cut short") }
            if !input.available.isEmpty { throw ArchiveError(.corrupted, "the archive is cut short") }
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
            self.data = data
            // Before there was a type for directories, a slash marked them.
            let isDirectory = header.kind == .file && name.last == UInt8(ascii: "/")
            return TarEntry(
                kind: isDirectory ? .directory : header.kind, name: name,
                linkName: records.linkPath ?? extensions.longLink ?? header.linkName,
                mode: header.mode, modified: records.modified ?? header.modifiedSeconds.map { Timestamp(seconds: $0) },
                offsetBytes: offset, data: data, sparse: sparse)
        } catch {
            throw error.located(entry: escapedText(name))
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

/// The data blocks of one entry.
final class TarData: ByteStream {
    private let input: BufferedInput
    private(set) var remainingBytes: Int64
    private let paddingBytes: Int64

    init(_ input: BufferedInput, bytes: Int64) {
        self.input = input
        remainingBytes = bytes
        let tail = bytes % Int64(TarHeader.blockBytes)
        paddingBytes = tail == 0 ? 0 : Int64(TarHeader.blockBytes) - tail
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let wanted = Int(min(Int64(buffer.count), remainingBytes))
        guard wanted > 0 else { return 0 }
        let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        guard count > 0 else { throw Self.cut }
        remainingBytes -= Int64(count)
        return count
    }

    /// Takes one byte; nil at the end of the data.
    func readByte() throws(ArchiveError) -> UInt8? {
        guard remainingBytes > 0 else { return nil }
        guard let byte = try input.take(1)?[0] else { throw Self.cut }
        remainingBytes -= 1
        return byte
    }

    /// All that is left; for what is known to be short.
    func readAll() throws(ArchiveError) -> [UInt8] {
        var bytes: [UInt8] = []
        while remainingBytes > 0 {
            guard try input.fill(1) else { throw Self.cut }
            let piece = input.available.prefix(Int(min(Int64(input.available.count), remainingBytes)))
            bytes += piece
            input.consume(piece.count)
            remainingBytes -= Int64(piece.count)
        }
        return bytes
    }

    /// Passes over what was not read, and the padding.
    func finish() throws(ArchiveError) {
        guard try input.skip(remainingBytes), try input.skip(paddingBytes) else { throw Self.cut }
        remainingBytes = 0
    }

    private static var cut: ArchiveError { ArchiveError(.corrupted, "the archive is cut short") }
}

/// The map that stands before the data of a sparse file, version 1.0: decimal numbers, a line each, padded to whole blocks.
enum TarSparseMap {
    static func read(from data: TarData) throws(ArchiveError) -> [TarExtent] {
        let start = data.remainingBytes
        let count = try number(from: data)
        guard count <= TarExtent.maximumCount else { throw TarExtent.malformedMap("is too long") }
        var extents: [TarExtent] = []
        for _ in 0..<count {
            extents.append(TarExtent(offset: try number(from: data), lengthBytes: try number(from: data)))
        }
        let block = Int64(TarHeader.blockBytes)
        while (start - data.remainingBytes) % block != 0 {
            guard try data.readByte() != nil else { throw TarExtent.malformedMap("is cut short") }
        }
        return extents
    }

    private static func number(from data: TarData) throws(ArchiveError) -> Int64 {
        var digits: [UInt8] = []
        while digits.count < 20, let byte = try data.readByte() {
            if byte == UInt8(ascii: "\n"), let number = TarNumber.decimal(digits) { return number }
            digits.append(byte)
        }
        throw TarExtent.malformedMap("holds something that is no number")
    }
}
