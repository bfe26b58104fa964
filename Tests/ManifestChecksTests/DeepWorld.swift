import FaultServer
import Jobs
import ManifestChecks
import Platform
import TestSupport
import Testing

/// The files that the fixtures of the rules with `F` speak of.
struct DeepWorld {
    let directory: TemporaryDirectory

    /// A PNG of one pixel.
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
        + chunk("IDAT", [0x78, 0x01, 0x01, 0x02, 0x00, 0xFD, 0xFF, 0x00, 0x80, 0x00, 0x82, 0x00, 0x81])
        + chunk("IEND", [])

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
        let body = Array(type.utf8) + data
        return bytes(UInt32(data.count)) + body + bytes(crc32(body))
    }

    static let mimetype = Array("application/epub+zip".utf8)

    static func container(_ path: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0"?>
            <!-- <rootfile full-path="commented.opf"/> -->
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile media-type="application/oebps-package+xml" full-path='\(path)'/></rootfiles></container>
            """.utf8)
    }

    init() throws {
        directory = try TemporaryDirectory()
        let text = Array("text\n".utf8)
        let good = storedZip(["set/a.png": Self.png, "set/a.txt": text])
        let book = storedZip([
            "mimetype": Self.mimetype,
            "META-INF/container.xml": Self.container("a & b.opf".replacing("&", with: "&amp;")),
            "a & b.opf": text,
        ])
        let files: KeyValuePairs<String, [UInt8]> = [
            "a.txt": Array("hello\n".utf8), "b.txt": Array("world\n".utf8), "a.png": Self.png,
            "good.zip": good, "cut.zip": Array(good.dropLast(30)), "odd.zip": good + [1, 2, 3],
            "evil.zip": storedZip(["../a.txt": text]),
            "archive.7z": [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + [UInt8](repeating: 0, count: 100),
            "mixed.zip": storedZip(["readme.txt": text, "set/a.txt": text]),
            "texts.zip": storedZip(["set/a.txt": text]),
            "cut-image.zip": storedZip(["set/a.png": Self.png, "set/b.png": Array(Self.png.dropLast(5))]),
            "good.epub": book,
            "unordered.epub": storedZip([
                "META-INF/container.xml": Self.container("a.opf"), "mimetype": Self.mimetype, "a.opf": text,
            ]),
            "bare.epub": storedZip(["mimetype": Self.mimetype, "a.opf": text]),
            "empty.epub": storedZip([
                "mimetype": Self.mimetype, "META-INF/container.xml": Self.container("A.opf"), "a.opf": text,
            ]),
        ]
        for (name, bytes) in files { try directory.write(bytes, to: name) }
    }

    /// A library with copies of two presentations, `intact` and `damaged`; the latter was left without its end.
    func publishedLibrary() async throws -> LibraryLook {
        let packet: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
        try directory.write((0..<10).flatMap { _ in packet }, to: "s.ts")
        try directory.write(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\ns.ts\n#EXT-X-ENDLIST\n".utf8, to: "list.m3u8")
        let bundles = ["intact", "damaged"].map { #"{"id": "\#($0)", "kind": "hls", "urls": ["list.m3u8"]}"# }
        let manifest = try directory.write(manifestText(bundles.joined(separator: ",")).utf8, to: "published.json")
        var options = RunOptions(libraryPath: directory["library"], manifests: [.file(path: manifest)])
        options.minimumFree = .bytes(0)
        let run = await SyncRun(options, control: RunControl()) { _ in }.run()
        #expect(run.exit == .success)
        let index = "library/current/m/damaged/index.m3u8"
        let text = String(decoding: try directory.read(index), as: UTF8.self)
        try directory.write(text.replacing("#EXT-X-ENDLIST", with: "").utf8, to: index)
        return try LibraryLook(path: directory["library"])
    }
}
