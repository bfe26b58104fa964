/// A buffer with some bytes of one body in it.
final class BodyPiece: @unchecked Sendable {
    // Sendable because it has one holder at a time: the loop while it fills, then a writer, then the pool.
    private let storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) { storage = .allocate(byteCount: capacity, alignment: 4096) }

    deinit { storage.deallocate() }

    var room: Int { storage.count - count }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    /// Takes as many of `source`'s bytes as there is room for, and says how many.
    func append(_ source: UnsafeRawBufferPointer) -> Int {
        let taken = min(room, source.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<(count + taken)])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<taken]))
        count += taken
        return taken
    }

    func clear() { count = 0 }
}
