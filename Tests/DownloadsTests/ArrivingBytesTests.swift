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

    /// Reads on a thread of its own, which nothing keeps waiting for longer than a test may take.
    private static func reading<Result: Sendable>(
        _ arriving: ArrivingBytes, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let bound = Task {
            try await Task.sleep(for: .seconds(20))
            arriving.abandon()
        }
        defer { bound.cancel() }
        return try await onOwnThread(body)
    }

    private static func head(of arriving: ArrivingBytes, countBytes: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: countBytes)
        let count = try bytes.withUnsafeMutableBytes { try arriving.read(at: 0, into: $0) }
        return Array(bytes.prefix(count ?? 0))
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
        arriving.begin(file, held: [], totalBytes: 300_000)
        async let read = Self.reading(arriving) { try Self.drain(arriving) }
        for end in stride(from: 50_000, through: 300_000, by: 50_000) {
            _ = arriving.advance(held: [0..<Int64(end)])
        }
        arriving.end(with: file)
        #expect(try await read == content)
    }

    @Test func itIsToldOnceEnoughIsThereAndOnlyOnce() {
        let told = Locked(0)
        let arriving = ArrivingBytes(announcedBytes: 100_000) { _ in told.withLock { $0 += 1 } }
        arriving.begin(file, held: [], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<99_999])
        #expect(told.withLock { $0 } == 0)
        _ = arriving.advance(held: [0..<100_000])
        _ = arriving.advance(held: [0..<200_000])
        #expect(told.withLock { $0 } == 1)
    }

    @Test func nothingBeginsOnceTheDownloadHasEnded() {
        let told = Locked(0)
        let arriving = ArrivingBytes(announcedBytes: 1) { _ in told.withLock { $0 += 1 } }
        arriving.begin(file, held: [], totalBytes: 300_000)
        arriving.end(with: nil)
        _ = arriving.advance(held: [0..<2])
        #expect(told.withLock { $0 } == 0)
    }

    @Test func aTryThatGoesOnAtTheSameByteLosesNothing() throws {
        let arriving = arriving()
        arriving.begin(file, held: [], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<200_000])
        arriving.begin(file, held: [0..<200_000], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<300_000])
        arriving.end(with: file)
        #expect(try Self.drain(arriving) == content)
    }

    @Test(arguments: [true, false]) func whoeverReadsLearnsThatTheseBytesEnded(beginsAnew: Bool) async throws {
        let arriving = arriving()
        arriving.begin(file, held: [], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<100_000])
        async let read = Self.reading(arriving) { try Self.drain(arriving) }
        if beginsAnew { arriving.begin(file, held: [], totalBytes: 300_000) } else { arriving.end(with: nil) }
        #expect(try await read == nil)
        // Whatever comes now is nothing that the reader had begun with.
        _ = arriving.advance(held: [0..<300_000])
        arriving.end(with: file)
        #expect(try Self.drain(arriving) == nil)
    }

    @Test func theEndIsReadBeforeWhatLiesInFrontOfIt() async throws {
        let arriving = arriving()
        arriving.begin(file, held: [], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<10, 200_000..<300_000])
        #expect(try arriving.lengthBytes() == 300_000)
        let (count, bytes) = try await Self.reading(arriving) {
            var bytes = [UInt8](repeating: 0, count: 1_000)
            let count = try bytes.withUnsafeMutableBytes { buffer in
                try arriving.read(at: 299_500, into: buffer, fillsBuffer: true)
            }
            return (count, bytes)
        }
        #expect(count == 500)
        #expect(bytes.prefix(500).elementsEqual(content[299_500...]))
    }

    /// It may be fetched once more, from somebody who has something else, and that is what the digest is of.
    @Test func whatLiesBetweenGapsIsNotRead() async throws {
        let arriving = arriving()
        arriving.begin(file, held: [], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<10, 100_000..<200_000, 250_000..<300_000])
        let begun = Watched(false)
        async let read = Self.reading(arriving) {
            var bytes = [UInt8](repeating: 0, count: 1_000)
            begun.update { $0 = true }
            let count = try bytes.withUnsafeMutableBytes { buffer in
                try arriving.read(at: 150_000, into: buffer, fillsBuffer: true)
            }
            return (count, bytes)
        }
        try await begun.wait(for: "the reader") { $0 ? () : nil }
        // So much of what may be read that a reader who didn't wait would be done long since.
        for _ in 0..<200 { #expect(try Self.head(of: arriving, countBytes: 10) == Array(content[..<10])) }
        let later = deterministicBytes(1_000, seed: 6)
        try later.withUnsafeBytes { try file.write($0, at: 150_000) }
        _ = arriving.advance(held: [0..<150_999, 250_000..<300_000])
        _ = arriving.advance(held: [0..<151_000, 250_000..<300_000])
        let (count, bytes) = try await read
        #expect(count == 1_000)
        #expect(bytes == later)
    }

    @Test func anotherFilesBytesAreAnotherVersions() throws {
        let folder = try TemporaryDirectory()
        try folder.write(content, to: "other")
        let other = try Directory.open(folder.path).open(RelativePath("other"), flags: O_RDWR)
        let arriving = arriving()
        arriving.begin(file, held: [], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<100_000])
        arriving.begin(other, held: [0..<200_000], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<300_000])
        arriving.end(with: other)
        #expect(try Self.drain(arriving) == nil)
    }

    @Test func theEndIsWishedForOnceATryByWhatItBeginsWith() {
        let arriving = ArrivingBytes(
            announcedBytes: 0, readsEndFirst: { [content] in $0 == Array(content.prefix(4)) }, didBegin: { _ in })
        arriving.begin(file, held: [], totalBytes: 300_000)
        #expect(!arriving.advance(held: [0..<3]), "nobody knows yet")
        #expect(arriving.advance(held: [0..<4]))
        #expect(!arriving.advance(held: [0..<5]))
        arriving.begin(file, held: [0..<5], totalBytes: 300_000)
        #expect(arriving.advance(held: [0..<6]))
    }

    /// Whoever asked may have got it from somebody else in the end.
    @Test func theseBytesAreProvenOnlyAsThoseOfTheFileThatWasBrought() throws {
        let folder = try TemporaryDirectory()
        try folder.write(content, to: "other")
        let other = try Directory.open(folder.path).open(RelativePath("other"), flags: O_RDWR)
        for (answer, isProven) in [(file, true), (other, false), (nil, false)] {
            let arriving = arriving()
            arriving.begin(file, held: [], totalBytes: 300_000)
            _ = arriving.advance(held: [0..<300_000])
            arriving.end(with: answer)
            #expect(arriving.areProven() == isProven)
            #expect(try Self.drain(arriving) == (isProven ? content : nil))
        }
        let idle = arriving()
        idle.end(with: file)
        #expect(!idle.areProven(), "none of it was seen")
    }

    @Test func whatIsGivenUpStaysSo() throws {
        let arriving = arriving()
        arriving.abandon()
        arriving.begin(file, held: [], totalBytes: 300_000)
        _ = arriving.advance(held: [0..<100_000])
        #expect(try Self.head(of: arriving, countBytes: 10) == Array(content[..<10]), "there was nothing to give up")
        #expect(arriving.missingBytes == 200_000)
        arriving.abandon()
        arriving.end(with: file)
        #expect(!arriving.areProven())
        #expect(try Self.drain(arriving) == nil)
    }
}
