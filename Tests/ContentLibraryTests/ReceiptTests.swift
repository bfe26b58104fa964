import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct ReceiptTests {
    private static func sample() throws -> Receipt {
        let digest = SHA256.digest(of: "one".utf8)
        let file = Receipt.File(
            sizeBytes: 3, mode: 0o644, modified: Timestamp(seconds: -5, nanoseconds: 123_456_789), sha256: digest)
        let entries: [Receipt.Entry] = [
            .init(path: "a \"quoted\"\nname", content: .file(file)),
            .init(path: "dir/link", content: .symbolicLink(target: Array("../a".utf8))),
            .init(path: "dir/odd", content: .symbolicLink(target: [0xff, 0x0a])),
            .init(path: "empty", content: .emptyDirectory),
            .init(path: try RelativePath([0x7a, 0xfe]), content: .file(file)),
        ]
        let sources: [Receipt.Source] = [
            .init(url: "https://a.example/ü?x=\"1\"", sizeBytes: 1 << 40, sha256: digest, validator: "W/\"e\""),
            .init(url: "https://b.example/", sizeBytes: 0, sha256: digest),
        ]
        return Receipt(origin: try Sample(version: "7 β").origin, sources: sources, entries: entries)
    }

    private static func write(_ receipt: Receipt, _ temporary: TemporaryDirectory) throws -> [UInt8] {
        let file = try OwnedDescriptor.open(temporary["receipt"], flags: O_WRONLY | O_CREAT | O_TRUNC)
        try ReceiptWriter.write(receipt, to: file)
        return try temporary.read("receipt")
    }

    private static func read(_ bytes: [UInt8], _ temporary: TemporaryDirectory) throws -> Receipt {
        try temporary.write(bytes, to: "receipt")
        var reader = try ReceiptReader(OwnedDescriptor.open(temporary["receipt"], flags: O_RDONLY))
        return try reader.receipt()
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let temporary = try TemporaryDirectory()
        let receipt = try Self.sample()
        let bytes = try Self.write(receipt, temporary)
        #expect(try Self.read(bytes, temporary) == receipt)
        #expect(try Self.write(receipt, temporary) == bytes)
    }

    @Test func theFormIsPinned() throws {
        let receipt = Receipt(
            origin: try Sample().origin, sources: try Sample().sources, entries: [try Self.sample().entries[0]])
        let text = """
            {"receipt":1,"manifest":"museum","bundle":"gallery","version":"7","kind":"files",\
            "key":"\(try Sample().key.digest)","created":"2026-11-29T00:00:00Z","sources":1,"entries":1,"contentBytes":3}
            {"url":"https://a.example/museum/gallery","sizeBytes":3,\
            "sha256":"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed","validator":null}
            {"path":"a \\"quoted\\"\\nname","sizeBytes":3,"mode":"644","modified":[-5,123456789],\
            "sha256":"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}

            """
        let digest = SHA256.digest(of: text.utf8)
        let bytes = try Self.write(receipt, TemporaryDirectory())
        #expect(String(decoding: bytes, as: UTF8.self) == text + "{\"sha256\":\"\(digest)\"}\n")
    }

    @Test func theHeaderIsReadAlone() throws {
        let temporary = try TemporaryDirectory()
        let receipt = try Self.sample()
        let bytes = try Self.write(receipt, temporary)
        let firstLine = bytes.prefix { $0 != UInt8(ascii: "\n") } + Array("\ngarbage".utf8)
        try temporary.write(firstLine, to: "header")
        let reader = try ReceiptReader(OwnedDescriptor.open(temporary["header"], flags: O_RDONLY))
        #expect(reader.header == receipt.header)
    }

    /// Every single byte counts: a receipt that rotted in any place is refused, and never crashes.
    @Test func noChangedByteIsBelieved() throws {
        let temporary = try TemporaryDirectory()
        let bytes = try Self.write(Self.sample(), temporary)
        for index in bytes.indices {
            for replacement in [bytes[index] ^ 1, UInt8(ascii: "\n")] {
                guard replacement != bytes[index] else { continue }
                var damaged = bytes
                damaged[index] = replacement
                #expect(throws: LibraryError.self, "byte \(index) as \(replacement)") {
                    try Self.read(damaged, temporary)
                }
            }
        }
    }

    @Test func noCutReceiptIsBelieved() throws {
        let temporary = try TemporaryDirectory()
        let bytes = try Self.write(Self.sample(), temporary)
        for length in 0..<bytes.count {
            #expect(throws: LibraryError.self, "the first \(length) bytes") {
                try Self.read(Array(bytes[..<length]), temporary)
            }
        }
        #expect(throws: LibraryError.self) { try Self.read(bytes + [UInt8(ascii: "\n")], temporary) }
    }

    /// What another program with the right digest might write.
    @Test(arguments: [
        ("\"sizeBytes\":3", "\"sizeBytes\":9007199254740993"), ("\"sizeBytes\":3", "\"sizeBytes\":-1"),
        ("\"sizeBytes\":3", "\"sizeBytes\":4"), ("\"mode\":\"644\"", "\"mode\":\"77777777777\""),
        ("[-5,123456789]", "[-5,1000000000]"), ("[-5,123456789]", "[99999999999999999999,0]"),
        ("[-5,123456789]", "[1]"), ("\"path\":\"a ", "\"path\":\"../a "), ("\"path\":\"a ", "\"path\":\"/a "),
        ("\"path\":\"a ", "\"path\":\"zz "), ("\"pathHex\":\"7afe\"", "\"pathHex\":\"7af\""),
        ("\"pathHex\":\"7afe\"", "\"pathHex\":\"7a00\""), ("\"entries\":5", "\"entries\":6"),
        ("\"entries\":5", "\"entries\":9007199254740991"), ("\"sources\":2", "\"sources\":1"),
        ("\"contentBytes\":6", "\"contentBytes\":7"), ("\"manifest\":\"museum\"", "\"manifest\":\"../museum\""),
        ("\"receipt\":1", "\"receipt\":2"), ("2026-11-29", "2026-02-31"), ("\"validator\":null", "\"validator\":7"),
        ("{\"url\"", "[{\"url\""),
    ])
    func wrongValuesAreRefused(from: String, to: String) throws {
        let temporary = try TemporaryDirectory()
        let text = String(decoding: try Self.write(Self.sample(), temporary), as: UTF8.self)
        let lines = text.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
        let range = try #require(lines.firstRange(of: from))
        let changed = lines.replacingSubrange(range, with: to)
        let ended = changed + "{\"sha256\":\"\(SHA256.digest(of: changed.utf8))\"}\n"
        let error = #expect(throws: LibraryError.self) { try Self.read(Array(ended.utf8), temporary) }
        #expect(error?.code == .damaged)
    }

    @Test func aLineWithoutEndIsNotReadForEver() throws {
        let temporary = try TemporaryDirectory()
        let error = #expect(throws: LibraryError.self) {
            try Self.read([UInt8](repeating: UInt8(ascii: " "), count: 2 << 20), temporary)
        }
        #expect(error?.code == .damaged)
    }
}

