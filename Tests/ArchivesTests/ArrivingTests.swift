import Glibc
import Platform
import TestSupport
import Testing

@testable import Archives

/// Bytes of which some aren't there yet: a read waits for them.
private final class ArrivingSource: ByteSource {
    private struct Present {
        /// From the first byte on.
        var count: Int64 = 0
        var waiting = 0
        var isOver = false
    }

    let name = "arriving.zip"
    let lengthBytes: Int64
    private let bytes: [UInt8]
    /// From where on there is everything up to the last byte.
    private let endOffset: Int64
    /// What is read only while somebody waits.
    private let shy: Range<Int64>
    private let present = Monitor(Present())

    init(_ bytes: [UInt8], endBytes: Int, shy: Range<Int64> = 0..<0) {
        self.bytes = bytes
        self.shy = shy
        lengthBytes = Int64(bytes.count)
        endOffset = Int64(bytes.count - endBytes)
    }

    func advance(to count: Int) { present.change { $0.count = Int64(count) } }

    /// Nothing more comes.
    func end() { present.change { $0.isOver = true } }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let end = min(offset + Int64(buffer.count), lengthBytes)
        if shy.contains(offset) { present.wait { $0.waiting > 0 || $0.isOver ? () : nil } }
        present.change { $0.waiting += end <= $0.count || offset >= endOffset ? 0 : 1 }
        let isThere = present.wait { end <= $0.count || offset >= endOffset ? true : $0.isOver ? false : nil }
        guard isThere else { throw ArchiveError(.stopped, "over") }
        buffer.copyBytes(from: bytes[Int(offset)..<Int(end)])
        return Int(end - offset)
    }
}

@Suite("A zip that is unpacked while it arrives")
struct ArrivingTests {
    private static func entries(_ count: Int = 20) -> [ZipBuilder.Entry] {
        (0..<count).map { ZipBuilder.Entry("f\($0)", deterministicBytes(10_000 + $0, seed: UInt64($0))) }
    }

    /// The length of the end that has to be there first.
    private static func endBytes(of archive: [UInt8]) -> Int { min(archive.count, 66_000) }

    @Test("Each entry is unpacked as soon as it is there", arguments: [false, true])
    func entryByEntry(hasDescriptors: Bool) async throws {
        var entries = Self.entries()
        for index in entries.indices where hasDescriptors {
            entries[index].flags = 8
            entries[index].descriptor = Array("PK\u{7}\u{8}".utf8)
            for value in [crcValue(entries[index].content), UInt32(entries[index].content.count)] {
                entries[index].descriptor.append(littleEndian: value)
            }
            entries[index].descriptor.append(littleEndian: UInt32(entries[index].content.count))
        }
        let archive = ZipBuilder(entries).build()
        let source = ArrivingSource(archive, endBytes: Self.endBytes(of: archive))
        let scratch = try Scratch()
        let target = scratch.target
        let created = Watched<[[UInt8]]>([])
        let observer = UnpackObserver(didCreate: { entry in created.update { $0.append(entry.path) } })
        async let outcome = onOwnThread {
            try Unpacker(arrivingZip: source, policy: ExtractionPolicy()).unpack(into: target, observer: observer)
        }
        // Nobody waits for ever where one doesn't come.
        defer { source.end() }
        for number in 1...10 {
            // Up to the end of that entry's data, and not a byte further.
            let dataEnd = number * 30 + entries[..<number].reduce(0) { $0 + $1.name.count + $1.content.count }
            source.advance(to: dataEnd + entries[..<(number - 1)].reduce(0) { $0 + $1.descriptor.count })
            try await created.wait(for: "entry \(number)") { $0.count == number ? () : nil }
        }
        source.advance(to: archive.count)
        #expect(try await outcome.files == 20)
        #expect(created.now == entries.map(\.name))
    }

