import Platform
import TestSupport
import Testing

@testable import Archives

@Suite("Zip archives")
struct ZipTests {
    private let hello = ZipBuilder.Entry("hello.txt", Array("hello".utf8))

    @Test("A comment that holds an end record's signature is text")
    func commentWithSignature() throws {
        var builder = ZipBuilder([hello])
        builder.comment = Array("see PK\u{5}\u{6} and more than twenty-two bytes behind it".utf8)
        let unpacking = try Unpacking(builder.build())
        #expect(try unpacking.file("hello.txt") == hello.content)
        #expect(unpacking.warnings.isEmpty)
    }

    @Test("A comment longer than the file can't hide the end record before it")
    func hiddenEndRecord() throws {
        var builder = ZipBuilder([hello])
        let first = ZipBuilder([.init("other.txt", Array("other".utf8))]).build()
        // The visible archive ends with a comment that claims more than there is: strict tools go back to the first record.
        builder.comment = Array("x".utf8)
        var archive = builder.build()
        archive[archive.count - 3] = 0xff
        #expect(try Unpacking(first + archive).error?.code == .malformed)
    }

    @Test("A comment that is an archive itself is ambiguous")
    func archiveInComment() throws {
        var builder = ZipBuilder([hello])
        builder.comment = ZipBuilder([.init("other.txt", Array("other".utf8))]).build()
        #expect(try Unpacking(builder.build()).error?.code == .malformed)
        builder.comment = ZipBuilder([.init("a/longer/name.txt", Array("other".utf8))]).build()
        #expect(try Unpacking(builder.build()).error?.reason.contains("more than one end record") == true)
    }

    @Test("An end record whose directory could stand in two places is refused")
    func twoDirectories() throws {
        // The second archive's offset, taken literally, leads to the directory of the first.
        let first = ZipBuilder([.init("other.txt", Array("other".utf8))]).build()
        let error = try #require(try Unpacking(first + ZipBuilder([hello]).build()).error)
        #expect(error.code == .malformed)
        #expect(error.reason.contains("two places"))
    }

    @Test("An archive behind other bytes is read")
    func prefix() throws {
        let unpacking = try Unpacking(Array(repeating: 0x23, count: 1_000) + ZipBuilder([hello]).build())
        #expect(try unpacking.file("hello.txt") == hello.content)
        #expect(unpacking.warnings == ["1000 bytes stand before the archive"])
    }

    @Test("An archive that is stored in another is only content")
    func storedArchive() throws {
        let inner = ZipBuilder([hello]).build()
        let unpacking = try Unpacking([.init("inner.zip", inner)])
        #expect(try unpacking.file("inner.zip") == inner)
    }

    @Test("Each shape of data descriptor is fine", arguments: [true, false], [4, 8])
    func descriptorShape(hasSignature: Bool, sizeBytes: Int) throws {
        var entry = hello
        entry.flags = 8
        entry.descriptor = hasSignature ? Array("PK\u{7}\u{8}".utf8) : []
        entry.descriptor.append(littleEndian: crcValue(entry.content))
        for _ in 0..<2 {
            entry.descriptor.append(littleEndian: UInt32(entry.content.count))
            entry.descriptor += Array(repeating: 0, count: sizeBytes - 4)
        }
        let unpacking = try Unpacking([entry, .init("next", [1])])
        #expect(try unpacking.file("hello.txt") == hello.content)
        #expect(unpacking.warnings.isEmpty)
    }

    @Test("Sizes that look like a descriptor's signature are sizes")
    func signatureInContent() throws {
        var entry = hello
        entry.content = Array("PK\u{7}\u{8}PK\u{7}\u{8}PK\u{3}\u{4}PK\u{1}\u{2}".utf8)
        entry.flags = 8
        entry.descriptor = Array("PK\u{7}\u{8}".utf8)
        entry.descriptor.append(littleEndian: crcValue(entry.content))
        for _ in 0..<2 { entry.descriptor.append(littleEndian: UInt32(entry.content.count)) }
        #expect(try Unpacking([entry]).file("hello.txt") == entry.content)
    }

    @Test("A contradicting descriptor is a warning: the directory decides")
    func contradictingDescriptor() throws {
        var entry = hello
        entry.flags = 8
        entry.descriptor = Array(repeating: 0xee, count: 16)
        let unpacking = try Unpacking([entry])
        #expect(try unpacking.file("hello.txt") == hello.content)
        #expect(unpacking.warnings.contains { $0.contains("data descriptor") })
    }

