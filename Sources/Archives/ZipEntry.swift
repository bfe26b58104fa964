/// One entry of a central directory, in few bytes: a million of them must fit.
struct ZipEntry {
    /// The length of a directory header without its variable parts (APPNOTE 4.3.12).
    static let fixedBytes = 46

    /// Where the local header begins, prefix data included.
    var headerOffset: Int64
    var compressedBytes: Int64
    var sizeBytes: Int64
    /// Seconds since 1970; `noTime` when the archive gives none.
    var modifiedSeconds: Int64
    /// A keyed digest of the name as it stands in the directory: what the local header's must equal.
    var rawNameHash: Int
    /// Where the decoded name begins in the directory's names.
    var nameOffset: UInt32
    var crc: UInt32
    var modifiedNanoseconds: UInt32
    /// From the local header's first byte to the data's; known once the header has been read.
    var headerBytes: UInt32
    var nameBytes: UInt16
    var method: UInt16
    var flags: UInt16
    /// The Unix mode, type included; 0 when the archive gives none.
    var mode: UInt16

    static let noTime = Int64.min

    var isEncrypted: Bool { flags & (ZipFlag.encrypted | ZipFlag.maskedHeader) != 0 }
    var hasDescriptor: Bool { flags & ZipFlag.descriptor != 0 }
    var dataOffset: Int64 { headerOffset + Int64(headerBytes) }
    var dataEnd: Int64 { dataOffset + compressedBytes }
}

/// The bits of an entry's general purpose flag that matter here (APPNOTE 4.4.4).
enum ZipFlag {
    static let encrypted: UInt16 = 1 << 0
    static let descriptor: UInt16 = 1 << 3
    static let patch: UInt16 = 1 << 5
    static let utf8: UInt16 = 1 << 11
    static let maskedHeader: UInt16 = 1 << 13
}

/// Compression methods (APPNOTE 4.4.5).
enum ZipMethod {
    static let stored: UInt16 = 0
    static let deflate: UInt16 = 8

    /// What people call a method that isn't read.
    static func name(of method: UInt16) -> String {
        switch method {
        case 1: "shrink"
        case 2...5: "reduce"
        case 6: "implode"
        case 9: "deflate64"
        case 10: "PKWARE DCL implode"
        case 12: "bzip2"
        case 14: "lzma"
        case 20, 93: "zstd"
        case 94: "mp3"
        case 95: "xz"
        case 96: "jpeg"
        case 97: "wavpack"
        case 98: "ppmd"
        case 99: "AES encryption"
        default: "an unknown method"
        }
    }
}
