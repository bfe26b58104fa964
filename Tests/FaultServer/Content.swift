/// The bytes of a representation, or a slice of them: in memory, or computed when they are needed.
package struct Content: Sendable {
    private enum Source: Sendable {
        case bytes([UInt8])
        case pattern(PatternContent)
    }

    private let source: Source
    private let range: Range<UInt64>

    package static func bytes(_ bytes: [UInt8]) -> Content {
        Content(source: .bytes(bytes), range: 0..<UInt64(bytes.count))
    }

    package static func text(_ text: String) -> Content { .bytes(Array(text.utf8)) }

    /// As many bytes as wanted, without any memory to hold them.
    package static func pattern(lengthBytes: UInt64, seed: UInt64) -> Content {
        Content(source: .pattern(PatternContent(seed: seed)), range: 0..<lengthBytes)
    }

    package static let empty = Content.bytes([])

    package var lengthBytes: UInt64 { range.upperBound - range.lowerBound }

    /// The part between two offsets, as far as there is one.
    package func slice(_ part: Range<UInt64>) -> Content {
        let inside = part.clamped(to: 0..<lengthBytes)
        let lower = range.lowerBound + inside.lowerBound
        return Content(source: source, range: lower..<lower + UInt64(inside.count))
    }

    /// The bytes a client should have got: up to `count` of them from `offset`.
    package func bytes(at offset: UInt64 = 0, count: Int = .max) -> [UInt8] {
        let length = Int(min(UInt64(count), lengthBytes - min(offset, lengthBytes)))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length]), at: offset)
            initialized = length
        }
    }

    /// Fills a buffer, all of which must be inside the content.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) {
        let start = range.lowerBound + offset
        switch source {
        case .bytes(let bytes): buffer.copyBytes(from: bytes[Int(start)..<Int(start) + buffer.count])
        case .pattern(let pattern): pattern.fill(buffer, at: start)
        }
    }
}
