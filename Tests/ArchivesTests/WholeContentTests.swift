import Platform
import TestSupport
import Testing

@testable import Archives

/// Small deflated entries are inflated in one go: what comes of them is what zlib makes of them piece by piece.
@Suite("An entry that is inflated as a whole")
struct WholeContentTests {
    private let content = (0..<3_000).flatMap { Array("\($0 % 700) bottles, ".utf8) }
    private let packed: [UInt8]

    init() async throws {
        // Of gzip's frame, the header and the trailer.
        packed = Array(try await gzip(content, "--no-name").dropFirst(10).dropLast(8))
    }

    private func entry(_ data: [UInt8]) -> ZipBuilder.Entry {
        var entry = ZipBuilder.Entry("file", content)
        (entry.data, entry.method) = (data, ZipMethod.deflate)
        return entry
    }

    /// What zlib says of the same bytes.
    private func reasonByZlib(_ entry: ZipBuilder.Entry) throws -> String? {
        let source = MemorySource(ZipBuilder([entry]).build())
        let archive = try ZipArchive(source, isArriving: false, limits: ExtractionPolicy.Limits())
        let listed = archive.directory.entries[0]
        let stream = listed.content(in: archive.packedContent(of: listed))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { buffer.deallocate() }
        do { while try stream.read(into: buffer) > 0 {} } catch { return error.reason }
        return nil
    }

    @Test("It has its content")
    func wholeContent() throws {
        let unpacking = try Unpacking([entry(packed)])
        _ = try unpacking.outcome.get()
        #expect(try unpacking.file("file") == content)
    }

    @Test("Nobody copies it, and it is there once")
    func takenOnce() throws {
        let source = MemorySource(ZipBuilder([entry(packed)]).build())
        let archive = try ZipArchive(source, isArriving: false, limits: ExtractionPolicy.Limits())
        let reader = EntryReader(archive, workers: 1, hashesPacked: false)
        let opened = try #require(try reader.content(of: archive.directory.entries[0]) as? WholeContent)
        #expect(opened.takeWhole().map(Array.init) == content)
        #expect(opened.takeWhole() == nil)
        withExtendedLifetime(reader) {}
    }

    @Test("What every worker may hold at once bounds what is held")
    func bound() throws {
        let source = MemorySource(ZipBuilder([entry(packed)]).build())
        let archive = try ZipArchive(source, isArriving: false, limits: ExtractionPolicy.Limits())
        let many = EntryReader(archive, workers: 16 << 20 / content.count, hashesPacked: false)
        #expect(try !(many.content(of: archive.directory.entries[0]) is WholeContent))
    }

    enum Damage: CaseIterable {
        case cut, followed, longer, shorter, otherCRC, empty, reservedBlock
    }

    @Test("Damage is told as zlib tells it", arguments: Damage.allCases)
    func damage(_ damage: Damage) throws {
        var entry = entry(packed)
        switch damage {
        case .cut: entry.data = packed.dropLast(20)
        case .followed: entry.data = packed + [0]
        case .longer: entry.size = UInt32(content.count + 1)
        case .shorter: entry.size = UInt32(content.count - 1)
        case .otherCRC: entry.crc = 1
        case .empty: entry.data = []
        case .reservedBlock: entry.data = [7]
        }
        let error = try #require(try Unpacking([entry]).error)
        #expect(error.code == .corrupted)
        #expect(try error.reason == reasonByZlib(entry))
    }

    @Test("Whatever byte is changed, the verdict is zlib's")
    func changedBytes() throws {
        var generator = Seed.generator(for: "a changed byte of a deflate stream")
        for _ in 0..<200 {
            let place = Int.random(in: packed.indices, using: &generator)
            var data = packed
            data[place] ^= UInt8.random(in: 1...255, using: &generator)
            let (error, expected) = (try Unpacking([entry(data)]).error, try reasonByZlib(entry(data)))
            #expect(error?.reason == expected, "byte \(place) is \(data[place])")
        }
    }
}
