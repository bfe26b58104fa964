/// The formats that are read.
public enum ArchiveFormat: String, Hashable, Sendable, CaseIterable {
    /// PKWARE's APPNOTE 6.3, with the methods stored and deflate; EPUB, JAR and the like are zip archives.
    case zip
    /// v7, ustar, pax, GNU and star, uncompressed.
    case tar
    /// Tar within gzip.
    case tarGzip = "tar.gz"
    /// One compressed file (RFC 1952), in one or several members.
    case gzip
    /// One compressed file (RFC 1950).
    case zlib
    /// One compressed file without any frame (RFC 1951); it can't be detected.
    case deflate
}

extension ArchiveFormat {
    /// Tells the format of `source` from its content; names are not looked at.
    /// - Throws: `unsupported`, with its name, for a known format that is not read, `malformed` for anything else.
    public static func detect(_ source: any ByteSource) throws(ArchiveError) -> ArchiveFormat {
        let head = BufferedInput(SourceStream(source), capacityBytes: headBytes)
        if let format = try detect(startOf: head) { return format }
        // A zip archive may follow a program that unpacks it, or any other bytes.
        if try !ZipEndCandidate.all(in: source).isEmpty { return .zip }
        return try weaklyMarked(head)
    }

    /// Tells the format of a stream from its beginning, which stays where it is.
    static func detect(_ stream: BufferedInput) throws(ArchiveError) -> ArchiveFormat {
        if let format = try detect(startOf: stream) { return format }
        return try weaklyMarked(stream)
    }

    /// How much of a beginning is looked at: enough for any gzip header that real tools write.
    static let headBytes = 64 << 10

    private static func detect(startOf stream: BufferedInput) throws(ArchiveError) -> ArchiveFormat? {
        _ = try stream.fill(headBytes)
        let head = stream.available
        if GzipHeader.magic(in: head) { return holdsTar(gzip: head) ? .tarGzip : .gzip }
        if beginsZip(head) { return .zip }
        for (magic, name) in foreignMagics where head.starts(with: magic) {
            throw ArchiveError(.unsupported, "\(name) is not read")
        }
        return isTar(head) ? .tar : nil
    }

    /// Whether bytes begin as those of a zip archive do, with its first entry or, where it is empty, with its end record.
    package static func beginsZip(_ head: some Sequence<UInt8>) -> Bool {
        head.starts(with: [0x50, 0x4b, 3, 4]) || head.starts(with: [0x50, 0x4b, 5, 6])
    }

    private static func isTar(_ head: UnsafeRawBufferPointer) -> Bool {
        guard head.count >= TarHeader.blockBytes else { return false }
        let block = UnsafeRawBufferPointer(rebasing: head[..<TarHeader.blockBytes])
        return TarHeader.isHeader(block) || (head.count >= 2 * TarHeader.blockBytes && isZeros(block))
    }

    private static func holdsTar(gzip head: UnsafeRawBufferPointer) -> Bool {
        let input = BufferedInput(MemoryStream(head), capacityBytes: headBytes)
        do throws(ArchiveError) {
            let content = BufferedInput(try GzipStream(input), capacityBytes: TarHeader.blockBytes)
            guard try content.fill(TarHeader.blockBytes) else { return false }
            if TarHeader.isHeader(content.available) { return true }
            return try isEmptyTar(content)
        } catch {
            // Damaged, or the beginning was too short: whoever reads it as gzip will say what is wrong.
            return false
        }
    }

    /// Whether all that comes is zeros, at least the two blocks that end an archive. More than anybody pads an archive with is the image of a disk.
    private static func isEmptyTar(_ content: BufferedInput) throws(ArchiveError) -> Bool {
        while content.offset < headBytes, try content.fill(TarHeader.blockBytes), isZeros(content.available) {
            content.consume(content.available.count)
        }
        return content.available.isEmpty && content.offset >= 2 * TarHeader.blockBytes && content.offset < headBytes
    }

    private static func isZeros(_ bytes: some Sequence<UInt8>) -> Bool { bytes.allSatisfy { $0 == 0 } }

    /// The zlib header has no more than a check of its own two bytes.
    private static func weaklyMarked(_ stream: BufferedInput) throws(ArchiveError) -> ArchiveFormat {
        let head = stream.available
        if head.count >= 2, head[0] & 15 == 8, head[0] >> 4 <= 7, (Int(head[0]) << 8 | Int(head[1])) % 31 == 0 {
            return .zlib
        }
        throw ArchiveError(
            .malformed,
            "is in no format that is known; bare deflate carries no mark: give the format 'deflate' if it is that")
    }

    private static let foreignMagics: [([UInt8], String)] = [
        ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], "a 7z archive"), ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "an xz file"),
        (Array("BZh".utf8), "a bzip2 file"), ([0x28, 0xb5, 0x2f, 0xfd], "a zstd file"),
        ([0x04, 0x22, 0x4d, 0x18], "an lz4 file"), ([0x1f, 0x9d], "a compress (.Z) file"),
        (Array("Rar!".utf8), "a RAR archive"), (Array("LZIP".utf8), "an lzip file"),
    ]
}
