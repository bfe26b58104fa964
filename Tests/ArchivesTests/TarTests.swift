import Archives
import Platform
import TestSupport
import Testing

@Suite("Tar archives")
struct TarTests {
    @Test("A pax record before a long name belongs to the entry, not to the long name")
    func paxSizeBeforeLongName() throws {
        let name = String(repeating: "n", count: 150)
        let archive = TarBuilder.of {
            $0.addPax([("size", "5")])
            $0.add("././@LongLink", type: "L", Array(name.utf8) + [0])
            $0.add(name, Array("hello".utf8), declaredBytes: 0)
            $0.add("next", [1])
        }
        let unpacking = try Unpacking(archive)
        #expect(try unpacking.file(RelativePath(name)) == Array("hello".utf8))
        #expect(try unpacking.file("next") == [1])
    }

    @Test("A pax record stands whatever extension headers follow it")
    func paxBeforeGlobal() throws {
        let archive = TarBuilder.of {
            $0.addPax([("path", "local")])
            $0.addPax([("path", "global"), ("mtime", "5.5")], type: "g")
            $0.add("a", [1])
            $0.add("b", [2])
        }
        let tree = try Unpacking(archive).scratch.tree()
        #expect(Set(tree.keys) == ["local", "global"])
        #expect(tree["local"]?.status.modified == Timestamp(seconds: 5, nanoseconds: 500_000_000))
    }

    @Test(
        "Times before 1970 count forwards",
        arguments: [("-1.25", -2, 750_000_000), ("-3", -3, 0), ("0.5", 0, 500_000_000)])
    func negativeTime(text: String, seconds: Int64, nanoseconds: Int32) throws {
        let archive = TarBuilder.of {
            $0.addPax([("mtime", text)])
            $0.add("a")
        }
        let tree = try Unpacking(archive).scratch.tree()
        #expect(tree["a"]?.status.modified == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(
        "A time beyond what any file system holds is no error",
        arguments: ["9223372036854775807", "-9223372036854775807.5", "99999999999999999999", "nonsense"])
    func extremeTime(text: String) throws {
        let archive = TarBuilder.of {
            $0.addPax([("mtime", text)])
            $0.add("a", [1])
        }
        #expect(try Unpacking(archive).file("a") == [1])
    }

    @Test(
        "Extension headers that claim terabytes, or never end, are refused in bounded memory",
        arguments: ["x", "g", "L", "K"])
    func hugeExtension(type: Character) throws {
        let huge = TarBuilder.of { $0.add("h", type: type, sizeField: [0x80, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]) }
        #expect(try Unpacking(huge).error?.code == .malformed)
        let endless = TarBuilder.of { for _ in 0..<3_000 { $0.add("h", type: type) } }
        #expect(try Unpacking(endless).error?.code == .malformed)
    }

