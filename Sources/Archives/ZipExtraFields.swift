/// What the extra fields of a directory header add to it (APPNOTE 4.5, 4.6, and Info-ZIP's `extrafld.txt`).
struct ZipExtraFields {
    /// A modification time, finer than the header's own.
    struct Time {
        let seconds: Int64
        var nanoseconds: UInt32 = 0
    }

    /// The Info-ZIP Unicode path.
    struct UnicodePath {
        /// The CRC-32 of the name it belongs to.
        let crc: UInt32
        let name: UnsafeRawBufferPointer
    }

    /// The ZIP64 values, in the order of the header fields that asked for them.
    let zip64Values: UnsafeRawBufferPointer?
    let unicodePath: UnicodePath?
    let modified: Time?

    /// Reads the fields of a directory header. Fewer than four bytes at the end are alignment padding; a field that runs over the end
    /// is an error, and the first of two fields of a kind counts.
    /// - Returns: nil when the fields are malformed.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var zip64Values: UnsafeRawBufferPointer?
        var unicodePath: UnicodePath?
        var extendedTime: Time?
        var ntfsTime: Time?
        var oldUnixTime: Time?
        var position = 0
        while bytes.count - position >= 4 {
            let identifier = bytes.uint16(at: position)
            let length = Int(bytes.uint16(at: position + 2))
            guard length <= bytes.count - position - 4 else { return nil }
            let field = UnsafeRawBufferPointer(rebasing: bytes[(position + 4)..<(position + 4 + length)])
            switch identifier {
            case 0x0001: zip64Values = zip64Values ?? field
            case 0x000a: ntfsTime = ntfsTime ?? Self.ntfsTime(field)
            case 0x5455: extendedTime = extendedTime ?? Self.extendedTime(field)
            case 0x5855: oldUnixTime = oldUnixTime ?? Self.oldUnixTime(field)
            case 0x7075: unicodePath = unicodePath ?? Self.unicodePath(field)
            default: break
            }
            position += 4 + length
        }
        self.zip64Values = zip64Values
        self.unicodePath = unicodePath
        modified = extendedTime ?? ntfsTime ?? oldUnixTime
    }

    private static func unicodePath(_ field: UnsafeRawBufferPointer) -> UnicodePath? {
        guard field.count >= 5, field[0] == 1 else { return nil }
        return UnicodePath(crc: field.uint32(at: 1), name: UnsafeRawBufferPointer(rebasing: field[5...]))
    }

    private static func extendedTime(_ field: UnsafeRawBufferPointer) -> Time? {
        guard field.count >= 5, field[0] & 1 != 0 else { return nil }
        return Time(seconds: Int64(Int32(bitPattern: field.uint32(at: 1))))
    }

    private static func oldUnixTime(_ field: UnsafeRawBufferPointer) -> Time? {
        guard field.count >= 8 else { return nil }
        return Time(seconds: Int64(Int32(bitPattern: field.uint32(at: 4))))
    }

    /// Attribute 1 holds 100-nanosecond ticks since 1601.
    private static func ntfsTime(_ field: UnsafeRawBufferPointer) -> Time? {
        guard field.count >= 16, field.uint16(at: 4) == 1, field.uint16(at: 6) >= 8 else { return nil }
        let ticks = field.uint64(at: 8)
        guard ticks > 0, let wholeSeconds = Int64(exactly: ticks / 10_000_000) else { return nil }
        return Time(seconds: wholeSeconds - 11_644_473_600, nanoseconds: UInt32(ticks % 10_000_000) * 100)
    }
}