extension String {
    func firstRange(of other: String) -> Range<String.Index>? {
        indices.lazy.map { $0 }.first { self[$0...].hasPrefix(other) }
            .map { $0..<self.index($0, offsetBy: other.count) }
    }

    func replacingSubrange(_ range: Range<Index>, with other: String) -> String {
        String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }

    @Test(arguments: [
        ("https://a.example/x", "https://a.example/x"), ("a/b.txt", "a/b.txt"),
        ("https://a.example/x?", "https://a.example/x?"),
        ("https://a.example/x?token=s3cret", "https://a.example/x?~"),
        ("https://a.example/x?a=1#bytes=0-9", "https://a.example/x?~"),
        (
            "https://a.example/x#&aes-128=0,https://k.example/key?t=s3cret",
            "https://a.example/x#&aes-128=0,https://k.example/key?~"
        ),
    ]) func queriesAreNotWrittenDown(_ url: String, _ begin: String) {
        let name = Receipt.Source.name(ofURL: url)
        #expect(name.hasPrefix(begin) && !name.contains("s3cret") && !name.contains("a=1"))
        #expect(name.utf8.count <= begin.utf8.count + 32 + "#bytes=0-9".utf8.count)
        #expect(Receipt.Source.name(ofURL: name) == name, "it is its own name")
        #expect(
            url.contains("?t") == false || Receipt.Source.name(ofURL: url + "x") != name, "one is told from the other")
    }
}