    @Test(
        "Numbers at the edge never trap",
        arguments: [
            [0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0],
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], [0xbf] + Array(repeating: 0xff, count: 11),
            Array("777777777777".utf8), Array("89".utf8),
        ])
    func edgeNumbers(field: [UInt8]) throws {
        for type: Character in ["0", "1", "5", "x", "L", "S", "V"] {
            let error = try Unpacking(TarBuilder.of { $0.add("a", type: type, [1], sizeField: field) }).error
            if type == "0" { #expect(error != nil) }
        }
    }

    @Test(
        "A sparse map that wraps, overlaps or leaves the file is refused at once",
        arguments: [
            "9223372036854775807,1", "0,10,5,10", "0,9223372036854775807,9223372036854775807,1", "100,1", "0,-1", "0",
            "0,1,",
        ])
    func badSparseMap(map: String) throws {
        let archive = TarBuilder.of {
            $0.addPax([("GNU.sparse.size", "100"), ("GNU.sparse.map", map)])
            $0.add("a", [1])
        }
        #expect(try Unpacking(archive).error?.code == .malformed)
    }

    @Test("A sparse file has its holes again, in the content and on the disk")
    func sparseFile() throws {
        let archive = TarBuilder.of {
            $0.addPax([("GNU.sparse.size", "10000000"), ("GNU.sparse.map", "4096,3,9000000,2")])
            $0.add("a", [1, 2, 3, 4, 5])
        }
        let unpacking = try Unpacking(archive)
        var expected = [UInt8](repeating: 0, count: 10_000_000)
        expected.replaceSubrange(4_096..<4_099, with: [1, 2, 3])
        expected.replaceSubrange(9_000_000..<9_000_002, with: [4, 5])
        let item = try #require(unpacking.scratch.tree()["a"])
        #expect(item.kind == .file(expected))
        #expect(item.status.allocatedBytes < 1_000_000)
    }

    @Test(
        "A hard link is a further name of a file the archive has made",
        arguments: ["file", "./file", "d/../file", "/file", "missing", ""])
    func hardLink(target: String) throws {
        let archive = TarBuilder.of {
            $0.add("file", [7], mode: 0o755)
            $0.add("d/again", type: "1", link: target)
        }
        let created = Locked<[ExtractedEntry]>([])
        let observer = UnpackObserver(didCreate: { entry in created.withLock { $0.append(entry) } })
        let unpacking = try Unpacking(archive, observer: observer)
        guard target == "file" || target == "./file" else {
            #expect(
                try #require(unpacking.error).code == (target == "missing" || target.isEmpty ? .corrupted : .unsafe))
            return
        }
        let tree = try unpacking.scratch.tree()
        #expect(tree["d/again"]?.status.inode == tree["file"]?.status.inode)
        let contents = created.withLock { $0.filter { $0.path != Array("d".utf8) }.map(\.content) }
        #expect(contents.count == 2 && contents[0] == contents[1])
    }

    @Test("A hard link to a symbolic link that leaves the tree is refused")
    func hardLinkToEscapingLink() throws {
        let archive = TarBuilder.of {
            $0.add("d/link", type: "2", link: "../inside")
            $0.add("again", type: "1", link: "d/link")
        }
        // Contained where the link is, leaving where its further name is.
        let unpacking = try Unpacking(archive)
        #expect(unpacking.error?.code == .unsafe)
        #expect(unpacking.error?.entry == "again")
    }

    @Test("A directory that becomes a link can't carry a child out", arguments: ["..", "/", "x"])
    func cachedPrefix(target: String) throws {
        let archive = TarBuilder.of {
            $0.add("d/", type: "5")
            $0.add("d", type: "2", link: target)
            $0.add("d/child", [1])
        }
        let unpacking = try Unpacking(archive)
        #expect(unpacking.error?.code == .unsafe)
        #expect(try unpacking.scratch.outsideIsUntouched())
    }

    @Test("Directories without permissions don't stop what is in them")
    func readOnlyDirectory() throws {
        let archive = TarBuilder.of {
            $0.add("d/", type: "5", mode: 0o555)
            $0.add("d/e/", type: "5", mode: 0)
            $0.add("d/e/x", [1], mode: 0o444)
        }
        let tree = try Unpacking(archive).scratch.tree()
        #expect(tree["d/e/x"]?.status.mode == 0o644)
        #expect(tree["d/e"]?.status.mode == 0o755)
        #expect(tree["d/e"]?.status.modified == Timestamp(seconds: 1_700_000_001))
    }

    @Test(
        "Devices, FIFOs and parts of other volumes are refused",
        arguments: [
            (Character("3"), ArchiveError.Code.unsafe), ("4", .unsafe), ("6", .unsafe), ("M", .unsupported),
        ])
    func specialFiles(type: Character, code: ArchiveError.Code) throws {
        #expect(try Unpacking(TarBuilder.of { $0.add("dev", type: type) }).error?.code == code)
    }

    @Test("A name that is not UTF-8 is kept as it is, with a warning")
    func foreignName() throws {
        var archive = TarBuilder.of { $0.add("\u{1}bc", [1]) }
        (archive[0], archive[153]) = (0xe4, archive[153])
        // The checksum grows with the byte.
        let sum = archive[..<512].enumerated().reduce(0) {
            $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element))
        }
        archive.replaceSubrange(148..<154, with: Array(("000000" + String(sum, radix: 8)).suffix(6).utf8))
        let unpacking = try Unpacking(archive)
        #expect(try unpacking.file(RelativePath([0xe4, 0x62, 0x63])) == [1])
        #expect(unpacking.warnings.contains { $0.contains("not UTF-8") })
    }

    @Test("An archive cut anywhere but between its last blocks is refused")
    func cutAnywhere() throws {
        let archive = TarBuilder.of {
            $0.add("a", deterministicBytes(700, seed: 1))
            $0.addPax([("path", "b")])
            $0.add("c", [1])
        }
        let content = archive.count - 1024
        for length in stride(from: 0, to: content, by: 64) where length != 1536 {
            #expect(try Unpacking(Array(archive[..<length]), format: .tar).error != nil, "\(length)")
        }
        #expect(try Unpacking(Array(archive[..<content])).warnings.count == 1)
    }

    @Test("tar within gzip is unpacked while it arrives, in pieces of any size", arguments: [1, 7, 512, 100_000])
    func streamed(pieceBytes: Int) async throws {
        let made = try Scratch()
        try makeSampleTree(made.target)
        try await runTool(["tar", "-czf", made.path + "/archive.tgz", "."], in: made.targetPath)
        let bytes = try Directory.open(made.path).readFile("archive.tgz", limitBytes: 1 << 24)
        let ours = try Scratch()
        let stream = PieceStream(bytes, pieceBytes: pieceBytes)
        let summary = try Unpacker(stream: stream, name: "download").unpack(into: ours.target)
        #expect(summary.format == .tarGzip)
        #expect(try ours.tree().mapValues(\.kind) == made.tree().mapValues(\.kind))
        #expect(stream.isAtEnd)
    }

    @Test("A zip archive isn't read as a stream")
    func zipStream() throws {
        let scratch = try Scratch()
        let stream = PieceStream(ZipBuilder([.init("a", [1])]).build(), pieceBytes: 100)
        let error = #expect(throws: ArchiveError.self) {
            try Unpacker(stream: stream, name: "download").unpack(into: scratch.target)
        }
        #expect(error?.code == .unsupported)
    }
}

/// A stream that hands out small pieces.
final class PieceStream: ByteStream {
    private let bytes: [UInt8]
    private let pieceBytes: Int
    private var position = 0
    private(set) var isAtEnd = false

    init(_ bytes: [UInt8], pieceBytes: Int) {
        self.bytes = bytes
        self.pieceBytes = pieceBytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = min(buffer.count, pieceBytes, bytes.count - position)
        buffer.copyBytes(from: bytes[position..<(position + count)])
        position += count
        if count == 0, !buffer.isEmpty { isAtEnd = true }
        return count
    }
}
