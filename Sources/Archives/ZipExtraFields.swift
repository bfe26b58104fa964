/// What the extra fields of a directory header add to it (APPNOTE 4.5, 4.6, and Info-ZIP's `extrafld.txt`).
struct ZipExtraFields {
    /// The ZIP64 values, in the order of the header fields that asked for them.
    private(set) var wideValues: UnsafeRawBufferPointer?
    /// The Info-ZIP Unicode path, with the CRC-32 of the name it belongs to.
    private(set) var unicodePath: (crc: UInt32, name: UnsafeRawBufferPointer)?
    private(set) var modifiedSeconds: Int64?
    private(set) var modifiedNanoseconds: UInt32 = 0

    private enum Identifier {
        static let wide: UInt16 = 0x0001
        static let ntfs: UInt16 = 0x000a
        static let extendedTime: UInt16 = 0x5455
        static let oldUnix: UInt16 = 0x5855
        static let unicodePath: UInt16 = 0x7075
    }

    /// Reads the fields of a directory header. Fewer than four bytes at the end are alignment padding; a field that runs over the end
    /// is an error, and the first of two fields of a kind counts.
    /// - Returns: nil when the fields are malformed.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var time = TimeSource.none
        var position = 0
        while bytes.count - position >= 4 {
            let identifier = bytes.uint16(at: position)
            let length = Int(bytes.uint16(at: position + 2))
            guard length <= bytes.count - position - 4 else { return nil }
            let field = UnsafeRawBufferPointer(rebasing: bytes[(position + 4)..<(position + 4 + length)])
            switch identifier {
            case Identifier.wide where wideValues == nil: wideValues = field
            case Identifier.unicodePath where unicodePath == nil && length >= 5 && field[0] == 1:
                unicodePath = (field.uint32(at: 1), UnsafeRawBufferPointer(rebasing: field[5...]))
            case Identifier.extendedTime where time < .extended: readExtendedTime(field, &time)
            case Identifier.ntfs where time < .ntfs: readNTFSTime(field, &time)
            case Identifier.oldUnix where time < .oldUnix && length >= 8:
                take(Int64(Int32(bitPattern: field.uint32(at: 4))), 0, .oldUnix, &time)
            default: break
            }
            position += 4 + length
        }
    }

    /// Which field gave the time: a later one of this order overrides.
    private enum TimeSource: Int, Comparable {
        case none, oldUnix, ntfs, extended
        static func < (left: TimeSource, right: TimeSource) -> Bool { left.rawValue < right.rawValue }
    }

    private mutating func take(_ seconds: Int64, _ nanoseconds: UInt32, _ source: TimeSource, _ time: inout TimeSource)
    {
        modifiedSeconds = seconds
        modifiedNanoseconds = nanoseconds
        time = source
    }

    private mutating func readExtendedTime(_ field: UnsafeRawBufferPointer, _ time: inout TimeSource) {
        guard field.count >= 5, field[0] & 1 != 0 else { return }
        take(Int64(Int32(bitPattern: field.uint32(at: 1))), 0, .extended, &time)
    }

    /// Attribute 1 holds 100-nanosecond ticks since 1601.
    private mutating func readNTFSTime(_ field: UnsafeRawBufferPointer, _ time: inout TimeSource) {
        guard field.count >= 16, field.uint16(at: 4) == 1, field.uint16(at: 6) >= 8 else { return }
        let ticks = field.uint64(at: 8)
        guard ticks > 0, let wholeSeconds = Int64(exactly: ticks / 10_000_000) else { return }
        take(wholeSeconds - 11_644_473_600, UInt32(ticks % 10_000_000) * 100, .ntfs, &time)
    }
}
