import Glibc
import Platform
import TestSupport
import Testing

@testable import Archives

/// Bytes in pieces, then an end or an error; notes which threads read.
private final class PiecesStream: ByteStream {
    private var rest: ArraySlice<UInt8>
    private let pieceBytes: Int
    private let error: ArchiveError?
    private(set) var threads: Set<pthread_t> = []
    var takenBytes: Int64 { Int64(rest.startIndex) }

    init(_ bytes: [UInt8], pieceBytes: Int = .max, error: ArchiveError? = nil) {
        rest = bytes[...]
        self.pieceBytes = pieceBytes
        self.error = error
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        threads.insert(pthread_self())
        let piece = rest.prefix(min(buffer.count, pieceBytes))
        if piece.isEmpty, let error { throw error }
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}

@Suite("A stream that another thread reads ahead")
struct ReadAheadTests {
    private let content = deterministicBytes(3_000_000, seed: 1)

    /// All that comes, and what it ended with.
    private func drain(_ stream: any ByteStream, by count: Int) -> (bytes: [UInt8], error: ArchiveError?) {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { buffer.deallocate() }
        do throws(ArchiveError) {
            while true {
                let count = try stream.read(into: buffer)
                if count == 0 { return (bytes, nil) }
                bytes += buffer[..<count]
            }
        } catch {
            return (bytes, error)
        }
    }

    @Test(
        "All bytes come in order, however they are cut", arguments: [(1 << 20, 100_000), (7_001, 256 << 10), (99, 99)])
    func order(pieceBytes: Int, by count: Int) {
        let stream = PiecesStream(content, pieceBytes: pieceBytes)
        #expect(drain(ReadAhead(stream), by: count).bytes == content)
        #expect(stream.threads.count == 2)
    }

    @Test("An error comes behind the bytes before it")
    func error() {
        let stream = PiecesStream(content, error: ArchiveError(.corrupted, "cut"))
        let drained = drain(ReadAhead(stream), by: 700_000)
        #expect(drained.bytes == content)
        #expect(drained.error?.reason == "cut")
    }

    @Test("A little is read without a thread")
    func little() {
        let stream = PiecesStream(Array(content.prefix(100_000)))
        #expect(drain(ReadAhead(stream), by: 40_000).bytes.count == 100_000)
        #expect(stream.threads == [pthread_self()])
    }

    @Test("What the stream took counts piece by piece, not as far as it is ahead")
    func inputBytes() throws {
        let stream = PiecesStream(content)
        let ahead = ReadAhead(stream) { stream.takenBytes }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var total: Int64 = 0
        while case let count = try ahead.read(into: buffer), count > 0 {
            total += Int64(count)
            #expect(ahead.inputBytes == total)
        }
    }

    @Test("Who leaves early leaves no thread that reads")
    func leaving() throws {
        let stream = PiecesStream(Array(repeating: 0, count: 32 << 20))
        do {
            let ahead = ReadAhead(stream)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
            defer { buffer.deallocate() }
            for _ in 0..<3 { _ = try ahead.read(into: buffer) }
        }
        // The thread is gone: nothing is read behind our back, and never more than the ring holds.
        #expect(stream.takenBytes <= (3 + 5) * (256 << 10))
    }
}
