/// The first and the last bytes of a file, and its length: what a look at its format needs.
struct FileEnds {
    static let headBytes = 1024
    static let tailBytes = 64

    private(set) var head: [UInt8] = []
    private(set) var tail: [UInt8] = []
    private(set) var sizeBytes: Int64 = 0

    init(head: [UInt8], tail: [UInt8], sizeBytes: Int64) {
        (self.head, self.tail, self.sizeBytes) = (head, tail, sizeBytes)
    }

    /// Those of a file that comes piece by piece.
    init() {}

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        head += piece.prefix(Self.headBytes - head.count)
        tail = Array((tail + piece.suffix(Self.tailBytes)).suffix(Self.tailBytes))
        sizeBytes += Int64(piece.count)
    }

    func starts(with bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }

    /// A little-endian number of `count` bytes in the head; nil where the head ends before.
    func number(at offset: Int, bytes count: Int) -> UInt64? {
        guard head.count >= offset + count else { return nil }
        return head[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