    @Test("Where one has failed nobody waits any longer", .enabled(if: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1))
    func nobodyWaitsAfterAFailure() async throws {
        var entries = Self.entries()
        entries[0].crc = 1
        let archive = ZipBuilder(entries).build()
        let (start, length) = (32, entries[0].content.count)
        // The first one's content is read once somebody waits for that of the second, whose header is there.
        let source = ArrivingSource(
            archive, endBytes: Self.endBytes(of: archive), shy: Int64(start)..<Int64(start + length))
        source.advance(to: start + length + 32)
        let scratch = try Scratch()
        let target = scratch.target
        let isTold = Watched(false)
        var observer = UnpackObserver()
        observer.didFail = {
            isTold.update { $0 = true }
            source.end()
        }
        async let failure = onOwnThread { [observer] in
            #expect(throws: ArchiveError.self) {
                try Unpacker(arrivingZip: source, policy: ExtractionPolicy()).unpack(into: target, observer: observer)
            }
        }
        defer { source.end() }
        try await isTold.wait(for: "the failure") { $0 ? () : nil }
        _ = try await failure
    }

    @Test("Nothing is created where so much may not be unpacked")
    func refusedSum() throws {
        let scratch = try Scratch()
        let archive = MemorySource(ZipBuilder(Self.entries()).build())
        var observer = UnpackObserver()
        observer.mayUnpack = { $0 < 20 * 10_000 + 190 }
        let error = #expect(throws: ArchiveError.self) {
            try Unpacker(arrivingZip: archive, policy: ExtractionPolicy()).unpack(
                into: scratch.target, observer: observer)
        }
        #expect(error?.code == .stopped)
        #expect(try scratch.tree().isEmpty)
        observer.mayUnpack = { $0 == 20 * 10_000 + 190 }
        #expect(
            try Unpacker(arrivingZip: archive, policy: ExtractionPolicy()).unpack(
                into: scratch.target, observer: observer
            ).files == 20)
    }

    @Test("What arrives has the outcome of what is here", arguments: CorpusCase.all.filter { $0.kind == "zip" })
    func sameOutcome(_ item: CorpusCase) throws {
        let (early, late) = (try Scratch(), try Scratch())
        let source = try FileSource(path: item.file)
        let arrived = Result { () throws(ArchiveError) in
            try Unpacker(arrivingZip: source, policy: ExtractionPolicy()).unpack(into: early.target)
        }
        let whole = Result { () throws(ArchiveError) in
            try Unpacker(source: source, format: .zip).unpack(into: late.target)
        }
        switch (arrived, whole) {
        case (.success(let arrived), .success(let whole)):
            #expect(arrived == whole)
            #expect(try early.tree().mapValues(\.kind) == late.tree().mapValues(\.kind))
        // Of several things that are wrong, another one may be found first.
        case (.failure, .failure): break
        default: Issue.record("\(arrived); \(whole)")
        }
        #expect(try early.outsideIsUntouched())
    }

    @Test("An entry that lies in another one is found at its turn")
    func overlap() throws {
        var archive = ZipBuilder(Self.entries(3)).build()
        // The directory's third header is made to point to the second one's data.
        let second = 30 + 2 + 10_000
        let pointer = archive.count - 22 - 2 - 4
        archive.replaceSubrange(pointer..<(pointer + 4), with: (0..<4).map { UInt8((second + 100) >> (8 * $0) & 255) })
        let scratch = try Scratch()
        let error = #expect(throws: ArchiveError.self) {
            try Unpacker(arrivingZip: MemorySource(archive), policy: ExtractionPolicy()).unpack(into: scratch.target)
        }
        #expect(error?.code == .unsafe, "\(String(describing: error))")
    }

    @Test(
        "Entries that claim to lie beyond the archive's end are refused before anything is written",
        arguments: [(.max, 0), (1 << 40, 0), (100, .max), (100, 1 << 40)] as [(Int64, Int64)])
    func beyondTheEnd(packedBytes: Int64, headerOffset: Int64) throws {
        let entries = ["first", "second"].map { name in
            var entry = ZipBuilder.Entry(name, [1, 2, 3])
            entry.method = 8
            entry.packedSize = .max
            entry.directoryExtra.append(littleEndian: UInt16(1))
            entry.directoryExtra.append(littleEndian: UInt16(16))
            for value in [packedBytes, headerOffset] { entry.directoryExtra.append(littleEndian: value) }
            return entry
        }
        var builder = ZipBuilder(entries)
        builder.saturatesOffsets = headerOffset > 0
        let archive = MemorySource(builder.build())
        let scratch = try Scratch()
        let error = #expect(throws: ArchiveError.self) {
            try Unpacker(arrivingZip: archive, policy: ExtractionPolicy()).unpack(into: scratch.target)
        }
        #expect(error?.code == .malformed, "\(String(describing: error))")
        #expect(error?.entry == "first")
        #expect(try scratch.tree().isEmpty)
    }
}
