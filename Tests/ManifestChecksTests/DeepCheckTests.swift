import BundleManifest
import Diagnostics
import FaultServer
import Glibc
import Jobs
import ManifestChecks
import Platform
import TestSupport
import Testing
import Transfer

@Suite struct DeepCheckTests {
    private let world: DeepWorld
    private var directory: TestSupport.TemporaryDirectory { world.directory }

    init() throws { world = try DeepWorld() }

    private func told(_ bundles: String..., more: String = "") async throws -> [Told] {
        try await openedDeeply(manifestText(bundles.joined(separator: ","), more: more), in: directory).told
    }

    private func file(_ path: String, of url: String, more: String = "") -> String {
        #"{"id": "f", "kind": "files", "files": [{"path": "\#(path)", "urls": ["\#(url)"]\#(more)}]}"#
    }

    private func write(_ bytes: [UInt8], to name: String) throws { try directory.write(bytes, to: name) }

    // MARK: Where it looks

    @Test func absoluteFileURLsAreOpened() async throws {
        #expect(
            try await told(file("a.txt", of: "file://\(directory["a.txt"])", more: #", "size": 1"#)).map(\.id) == [
                "F003"
            ])
    }

    @Test func whatLiesBesideTheManifestIsOpenedThoughItsMirrorsCount() async throws {
        let mirrors = #""mirrors": ["http://127.0.0.1:1/"], "#
        #expect(
            try await told(file("a.txt", of: "a.txt", more: #", "size": 1"#), more: mirrors) == [
                Told("F003", "\"a.txt\"")
            ])
        // What isn't there may well be on the mirrors.
        #expect(try await told(file("a.txt", of: "gone.txt"), more: mirrors).map(\.id) == ["F020"])
    }

    @Test func whatIsNotReachableIsCountedOnce() async throws {
        let checked = try await openedDeeply(
            manifestText(
                #"{"id": "x", "kind": "ebook", "urls": ["http://a.example/x"]}"#,
                #"{"id": "f", "kind": "files", "files": [{"path": "a", "urls": ["http://a.example/a"]}, {"path": "b", "urls": ["b.txt"]}]}"#
            ), in: directory)
        #expect(checked.told.map(\.id) == ["F020"])
        #expect(checked.contentFindings[0].message.hasPrefix("2 downloads are not reachable locally: not opened"))
    }

    @Test(arguments: ["folder", "fifo"])
    func whatIsNoRegularFileIsNotWaitedFor(_ name: String) async throws {
        try directory.makeDirectory("folder")
        #expect(mkfifo(directory["fifo"], 0o600) == 0)
        #expect(try await told(file("a", of: name)) == [Told("F001", "\"\(name)\"")])
    }

