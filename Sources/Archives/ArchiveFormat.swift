/// The formats that are read.
public enum ArchiveFormat: String, Hashable, Sendable, CaseIterable {
    /// PKWARE's APPNOTE 6.3, with the methods stored and deflate; EPUB, JAR and the like are zip archives.
    case zip
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
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)
        defer { head.deallocate() }
        let count = try source.read(at: 0, into: head)
        let bytes = UnsafeRawBufferPointer(rebasing: head[..<count])
        if bytes.starts(with: [0x1f, 0x8b]) { return .gzip }
        if bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6]) { return .zip }
        for (magic, name) in foreignMagics where bytes.starts(with: magic) {
            throw ArchiveError(.unsupported, "\(name) is not read")
        }
        // A zip archive may follow a program that unpacks it, or any other bytes.
        if try !ZipEndCandidate.all(in: source).isEmpty { return .zip }
        if count >= 2, bytes[0] & 15 == 8, bytes[0] >> 4 <= 7, (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0 {
            return .zlib
        }
        throw ArchiveError(.malformed, "is in no format that is known")
    }

    private static let foreignMagics: [([UInt8], String)] = [
        ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], "a 7z archive"), ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "an xz file"),
        (Array("BZh".utf8), "a bzip2 file"), ([0x28, 0xb5, 0x2f, 0xfd], "a zstd file"),
        ([0x04, 0x22, 0x4d, 0x18], "an lz4 file"), ([0x1f, 0x9d], "a compress (.Z) file"),
        (Array("Rar!".utf8), "a RAR archive"), (Array("LZIP".utf8), "an lzip file"),
    ]
}
