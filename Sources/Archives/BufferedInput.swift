/// A stream whose next bytes can be looked at before they are taken.
final class BufferedInput: ByteStream {
    private let stream: any ByteStream
    private let buffer: UnsafeMutableRawBufferPointer
    private var head = 0
    private var tail = 0
    /// How many bytes have been taken so far: the place of the next one.
    private(set) var offset: Int64 = 0

    /// - Parameter capacityBytes: how far ahead it can look.
    init(_ stream: any ByteStream, capacityBytes: Int = 128 << 10) {
        self.stream = stream
        buffer = .allocate(byteCount: capacityBytes, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// The bytes at hand, good until the next call of anything here.
    var available: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[head..<tail]) }

    /// Makes at least `count` bytes available; `count` must not exceed the capacity.
    /// - Returns: false when the stream ends before.
    func fill(_ count: Int) throws(ArchiveError) -> Bool {
        if tail - head >= count { return true }
        if head > 0 {
            let rest = available
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest.count]).copyMemory(from: rest)
            (head, tail) = (0, rest.count)
        }
        while tail < count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[tail...])
            let added = try stream.read(into: room)
            if added == 0 { return false }
            tail += added
        }
        return true
    }

    /// Takes `count` of the available bytes.
    func consume(_ count: Int) {
        head += count
        offset += Int64(count)
    }

    /// Takes `count` bytes, which stay readable until the next call; nil, with nothing taken, when the stream ends before.
    func take(_ count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer? {
        guard try fill(count) else { return nil }
        defer { consume(count) }
        return UnsafeRawBufferPointer(rebasing: available[..<count])
    }

    /// Takes `count` bytes that nobody wants to see.
    /// - Returns: false when the stream ends before.
    func skip(_ count: Int64) throws(ArchiveError) -> Bool {
        var rest = count
        while rest > 0 {
            guard try fill(1) else { return false }
            let step = Int(min(rest, Int64(tail - head)))
            consume(step)
            rest -= Int64(step)
        }
        return true
    }

    func read(into target: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        if head == tail {
            // Nothing waits here: large pieces go past the buffer.
            let count = try stream.read(into: target)
            offset += Int64(count)
            return count
        }
        let count = min(target.count, tail - head)
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: available[..<count]))
        consume(count)
        return count
    }
}
