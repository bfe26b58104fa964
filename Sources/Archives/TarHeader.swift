import Platform

/// One 512-byte header block of a tar archive: v7, ustar (POSIX.1-1988), GNU or star.
struct TarHeader {
    static let blockBytes = 512

    /// What an entry is, by its type flag.
    enum Kind: Hashable {
        case file, hardLink, symbolicLink, directory, special
        /// pax records for the next entry, or for all that follow.
        case extended, global
        /// GNU: the name, or link target, of the next entry.
        case longName, longLink
        /// GNU: a file with holes, described by the header itself.
        case sparse
        /// GNU: a label of the archive, nothing to make.
        case volumeLabel
        /// GNU: a directory with the list of its files as data.
        case dumpDirectory
        /// GNU: the rest of a file whose beginning is in another volume.
        case continuation
        /// Anything else: POSIX has unknown types read as files.
        case unknown(UInt8)
    }

    private enum Dialect {
        case v7, ustar, gnu, star
    }

    let kind: Kind
    let sizeBytes: Int64
    let mode: UInt32
    let modifiedSeconds: Int64?
    let name: [UInt8]
    let linkName: [UInt8]
    /// For `sparse`: the extents in the header, whether further ones follow in blocks of their own, and the file's real length.
    let sparse: (extents: [TarExtent], continues: Bool, realBytes: Int64)?

    /// Whether `block` is a header, by its checksum. Some old writers summed signed bytes.
    static func isHeader(_ block: UnsafeRawBufferPointer) -> Bool {
        guard block.count >= blockBytes, let stated = TarNumber.octal(block[148..<156]) else { return false }
        var unsigned = 8 * 0x20
        var signed = unsigned
        for index in 0..<blockBytes where !(148..<156).contains(index) {
            unsigned += Int(block[index])
            signed += Int(Int8(bitPattern: block[index]))
        }
        return stated == Int64(unsigned) || stated == Int64(signed)
    }

    /// Reads a block that `isHeader`.
    init(_ block: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard let size = TarNumber.read(block[124..<136]) else {
            throw ArchiveError(.malformed, "the size in the tar header is no number")
        }
        guard size >= 0 else { throw ArchiveError(.malformed, "the size in the tar header is negative") }
        sizeBytes = size
        mode = TarNumber.read(block[100..<108]).map { UInt32(truncatingIfNeeded: $0) } ?? 0o644
        modifiedSeconds = TarNumber.read(block[136..<148])
        let dialect = Self.dialect(of: block)
        let own = Self.text(block[0..<100])
        switch dialect {
        case .v7, .gnu: name = own
        case .ustar: name = Self.joined(prefix: Self.text(block[345..<500]), own)
        case .star: name = Self.joined(prefix: Self.text(block[345..<476]), own)
        }
        linkName = Self.text(block[157..<257])
        kind = Self.kind(block[156])
        sparse = kind == .sparse ? try Self.sparse(block) : nil
    }

    private static func dialect(of block: UnsafeRawBufferPointer) -> Dialect {
        if block[257..<265].elementsEqual("ustar  \0".utf8) { return .gnu }
        guard block[257..<262].elementsEqual("ustar".utf8) else { return .v7 }
        return block[508..<512].elementsEqual("tar\0".utf8) ? .star : .ustar
    }

    private static func kind(_ flag: UInt8) -> Kind {
        switch UnicodeScalar(flag) {
        case "0", "\0", "7": .file
        case "1": .hardLink
        case "2": .symbolicLink
        case "3", "4", "6": .special
        case "5": .directory
        case "x", "X": .extended
        case "g": .global
        case "L": .longName
        case "K": .longLink
        case "S": .sparse
        case "V": .volumeLabel
        case "D": .dumpDirectory
        case "M": .continuation
        default: .unknown(flag)
        }
    }

    /// A field up to its first NUL.
    private static func text(_ field: Slice<UnsafeRawBufferPointer>) -> [UInt8] { Array(field.prefix { $0 != 0 }) }

    private static func joined(prefix: [UInt8], _ name: [UInt8]) -> [UInt8] {
        prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
    }

    private static func sparse(
        _ block: UnsafeRawBufferPointer
    ) throws(ArchiveError) -> (extents: [TarExtent], continues: Bool, realBytes: Int64) {
        guard let real = TarNumber.read(block[483..<495]), real >= 0 else {
            throw ArchiveError(.malformed, "the real size of the sparse file is no number")
        }
        let table = UnsafeRawBufferPointer(rebasing: block[386..<482])
        return (try TarExtent.table(table), block[482] != 0, real)
    }
}
