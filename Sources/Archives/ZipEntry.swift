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
    var isPipe: Bool { mode & 0o170000 == 0o010000 }
    var hasDescriptor: Bool { flags & ZipFlag.descriptor != 0 }
    var dataOffset: Int64 { headerOffset + Int64(headerBytes) }
    var dataEnd: Int64 { dataOffset + compressedBytes }
}
