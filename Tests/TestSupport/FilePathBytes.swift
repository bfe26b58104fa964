/// A path as the kernel has it: bytes, which needn't be UTF-8.
package struct FilePathBytes: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) { bytes = Array(text.utf8) }
    package init(stringLiteral text: String) { self.init(text) }

    package init(cString: UnsafePointer<CChar>) {
        var bytes: [UInt8] = []
        var position = cString
        while position.pointee != 0 {
            bytes.append(UInt8(bitPattern: position.pointee))
            position += 1
        }
        self.bytes = bytes
    }

    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            // Never empty: there is the zero.
            body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }

    package static func + (one: FilePathBytes, other: FilePathBytes) -> FilePathBytes {
        FilePathBytes(one.bytes + other.bytes)
    }

    package static func < (one: FilePathBytes, other: FilePathBytes) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// Readable: what isn't printable ASCII is escaped.
    package var description: String {
        bytes.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16) }.joined()
    }
}
