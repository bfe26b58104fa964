import Glibc
import Platform
import TestSupport
import Testing

@testable import Downloads

/// Bytes that are read while they arrive.
@Suite struct ArrivingBytesTests {
    private let content = deterministicBytes(300_000, seed: 5)
    private let folder: TemporaryDirectory
    private let file: Platform.OwnedDescriptor

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write(content, to: "file")
        file = try Directory.open(folder.path).open(RelativePath("file"), flags: O_RDWR)
    }

    private func arriving(_ announcedBytes: Int64 = 0) -> ArrivingBytes {
        ArrivingBytes(announcedBytes: announcedBytes) { _ in }
    }

    /// All that comes; nil where it ended as something else.
    private static func drain(_ arriving: ArrivingBytes) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10_007, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            guard let count = try arriving.read(at: Int64(bytes.count), into: buffer) else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    @Test func theReaderWaitsForWhatIsNotThereYet() async throws {
        let arriving = arriving()
        arriving.begin(file, contiguousBytes: 0)
        async let read = onOwnThread { try Self.drain(arriving) }
        for end in stride(from: 50_000, through: 300_000, by: 50_000) { arriving.advance(to: Int64(end)) }
        arriving.end(isWhole: true)
        #expect(try await read == content)
    }

    @Test func itIsToldOnceEnoughIsThereAndOnlyOnce() {
        let told = Locked(0)
        let arriving = ArrivingBytes(announcedBytes: 100_000) { _ in told.withLock { $0 += 1 } }
        arriving.begin(file, contiguousBytes: 0)
        arriving.advance(to: 99_999)
        #expect(told.withLock { $0 } == 0)
        arriving.advance(to: 100_000)
        arriving.advance(to: 200_000)
        #expect(told.withLock { $0 } == 1)
    }

    @Test func nothingBeginsOnceTheDownloadHasEnded() {
        let told = Locked(0)
        let arriving = ArrivingBytes(announcedBytes: 1) { _ in told.withLock { $0 += 1 } }
        arriving.begin(file, contiguousBytes: 0)
        arriving.end(isWhole: false)
        arriving.advance(to: 2)
        #expect(told.withLock { $0 } == 0)
    }

    @Test func aTryThatGoesOnAtTheSameByteLosesNothing() throws {
        let arriving = arriving()
        arriving.begin(file, contiguousBytes: 0)
        arriving.advance(to: 200_000)
        arriving.begin(file, contiguousBytes: 200_000)
        arriving.advance(to: 300_000)
        arriving.end(isWhole: true)
        #expect(try Self.drain(arriving) == content)
    }

    @Test(arguments: [true, false]) func whoeverReadsLearnsThatTheseBytesEnded(beginsAnew: Bool) async throws {
        let arriving = arriving()
        arriving.begin(file, contiguousBytes: 0)
        arriving.advance(to: 100_000)
        async let read = onOwnThread { try Self.drain(arriving) }
        if beginsAnew { arriving.begin(file, contiguousBytes: 0) } else { arriving.end(isWhole: false) }
        #expect(try await read == nil)
        // Whatever comes now is nothing that the reader had begun with.
        arriving.advance(to: 300_000)
        arriving.end(isWhole: true)
        #expect(try Self.drain(arriving) == nil)
    }
}
