import Platform

/// The records of pax extended headers (POSIX.1-2001) that matter here.
struct PaxRecords {
    var path: [UInt8]?
    var linkPath: [UInt8]?
    var sizeBytes: Int64?
    var modified: Timestamp?
    var sparse = PaxSparse()
    /// Solaris' own way to write holes.
    var hasSolarisHoles = false

    /// Adds the records in `bytes`; an empty value takes back what a record before it said.
    mutating func add(_ bytes: [UInt8]) throws(ArchiveError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let (key, value) = try Self.takeRecord(from: &rest)
            try set(key, value)
        }
    }

    /// "LENGTH KEY=VALUE\n", where the length counts all of it.
    private static func takeRecord(
        from rest: inout ArraySlice<UInt8>
    ) throws(ArchiveError) -> (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        // More digits than that are no length that could fit.
        let digits = rest.prefix(20).prefix { $0 != UInt8(ascii: " ") }
        guard
            let length = TarNumber.decimal(digits), length <= rest.count, length > digits.count + 2,
            rest.dropFirst(digits.count).first == UInt8(ascii: " ")
        else { throw malformed }
        let record = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        guard record.last == UInt8(ascii: "\n") else { throw malformed }
        let body = record.dropFirst(digits.count + 1).dropLast()
        guard let equals = body.firstIndex(of: UInt8(ascii: "=")), equals > body.startIndex else { throw malformed }
        let key = body[..<equals]
        guard !key.contains(0) else { throw malformed }
        return (key, body[(equals + 1)...])
    }

    private static var malformed: ArchiveError { ArchiveError(.malformed, "a pax record is malformed") }

    private mutating func set(_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(ArchiveError) {
        let isRemoval = value.isEmpty
        switch String(decoding: key, as: UTF8.self) {
        case "path": path = isRemoval ? nil : try Self.text(value)
        case "linkpath": linkPath = isRemoval ? nil : try Self.text(value)
        case "size": sizeBytes = isRemoval ? nil : try Self.number(value)
        case "mtime": modified = isRemoval ? nil : PaxTime.timestamp(value)
        case "GNU.sparse.major": sparse.major = try Self.number(value)
        case "GNU.sparse.minor": sparse.minor = try Self.number(value)
        case "GNU.sparse.name": sparse.name = try Self.text(value)
        case "GNU.sparse.realsize", "GNU.sparse.size": sparse.realBytes = try Self.number(value)
        case "GNU.sparse.map": try sparse.setMap(value)
        case "GNU.sparse.offset": try sparse.addOffset(Self.number(value))
        case "GNU.sparse.numbytes": try sparse.addLength(Self.number(value))
        case "SUN.holesdata": hasSolarisHoles = !isRemoval
        default: break
        }
    }

    private static func text(_ value: ArraySlice<UInt8>) throws(ArchiveError) -> [UInt8] {
        guard !value.contains(0) else { throw ArchiveError(.malformed, "a pax record has a NUL byte in a name") }
        return Array(value)
    }

    private static func number(_ value: ArraySlice<UInt8>) throws(ArchiveError) -> Int64 {
        guard let number = TarNumber.decimal(value) else { throw malformed }
        return number
    }
}