    @Test("A saturated size without a ZIP64 field is meant literally, and so beyond the end")
    func saturatedSizeWithoutField() throws {
        var entry = hello
        entry.size = .max
        entry.method = 8
        entry.data = [3, 0]
        #expect(try Unpacking([entry]).error?.code == .limitExceeded)
        var policy = ExtractionPolicy()
        policy.limits.ratio = .max
        let error = try #require(try Unpacking([entry], policy: policy).error)
        #expect(error.code == .corrupted)
        #expect(error.reason.contains("4294967295"))
    }

    @Test("Not one byte is written past the declared size, however much comes out")
    func moreThanDeclared() throws {
        var entry = ZipBuilder.Entry("grown", deterministicBytes(5_000, seed: 3))
        entry.method = 8
        entry.size = 4_999
        // One block of deflate that stores its bytes.
        entry.data = [1, 0x88, 0x13, 0x77, 0xec] + entry.content
        let written = Locked(0)
        let observer = UnpackObserver(didWrite: { bytes in written.withLock { $0 += bytes } })
        let unpacking = try Unpacking(ZipBuilder([entry]).build(), observer: observer)
        #expect(unpacking.error?.code == .corrupted)
        #expect(written.withLock { $0 } <= 4_999)
        entry.size = nil
        #expect(try Unpacking([entry]).file("grown") == entry.content)
    }

    @Test("The local header must say what the directory says", arguments: [6, 8, 14, 18, 22, 30])
    func localHeaderDiffers(at offset: Int) throws {
        var archive = ZipBuilder([hello]).build()
        archive[offset] ^= 1
        #expect(try Unpacking(archive).error?.code == .malformed)
    }

