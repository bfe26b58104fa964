/// Builds tar archives by hand, header by header.
struct TarBuilder {
    private(set) var bytes: [UInt8] = []

    /// Appends a ustar header and its data, padded.
    /// - Parameters:
    ///   - declaredBytes: the size field; the data's length when nil.
    ///   - sizeField: the raw size field, in place of any number.
    mutating func add(
        _ name: String, type: Character = "0", _ data: [UInt8] = [], link: String = "", mode: Int = 0o644,
        declaredBytes: Int? = nil, sizeField: [UInt8]? = nil, magic: String = "ustar\u{0}00"
    ) {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: some Collection<UInt8>, at offset: Int) {
            header.replaceSubrange(offset..<(offset + text.count), with: text)
        }
        func octal(_ number: Int, digits: Int) -> [UInt8] {
            let text = String(number, radix: 8)
            return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
        }
        put(name.utf8.prefix(100), at: 0)
        put(octal(mode, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(sizeField ?? octal(declaredBytes ?? data.count, digits: 11), at: 124)
        put(octal(1_700_000_001, digits: 11), at: 136)
        header[156] = type.asciiValue ?? 0
        put(link.utf8.prefix(100), at: 157)
        put(magic.utf8, at: 257)
        put(Array("        ".utf8), at: 148)
        let sum = header.reduce(0) { $0 + Int($1) }
        put(octal(sum, digits: 6) + [0], at: 148)
        bytes += header + data
        bytes += Array(repeating: 0, count: (512 - data.count % 512) % 512)
    }

    /// Appends a pax header for the next entry.
    mutating func addPax(_ records: [(String, String)], type: Character = "x") {
        var data: [UInt8] = []
        for (key, value) in records {
            let body = " \(key)=\(value)\n"
            var length = body.utf8.count + 1
            while String(length).utf8.count + body.utf8.count != length { length += 1 }
            data += Array("\(length)\(body)".utf8)
        }
        add("PaxHeader", type: type, data)
    }

    /// The archive with the two blocks that end it.
    var archive: [UInt8] { bytes + Array(repeating: 0, count: 1024) }

    static func of(_ fill: (inout TarBuilder) -> Void) -> [UInt8] {
        var builder = TarBuilder()
        fill(&builder)
        return builder.archive
    }
}
