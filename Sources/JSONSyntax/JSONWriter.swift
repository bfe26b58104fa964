/// Builds JSON text by appending: what is written first comes first, so the output is the same in every run.
///
///     var writer = JSONWriter()
///     writer.object { event in
///         event.member("event", "transfer.progress")
///         event.member("received", 4096)
///         event.member("total", Int?.none)
///         event.key("hosts").array { hosts in hosts.value("a.example") }
///     }
package struct JSONWriter: Sendable {
    package enum Style: Sendable {
        /// No white space at all: one line.
        case compact
        /// One member or element a line, two spaces a level.
        case pretty
    }

    /// UTF-8, without a final line end.
    package private(set) var bytes: [UInt8] = []
    private let style: Style
    private var depth = 0
    /// Whether the next value is the first of its container, or the value of a key: then no comma comes before it.
    private var isFirst = true
    private var followsKey = false

    package init(_ style: Style = .compact) {
        self.style = style
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Hands over what was written so far, for a text that goes out piece by piece.
    package mutating func takeText() -> String {
        defer { bytes.removeAll(keepingCapacity: true) }
        return text
    }

    // MARK: Containers

    package mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try members(&self)
        endObject()
    }

    package mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
        beginArray()
        try elements(&self)
        endArray()
    }

    /// Begins an object that is written bit by bit; `endObject` ends it.
    package mutating func beginObject() { begin("{") }

    package mutating func endObject() { end("}") }

    /// Begins an array that is written bit by bit; `endArray` ends it.
    package mutating func beginArray() { begin("[") }

    package mutating func endArray() { end("]") }

    /// Writes a key of the object at hand; the next call writes its value.
    package mutating func key(_ key: String) {
        separate()
        appendString(key)
        bytes.append(UInt8(ascii: ":"))
        if style == .pretty { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    package mutating func member(_ key: String, _ value: some JSONWritable) {
        self.key(key)
        value.write(to: &self)
    }

    package mutating func object(_ key: String, _ members: (inout JSONWriter) throws -> Void) rethrows {
        self.key(key)
        try object(members)
    }

    package mutating func array(_ key: String, _ elements: (inout JSONWriter) throws -> Void) rethrows {
        self.key(key)
        try array(elements)
    }

    // MARK: Values

    package mutating func value(_ value: some JSONWritable) {
        value.write(to: &self)
    }

    package mutating func string(_ string: some StringProtocol) {
        separate()
        appendString(string)
    }

    package mutating func integer(_ integer: some BinaryInteger) {
        literal(String(integer))
    }

    /// The shortest text that reads back as the same number. JSON has no infinity and no NaN: they become `null`.
    package mutating func double(_ double: Double) {
        literal(double.isFinite ? double.description : "null")
    }

    package mutating func bool(_ bool: Bool) {
        literal(bool ? "true" : "false")
    }

    package mutating func null() {
        literal("null")
    }

    // MARK: Text

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func begin(_ opener: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: opener))
        depth += 1
        isFirst = true
    }

    private mutating func end(_ closer: Unicode.Scalar) {
        depth -= 1
        if !isFirst { breakLine() }
        isFirst = false
        bytes.append(UInt8(ascii: closer))
    }

    private mutating func separate() {
        if followsKey {
            followsKey = false
            return
        }
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        if depth > 0 { breakLine() }
    }

    private mutating func breakLine() {
        guard style == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    private mutating func appendString(_ string: some StringProtocol) {
        bytes.append(UInt8(ascii: "\""))
        var rest = string.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            // DEL is legal as it is, but it is a control character to whatever terminal the line ends up in.
            case 0x00..<0x20, 0x7F: bytes += "\\u00".utf8 + [Self.hexDigit(byte >> 4), Self.hexDigit(byte & 0xF)]
            case 0x80...: appendScalar(beginningWith: byte, &rest)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// As it is, but for what would move the cursor of a terminal, or turn round what is read there.
    private mutating func appendScalar(beginningWith first: UInt8, _ rest: inout some IteratorProtocol<UInt8>) {
        let start = bytes.count
        let more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
        var value = UInt32(first) & (0x3F >> UInt32(more))
        bytes.append(first)
        for _ in 0..<more {
            guard let next = rest.next() else { return }
            bytes.append(next)
            value = value << 6 | UInt32(next & 0x3F)
        }
        guard let scalar = Unicode.Scalar(value), scalar.isUnsafeInMessages, value <= 0xFFFF else { return }
        bytes.removeLast(bytes.count - start)
        bytes += "\\u".utf8 + [12, 8, 4, 0].map { Self.hexDigit(UInt8(value >> $0 & 0xF)) }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