    @Test("Entries that share bytes are refused before anything is written")
    func overlap() throws {
        var outer = ZipBuilder.Entry("outer", [])
        // The second local header lies within the first entry's data.
        let inner = ZipBuilder([hello]).build()
        outer.content = Array(inner.prefix(30 + 9 + 5))
        var archive = ZipBuilder([outer, hello]).build()
        let directory = try #require(archive.lastIndex(of: UInt8(ascii: "h"))) - 46
        archive[directory + 42] = UInt8(30 + 5)
        let unpacking = try Unpacking(archive)
        #expect(unpacking.error?.code == .unsafe)
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    @Test(
        "Unsafe names are refused with the entry named, before anything is written",
        arguments: [
            "../x", "a/../../x", "/x", "//x", "C:/x", "c:x", "a\\x", "..\\x", "a\0b", "", "a/..", "./../x",
            String(repeating: "n", count: 256), String(repeating: "directory/", count: 410) + "x",
        ])
    func unsafeName(_ name: String) throws {
        let unpacking = try Unpacking([hello, .init(name, [1])])
        let error = try #require(unpacking.error)
        #expect(error.code == .unsafe)
        #expect(error.entry != nil)
        #expect(try unpacking.scratch.tree().isEmpty)
        #expect(try unpacking.scratch.outsideIsUntouched())
    }

    @Test("What was read from a pipe is a file, and told of where it is empty; a pipe itself is refused")
    func pipes() throws {
        var read = ZipBuilder.Entry("-", [65])
        read.mode = 0o010644
        let unpacking = try Unpacking([read])
        #expect(try unpacking.file("-") == [65])
        #expect(unpacking.warnings == [])
        var empty = ZipBuilder.Entry("empty")
        (empty.mode, empty.method, empty.data) = (0o010644, ZipMethod.deflate, [3, 0])
        let odd = try Unpacking([empty])
        #expect(try odd.file("empty") == [])
        #expect(odd.warnings.count == 1 && odd.warnings[0].contains("'empty' is a pipe"), "\(odd.warnings)")
        var pipe = ZipBuilder.Entry("pipe")
        pipe.mode = 0o010644
        let refused = try Unpacking([hello, pipe])
        #expect(refused.error?.code == .unsafe)
        #expect(try refused.scratch.tree().isEmpty)
    }

    @Test("Control characters in a name are escaped in the message")
    func controlCharacters() throws {
        let error = try #require(try Unpacking([.init("../\u{1b}[2J\n", [1])]).error)
        #expect(error.description.contains("'../\\u{1B}[2J\\n'"))
    }

    @Test(
        "What can't be read is refused by name before anything is written",
        arguments: [
            (UInt16(9), "deflate64"), (12, "bzip2"), (14, "lzma"), (93, "zstd"), (99, "AES"),
        ])
    func unsupportedMethod(method: UInt16, name: String) throws {
        var entry = ZipBuilder.Entry("second", [1, 2, 3])
        entry.method = method
        let unpacking = try Unpacking([hello, entry])
        let error = try #require(unpacking.error)
        #expect(error.code == .unsupported)
        #expect(error.entry == "second")
        #expect(error.reason.contains(name))
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    @Test("Encryption is refused before anything is written")
    func encrypted() throws {
        var entry = ZipBuilder.Entry("secret", [1, 2, 3])
        entry.flags = 1
        let unpacking = try Unpacking([hello, entry])
        #expect(unpacking.error?.code == .unsupported)
        #expect(unpacking.error?.reason == "is encrypted")
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    @Test("Names without a mark are code page 437 unless a Unix system wrote UTF-8")
    func unmarkedNames() throws {
        var legacy = ZipBuilder.Entry("", [1])
        legacy.name = [0x81, 0x62, 0x65, 0x72]  // "über"
        let unpacking = try Unpacking([legacy, .init("größe", [2])])
        #expect(try unpacking.file("über") == [1])
        #expect(try unpacking.file("größe") == [2])
    }

    @Test("Many entries: the end record's count is no reason to allocate")
    func declaredCount() throws {
        let record = ZipBuilder.endRecord(entries: 0xfffe, directoryBytes: 0, directoryOffset: 0, commentBytes: 0)
        #expect(try Unpacking(record).error?.code == .malformed)
    }

    @Test("A million entries fit: an entry and its node take under 100 bytes beyond the names")
    func compactIndex() {
        let slotBytes = 4 * 8 / 3  // At least three eighths of the table's slots are taken once it has grown.
        #expect(
            MemoryLayout<ZipEntry>.stride + MemoryLayout<PathTree.Storage>.stride + slotBytes
                + MemoryLayout<PathTree.Node>.stride < 100
        )
    }

    @Test("More than 65,535 entries are counted by ZIP64, and judged before the first is written")
    func manyEntries() async throws {
        let scratch = try Scratch()
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], 'w') as z:
                for i in range(66000): z.writestr(zipfile.ZipInfo('d%02d/file-%05d' % (i % 50, i)), b'')
                z.writestr('d00', b'')
            """
        let path = scratch.path + "/archive.zip"
        try await runTool(["python3", "-c", script, path], in: scratch.path)
        let error = #expect(throws: ArchiveError.self) {
            try Unpacker(source: FileSource(path: path)).unpack(into: scratch.target)
        }
        #expect(error?.code == .unsafe)
        #expect(error?.entry == "d00")
        #expect(try scratch.tree().isEmpty)
    }

    @Test("Small entries are read in few pieces")
    func fewReads() throws {
        let source = MemorySource(
            ZipBuilder((0..<1_000).map { .init("file-\($0)", deterministicBytes(20, seed: 1)) }).build())
        let scratch = try Scratch()
        let summary = try Unpacker(source: source).unpack(into: scratch.target)
        #expect(summary.files == 1_000)
        #expect(source.readCount < 1_200)
    }

    @Test("An archive cut anywhere is refused")
    func cutAnywhere() throws {
        let archive = ZipBuilder([hello, .init("b/c", deterministicBytes(40, seed: 1))]).build()
        for length in 0..<archive.count {
            let unpacking = try Unpacking(Array(archive[..<length]))
            #expect(unpacking.error != nil, "\(length)")
        }
    }

    @Test(
        "A DOS date that no calendar has is none",
        arguments: [
            (2025, 1, 1, 0, Int64(1_735_689_600)), (2024, 2, 29, 0, 1_709_164_800), (2025, 2, 29, 0, nil),
            (2025, 2, 31, 0, nil), (2025, 4, 31, 0, nil), (2025, 0, 1, 0, nil), (2025, 13, 1, 0, nil),
            (2025, 1, 0, 0, nil), (2025, 1, 1, 0b10111_111011_11110, nil),
        ] as [(Int, Int, Int, UInt16, Int64?)])
    func dosDates(year: Int, month: Int, day: Int, time: UInt16, seconds: Int64?) {
        let date = UInt16((year - 1980) << 9 | month << 5 | day)
        #expect(DOSTime.seconds(date: date, time: time) == seconds)
    }
}
