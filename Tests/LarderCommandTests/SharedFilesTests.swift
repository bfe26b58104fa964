import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// What didn't change between two versions of a bundle is one file on the disk, whatever the bundle's kind: neither fetched nor kept twice.
@Suite struct SharedFilesTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }

    init() throws { library = try RestingLibrary() }

    /// Publishes two versions of the bundle `set`, and looks which of their files are the same file.
    /// - Parameter bundle: a version of it.
    private func shared(_ paths: [String], _ bundle: (_ serial: Int) throws -> String) async throws -> [Bool] {
        var inodes: [[UInt64]] = []
        for serial in 1...2 {
            stock.serveManifest([try bundle(serial)], serial: serial)
            let result = try await stock.sync()
            #expect(result.status == .exited(0), "\(result)")
            inodes.append(try paths.map { try library.inode("\(stock.library)/current/m/set/\($0)") })
        }
        return zip(inodes[0], inodes[1]).map { $0 == $1 }
    }

    /// Where a file system can share extents, a file of the new version has an inode of its own.
    private var hasLinks: Bool {
        get throws {
            let directory = try Directory.open(stock.directory.path)
            let source = try directory.open("clone-source", flags: O_RDWR | O_CREAT)
            try source.write([1])
            return try !directory.open("clone-target", flags: O_RDWR | O_CREAT).cloneContent(of: source)
        }
    }

    @Test func filesOfAFilesBundle() async throws {
        let shared = try await shared(["one.txt", "dir/two.bin", "dir.x"]) { serial in
            var contents = RestingLibrary.contents
            if serial == 2 { contents["one.txt"] = .pattern(lengthBytes: 5001, seed: 9) }
            return library.files("set", contents)
        }
        #expect(try shared == [false, hasLinks, hasLinks])
        #expect(stock.server.exchanges("/dir/two.bin").count == 1)
    }

    @Test func segments() async throws {
        let shared = try await shared(["0.ts", "1.ts", "2.ts"]) { serial in
            let segments = (0..<3).map { number -> String in
                let content = Content.pattern(lengthBytes: 9000, seed: UInt64(number == 1 ? 10 * serial : number))
                stock.server.serve("/\(number).ts", Resource(content, etag: "\"\(content.sha256)\""))
                return
                    #"{"path": "\#(number).ts", "urls": ["\#(number).ts"], "duration": 6, "size": 9000, "sha256": "\#(content.sha256)"}"#
            }
            return #"{"id": "set", "kind": "segments", "segments": [\#(segments.joined(separator: ","))]}"#
        }
        #expect(try shared == [hasLinks, false, hasLinks])
        #expect((0..<3).map { stock.server.exchanges("/\($0).ts").count } == [1, 2, 1])
    }

    @Test func resourcesOfAPresentation() async throws {
        var names: [String] = []
        for serial in 1...2 {
            for number in 0..<3 { stock.serve("/film/\(number).ts", stream(number == 2 ? 50 * serial : number)) }
            let segments = (0..<3).map { "#EXTINF:4,\n\($0).ts\n" }.joined()
            stock.serve(
                "/film/index.m3u8",
                Array("#EXTM3U\n#EXT-X-TARGETDURATION:\(3 + serial)\n\(segments)#EXT-X-ENDLIST\n".utf8))
            stock.serveFilm("film/index.m3u8", serial: serial)
            #expect(try await stock.sync().status == .exited(0))
            let segment = try stock.filmText().split(separator: "\n").filter { !$0.hasPrefix("#") }
            names += try segment.map { "\(try library.inode("\(stock.library)/current/m/film/\($0)"))" }
        }
        let shared = (0..<3).map { names[$0] == names[$0 + 3] }
        #expect(try shared == [hasLinks, hasLinks, false])
        #expect(stock.server.exchanges("/film/0.ts").count { $0.status == 200 } == 1)
    }

    @Test(arguments: ["zip", "tar.gz"]) func entriesOfAChangedArchive(_ format: String) async throws {
        let shared = try await shared(["a/x.txt", "y.txt"]) { serial in
            let archive = try archive(format, ["a/x.txt": "unchanged", "y.txt": "version \(serial)"])
            stock.serve("/set.\(format)", archive)
            return
                #"{"id": "set", "kind": "archive", "urls": ["set.\#(format)"], "sha256": "\#(SHA256.digest(of: archive))"}"#
        }
        #expect(try shared == [hasLinks, false])
    }

    private func archive(_ format: String, _ texts: KeyValuePairs<String, String>) throws -> [UInt8] {
        if format == "zip" {
            return storedZip([texts[0].key: Array(texts[0].value.utf8), texts[1].key: Array(texts[1].value.utf8)])
        }
        let folder = "tree-\(texts[1].value.utf8.count)-\(texts[1].value.hashValue)"
        for (path, text) in texts {
            try stock.directory.write(text.utf8, to: "\(folder)/\(path)")
            let times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
            try check(utimensat(AT_FDCWD, stock.directory["\(folder)/\(path)"], times, 0), "utimensat")
        }
        let name = stock.directory["\(folder).tar.gz"]
        let command = "tar --create --gzip --file '\(name)' --directory '\(stock.directory[folder])' a/x.txt y.txt"
        try #require(system(command) == 0)
        return try readFile(name)
    }

    /// A file that can't get a further name is copied: it is here, and needn't be fetched.
    @Test func aFileOfTooManyNamesIsNotFetchedAgain() async throws {
        stock.serveManifest([library.files()])
        #expect(try await stock.sync().status == .exited(0))
        // Its mode is one that no published file has: a link would carry that on.
        try check(chmod("\(library.store())/one.txt", 0o600), "chmod")
        var contents = RestingLibrary.contents
        contents["dir.x"] = .pattern(lengthBytes: 7, seed: 9)
        stock.serveManifest([library.files("set", contents)], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.exchanges("/one.txt").count == 1)
        let one = try #require(RestingLibrary.contents["one.txt"])
        #expect(contentDifference(one.bytes(), try stock.content("set/one.txt")) == nil)
    }
}
