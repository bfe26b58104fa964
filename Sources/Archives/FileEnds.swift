import Platform

/// The first and the last bytes of a file, and its length: what a look at its format needs.
package struct FileEnds: Sendable {
    package static let headBytes = 1024
    private static let tailBytes = 64

    package private(set) var head: [UInt8] = []
    package private(set) var tail: [UInt8] = []
    package private(set) var sizeBytes: Int64 = 0

    private init(head: [UInt8], tail: [UInt8], sizeBytes: Int64) {
        (self.head, self.tail, self.sizeBytes) = (head, tail, sizeBytes)
    }

    /// Those of a file that is open.
    package init(of file: OwnedDescriptor, sizeBytes: Int64) throws(SystemError) {
        func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
            defer { buffer.deallocate() }
            let read = try file.read(into: buffer, at: offset)
            return Array(buffer[..<read])
        }
        self.init(
            head: try bytes(at: 0, count: Self.headBytes),
            tail: try bytes(at: max(0, sizeBytes - Int64(Self.tailBytes)), count: Self.tailBytes), sizeBytes: sizeBytes)
    }

    /// Those of a file that comes piece by piece.
    package init() {}

    package mutating func append(_ piece: UnsafeRawBufferPointer) {
        head += piece.prefix(Self.headBytes - head.count)
        tail = Array((tail + piece.suffix(Self.tailBytes)).suffix(Self.tailBytes))
        sizeBytes += Int64(piece.count)
    }

    package func starts(with bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }

    /// A little-endian number of `count` bytes in the head; nil where the head ends before.
    package func number(at offset: Int, bytes count: Int) -> UInt64? {
        guard head.count >= offset + count else { return nil }
        return head[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