    @Test func aManifestFromElsewhereOpensNothingHere() async throws {
        let text = manifestText(file("a.txt", of: "a.txt", more: #", "size": 1"#))
        // The path of its URL is that of a folder here.
        let remote = ManifestLocation.remote(try TransferURL("http://a.example\(directory.path)/m.json"))
        for location in [.standardInput(base: nil), remote] {
            let checks = ContentChecks(online: nil, deep: DeepCheck(library: nil, control: RunControl()))
            let checked = await checks.checked(ValidatedManifest(location, Array(text.utf8)))
            #expect(checked.told.map(\.id) == ["F020"])
        }
    }

    @Test func stoppedItOpensNothingMore() async throws {
        let text = manifestText(file("a.txt", of: "a.txt", more: #", "size": 1"#))
        let control = RunControl()
        control.stop(.interrupted)
        let checks = ContentChecks(online: nil, deep: DeepCheck(library: nil, control: control))
        let path = try directory.write(text.utf8, to: "m.json")
        #expect(await checks.checked(ValidatedManifest(.file(path: path), Array(text.utf8))).told == [])
    }

    // MARK: Archives

    @Test func everyArchiveOfTheCorpusIsToldByItsKind() async throws {
        let root = "/" + #filePath.split(separator: "/Tests/")[0] + "/Tests/Corpus/archives/"
        let lines = String(decoding: try readFile(root + "EXPECTED.tsv"), as: UTF8.self).split(separator: "\n")
            .dropFirst()
        let allowed: [Substring: Set<String>] = [
            "ok": ["F011"], "ok-warn": ["F011"], "refuse-format": ["F004", "F005", "F006"], "refuse-data": ["F004"],
            "refuse-unsafe": ["F005", "F004"], "refuse-unsupported": ["F006", "F004"],
        ]
        var names: [String] = []
        var classes: [Substring] = []
        for line in lines {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            // What the corpus leaves open is no case for this table.
            guard fields.count > 2, allowed[fields[2]] != nil, fields[1] != "deflate" else { continue }
            names.append((root + fields[0]).percentEncodedPath)
            classes.append(fields[2])
        }
        let bundles = names.enumerated().map { #"{"id": "b\#($0)", "kind": "archive", "urls": ["file://\#($1)"]}"# }
        let checked = try await openedDeeply(manifestText(bundles.joined(separator: ",\n")), in: directory)
        let byURL = Dictionary(grouping: checked.told, by: \.code)
        for (name, expected) in zip(names, classes) {
            let ids = Set((byURL["\"file://\(name)\""] ?? []).map(\.id))
            let isFine =
                expected.hasPrefix("ok") ? ids.isSubset(of: ["F011"]) : !ids.isDisjoint(with: allowed[expected] ?? [])
            #expect(isFine, "\(expected): \(ids) \(name)")
        }
        #expect(names.count > 700)
    }

    @Test func patternsAreHeldAgainstStrippedPaths() async throws {
        let unpack = #", "unpack": {"strip": 1, "include": ["a.png", "set/*"]}"#
        #expect(
            try await told(#"{"id": "a", "kind": "archive", "urls": ["good.zip"]\#(unpack)}"#).map(\.id) == ["F009"])
    }

    @Test func aTarGzIsReadWithoutBeingUnpacked() async throws {
        try directory.makeDirectory("tree/set")
        try write(DeepWorld.png, to: "tree/set/a.png")
        let result = try await ChildProcess.run("tar", ["-czf", directory["t.tar.gz"], "-C", directory["tree"], "."])
        #expect(result.status == .exited(0))
        let unpack = #", "unpack": {"strip": 1, "include": ["a.*"], "exclude": ["*.txt"]}"#
        #expect(
            try await told(#"{"id": "t", "kind": "textures", "urls": ["t.tar.gz"]\#(unpack)}"#).map(\.id) == ["F009"])
        #expect(try directoryEntries(FilePathBytes(directory["tree"])).count == 1)
    }

    // MARK: Files

    @Test(
        arguments: [
            ("a.png", DeepWorld.png, nil), ("a.jpg", DeepWorld.png, "F016"),
            ("a.PNG", Array(DeepWorld.png.dropLast()), "F017"), ("a.bin", DeepWorld.png, nil),
            ("a.jpg", [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 0xFF, 0xD9, 0, 0], nil),
            ("a.jpg", [0xFF, 0xD8, 0xFF, 0xE0, 1, 2], "F017"),
            ("a.gif", Array("GIF89a".utf8) + [1, 2, 0x3B], nil), ("a.gif", Array("GIF89a".utf8) + [1, 2], "F017"),
            ("a.webp", Array("RIFF".utf8) + [8, 0, 0, 0] + Array("WEBPVP8 ".utf8), nil),
            ("a.webp", Array("RIFF".utf8) + [99, 0, 0, 0] + Array("WEBPVP8 ".utf8), "F017"),
            ("a.dds", Array("DDS ".utf8) + [124, 0, 0, 0] + [UInt8](repeating: 0, count: 120), nil),
            ("a.dds", Array("DXT1".utf8) + [UInt8](repeating: 0, count: 124), "F016"),
            ("a.ktx2", DeepCheckTests.ktx2(levelEnd: 104), nil), ("a.ktx2", DeepCheckTests.ktx2(levelEnd: 105), "F017"),
            ("a.ktx2", Array(DeepCheckTests.ktx2(levelEnd: 104).prefix(50)), "F017"),
            ("1.ts", DeepCheckTests.packets(188, first: 0), nil),
            ("1.ts", DeepCheckTests.packets(187, first: 0), "F016"),
            ("1.m2ts", DeepCheckTests.packets(192, first: 4), nil),
            ("1.m4s", [0, 0, 0, 24] + Array("styp".utf8), nil), ("1.m4s", [0, 0, 0, 24] + Array("free".utf8), nil),
            ("1.m4s", [0, 0, 0, 24] + Array("Exif".utf8), "F016"),
            ("a.tga", DeepCheckTests.targa(type: 2, bits: 24), nil),
            ("a.tga", DeepCheckTests.targa(type: 10, bits: 32), nil),
            ("a.tga", DeepCheckTests.targa(type: 5, bits: 24), "F016"), ("a.tga", DeepWorld.png, "F016"),
            ("a.tga", Array("a text, and a long one".utf8), "F016"),
            ("a.tga", Array("any".utf8) + [UInt8](repeating: 7, count: 40) + Array("TRUEVISION-XFILE.\0".utf8), nil),
            ("a.svg", Array("<!-- drawn by hand -->".utf8), nil), ("a.svg", DeepWorld.png, "F016"),
            ("a.tif", Array("MM\0*".utf8), nil), ("a.jpg", Array("II*\0".utf8), "F016"),
            ("a.avif", DeepCheckTests.fileType("mif1", "avif"), nil), ("a.heic", DeepCheckTests.fileType("heic"), nil),
            ("a.mp4", DeepCheckTests.fileType("isom", "avc1"), nil), ("a.jpg", DeepCheckTests.fileType("heic"), "F016"),
            ("a.pdf", Array("\n%PDF-1.4".utf8), nil), ("a.pdf", DeepWorld.png, "F016"),
            ("a.ts", Array("export const a = 1;\n".utf8), nil), ("a.ts", DeepWorld.png, "F016"),
            ("1.ts", [UInt8](repeating: 0x1E, count: 32), nil), ("1.ts", [UInt8](repeating: 0x1E, count: 33), "F016"),
            ("1.aac", [0xFF, 0xF1, 0x50], nil), ("1.vtt", Array("WEBVTT\n".utf8), nil), ("1.vtt", [], "F016"),
        ] as [(String, [UInt8], String?)])
    func aFileIsWhatItsNameSays(_ name: String, _ bytes: [UInt8], _ rule: String?) async throws {
        try write(bytes, to: "content")
        #expect(try await told(file(name, of: "content")).map(\.id) == (rule.map { [$0] } ?? []))
    }

    private static func targa(type: UInt8, bits: UInt8) -> [UInt8] {
        [0, 0, type] + [UInt8](repeating: 0, count: 9) + [1, 0, 1, 0, bits, 0, 1, 2, 3, 4]
    }

    private static func fileType(_ brand: String, _ others: String...) -> [UInt8] {
        let brands = ([brand, "\0\0\0\0"] + others).joined().utf8
        return [0, 0, 0, UInt8(8 + brands.count)] + Array("ftyp".utf8) + brands
    }

    private static func ktx2(levelEnd: UInt8) -> [UInt8] {
        var bytes: [UInt8] = [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += [UInt8](repeating: 0, count: 104 - bytes.count)
        (bytes[80], bytes[88]) = (100, levelEnd - 100)
        return bytes
    }

    private static func packets(_ length: Int, first: Int) -> [UInt8] {
        (0..<(3 * length)).map { $0 % length == first ? 0x47 : 0x11 }
    }

    @Test(
        arguments: [
            (["mimetype": DeepWorld.mimetype + [0x0A]], "F013"), (["mimetype": DeepWorld.mimetype], nil),
        ] as [([String: [UInt8]], String?)])
    func theMimetypeOfAnEPUBIsExact(_ first: [String: [UInt8]], _ rule: String?) async throws {
        let mimetype = try #require(first["mimetype"])
        try write(
            storedZip(["mimetype": mimetype, "META-INF/container.xml": DeepWorld.container("a.opf"), "a.opf": [1]]),
            to: "book.epub")
        #expect(
            try await told(#"{"id": "b", "kind": "ebook", "urls": ["book.epub"]}"#).map(\.id)
                == (rule.map { [$0] } ?? []))
    }

    @Test(arguments: [
        "<container/>", "<rootfile/>", "<rootfile xfull-path='a.opf'/>", "<!-- <rootfile full-path='a.opf'/>",
    ])
    func aContainerHasToNameAPackageDocument(_ container: String) async throws {
        try write(
            storedZip(["mimetype": DeepWorld.mimetype, "META-INF/container.xml": Array(container.utf8), "a.opf": [1]]),
            to: "book.epub")
        #expect(try await told(#"{"id": "b", "kind": "ebook", "urls": ["book.epub"]}"#).map(\.id) == ["F014"])
    }

    @Test func aSegmentWithTwoSourcesIsJoinedOnce() async throws {
        let joined = SHA256.digest(of: Array("hello\nworld\n".utf8))
        try write(Array("hello\n".utf8), to: "copy.txt")
        let segments =
            #"[{"path": "1.txt", "urls": ["a.txt", "copy.txt"]}, {"path": "2.txt", "urls": ["b.txt"]}]"#
        let text =
            #"{"id": "s", "kind": "segments", "segments": \#(segments), "join": "all.txt", "joinSHA256": "\#(joined)"}"#
        #expect(try await told(text) == [])
    }

    @Test func severalSourcesAreAllOpened() async throws {
        let digest = SHA256.digest(of: Array("hello\n".utf8))
        let text =
            #"{"id": "f", "kind": "files", "files": [{"path": "a.txt", "urls": ["a.txt", "b.txt"], "sha256": "\#(digest)"}]}"#
        #expect(try await told(text) == [Told("F002", "\"b.txt\"")])
    }
}
