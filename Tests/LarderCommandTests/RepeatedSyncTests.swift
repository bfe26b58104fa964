import FaultServer
import Glibc
import TestSupport
import Testing

/// What a further run asks for, when little or nothing has changed.
@Suite struct RepeatedSyncTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    @Test func whatIsNotListedAnyMoreIsToldAsRemoved() async throws {
        let bundles = ["a", "b", "c"].map { stock.file($0, .pattern(lengthBytes: 100, seed: 1)) }
        stock.serveManifest(bundles)
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([bundles[0]], serial: 2)
        let run = try await stock.sync()
        #expect(run.outputText.hasPrefix("0 published, 1 unchanged, 0 failed, 2 removed; "), "\(run)")
        #expect(try stock.published() == ["a"])
        stock.serveManifest([bundles[1]], serial: 3)
        #expect(try await stock.sync("--json").finished.bundles("removed") == 1)
    }

    @Test func whatADamagedReceiptStoodForIsFetchedAgain() async throws {
        let content = Content.pattern(lengthBytes: 1000, seed: 1)
        stock.serveManifest([stock.file("a", content, hasDigest: false)])
        #expect(try await stock.sync().status == .exited(0))
        let folder = "\(stock.library)/store/m/a"
        let receipt = try #require(
            try directoryEntries(FilePathBytes(folder)).map(\.description).first { $0.hasSuffix(".receipt") })
        // The header stays.
        #expect(truncate("\(folder)/\(receipt)", off_t(try readFile("\(folder)/\(receipt)").count - 10)) == 0)

        let result = try await stock.sync()

        #expect(result.status == .exited(0), "\(result)")
        #expect(stock.server.exchanges("/a.bin").count == 2)
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func whatHasDigestsIsNotAskedForAgain() async throws {
        stock.serveManifest([
            stock.file("a", .pattern(lengthBytes: 1000, seed: 1)),
            stock.archive("z", storedZip(["x.txt": Array("x".utf8)])),
        ])
        #expect(try await stock.sync().status == .exited(0))
        let (requests, generation) = (stock.server.log.count, try stock.generation())

        let second = try await stock.sync()

        #expect(second.status == .exited(0), "\(second)")
        #expect(second.outputText.hasPrefix("nothing to do: 0 published, 2 unchanged, 0 failed"), "\(second)")
        #expect(stock.server.log.dropFirst(requests).map(\.request.path) == ["/m.json"])
        #expect(try stock.generation() == generation)
    }

    @Test func whatHasNoDigestIsAskedForByItsValidator() async throws {
        let (one, two) = (Content.pattern(lengthBytes: 1000, seed: 1), Content.pattern(lengthBytes: 1000, seed: 2))
        stock.serveManifest([
            stock.file("tagged", one, hasDigest: false),
            stock.file("dated", one, hasDigest: false) { $0.changed { $0.etag = nil } },
            #"{"id": "book", "kind": "ebook", "urls": ["tagged.bin"]}"#,
        ])
        #expect(try await stock.sync().status == .exited(0))
        let requests = stock.server.log.count

        let unchanged = try await stock.sync("--json")
        #expect(unchanged.status == .exited(0), "\(unchanged)")
        #expect(try unchanged.finished.bundles("unchanged") == 3)
        #expect(unchanged.errorText.hasPrefix("nothing to do"), "\(unchanged)")
        let asked = stock.server.log.dropFirst(requests).filter { $0.request.path != "/m.json" }
        #expect(!asked.isEmpty && asked.allSatisfy { $0.status == 304 }, "\(asked)")

        stock.server.serve("/tagged.bin", Resource(two, etag: "\"v2\""))
        let changed = try await stock.sync("--json")
        #expect(changed.status == .exited(0), "\(changed)")
        #expect(try changed.finished.bundles("published") == 2)
        #expect(try stock.difference("tagged", two) == nil)
        #expect(try stock.difference("dated", one) == nil)
        #expect(contentDifference(two.bytes(), try stock.content("book/tagged.bin")) == nil)
    }

    @Test func theValidatorOfAnotherURLSaysNothing() async throws {
        let (one, two) = (Content.pattern(lengthBytes: 1000, seed: 1), Content.pattern(lengthBytes: 1000, seed: 2))
        for (path, content) in [("/one.bin", one), ("/two.bin", two)] { stock.server.serve(path, Resource(content)) }
        func book(_ url: String) -> String {
            #"{"id": "book", "kind": "ebook", "filename": "book", "urls": ["\#(url)"]}"#
        }
        stock.serveManifest([book("one.bin")])
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([book("two.bin")], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(contentDifference(two.bytes(), try stock.content("book/book")) == nil)
    }

    @Test func theSameReferenceOnAnotherServerIsAnotherFile() async throws {
        let other = try FaultServer()
        let (one, two) = (Content.pattern(lengthBytes: 1000, seed: 1), Content.pattern(lengthBytes: 1000, seed: 2))
        stock.server.serve("/x.bin", Resource(one))
        other.serve("/x.bin", Resource(two))
        let book = #"{"id": "book", "kind": "ebook", "filename": "book", "urls": ["x.bin"]}"#
        for (number, origin) in [stock.server.origin, other.origin].enumerated() {
            stock.serveManifest([book], serial: number + 1, more: #""mirrors": ["\#(origin)/"],"#)
            #expect(try await stock.sync().status == .exited(0))
        }
        #expect(contentDifference(two.bytes(), try stock.content("book/book")) == nil)
    }

    @Test func ofAChangedSetOnlyTheChangedFileIsFetched() async throws {
        func manifest(_ names: [(String, Content)]) -> String {
            let files = names.map { name, content in
                let path = "/\(name)"
                stock.server.serve(path, Resource(content, etag: "\"\(content.sha256)\""))
                let digest = name.hasPrefix("known") ? #", "sha256": "\#(content.sha256)", "size": 1000"# : ""
                return #"{"path": "\#(name)", "urls": ["\#(name)"]\#(digest)}"#
            }
            return #"{"id": "set", "kind": "files", "files": [\#(files.joined(separator: ","))]}"#
        }
        let contents = (0..<8).map { Content.pattern(lengthBytes: 1000, seed: $0) }
        stock.serveManifest([
            manifest([("known1", contents[0]), ("known2", contents[1]), ("bare1", contents[2]), ("bare2", contents[3])])
        ])
        #expect(try await stock.sync().status == .exited(0))

        stock.serveManifest(
            [
                manifest([
                    ("known1", contents[0]), ("known2", contents[4]), ("bare1", contents[2]), ("bare2", contents[5]),
                ])
            ], serial: 2)
        let rehearsed = try await stock.sync("--dry-run")
        #expect(rehearsed.outputText.contains("would fetch 1.0 kB"), "\(rehearsed)")
        let result = try await stock.sync("--json")

        #expect(result.status == .exited(0), "\(result)")
        #expect(try result.finished.bundles("published") == 1)
        let sent = ["known1", "known2", "bare1", "bare2"].map { stock.server.bodyBytesSent("/\($0)") }
        #expect(sent == [1000, 2000, 1000, 2000])
        for (name, index) in [("known1", 0), ("known2", 4), ("bare1", 2), ("bare2", 5)] {
            #expect(contentDifference(contents[index].bytes(), try stock.content("set/\(name)")) == nil, "\(name)")
        }
    }

    @Test func twoBundlesOfOneDigestShareATransfer() async throws {
        let gate = try Gate()
        let content = Content.pattern(lengthBytes: 600_000, seed: 1)
        stock.serveManifest([
            stock.file("a", content) { $0.altered { $1.headHeld(until: gate) } },
            stock.file("b", content) { $0.altered { $1.headHeld(until: gate) } },
        ])
        let run = try stock.startSync("--json")
        try await run.wait(for: "coalescing") { $0.events.contains { $0.name == "transfer.coalesced" } ? () : nil }
        gate.open()
        let result = try await run.waitForExit()

        #expect(result.status == .exited(0), "\(result)")
        #expect(stock.server.log.count == 2)
        #expect(try result.finished["bytesFetched"] == 600_000 + manifestBytes)
        #expect(try result.finished["bytesCoalesced"] == 600_000)
        for id in ["a", "b"] { #expect(try stock.difference(id, content) == nil, "\(id)") }
    }

    @Test func theSameManifestElsewhereIsTheSameManifest() async throws {
        let content = Content.pattern(lengthBytes: 1000, seed: 1)
        let text = Stock.manifest([stock.file("a", content)])
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stock.sync().status == .exited(0))
        let local = try await stock.sync(
            "--base", stock.server.url("/"), manifests: [stock.directory.write(text.utf8, to: "copy.json")])
        #expect(local.outputText.hasPrefix("nothing to do"), "\(local)")
    }

    @Test func aPartOfAManifestLeavesTheOthersAsTheyAre() async throws {
        func text(_ seed: UInt64) -> [String] {
            [
                stock.file("a", .pattern(lengthBytes: 1000, seed: seed), more: #""tags": ["x"],"#),
                stock.file("b", .pattern(lengthBytes: 1000, seed: seed + 1), more: #""tags": ["y", "x"],"#),
                stock.file("c", .pattern(lengthBytes: 1000, seed: seed + 2)),
            ]
        }
        stock.serveManifest(text(10))
        #expect(try await stock.sync("--only", "a,c").status == .exited(0))
        #expect(try stock.published() == ["a", "c"])
        #expect(try await stock.sync("--tag", "y").status == .exited(0))
        #expect(try stock.published() == ["a", "b", "c"])

        stock.serveManifest(text(20), serial: 2)
        #expect(try await stock.sync("--tag", "x", "--only", "b").status == .exited(0))
        #expect(try stock.difference("a", .pattern(lengthBytes: 1000, seed: 10)) == nil)
        #expect(try stock.difference("b", .pattern(lengthBytes: 1000, seed: 21)) == nil)
    }

    @Test(arguments: ["--only", "--tag"])
    func whatNoManifestHasIsAMistakeOfTheCommandLine(option: String) async throws {
        stock.serveManifest([
            stock.file("gallery", .pattern(lengthBytes: 1000, seed: 1), more: #""tags": ["gallery"],"#)
        ])
        let result = try await stock.sync(option, "galery")
        #expect(result.status == .exited(64), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("did you mean 'gallery'?"), "\(result)")
        #expect(stock.server.exchanges("/gallery.bin").isEmpty)
    }

    @Test func severalManifestsShareALibrary() async throws {
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 1000, seed: 1))])
        stock.server.serve(
            "/n.json", Resource(.text(Stock.manifest([stock.file("b", .pattern(lengthBytes: 10, seed: 2))], id: "n"))))
        let both = try await stock.sync(manifests: [stock.manifestURL, stock.server.url("/n.json")])
        #expect(both.status == .exited(0), "\(both)")
        #expect(try stock.published("") == ["m", "n"])
        #expect(try await stock.sync().outputText.hasPrefix("nothing to do"))
        #expect(try stock.published("") == ["m", "n"])
    }

    private var manifestBytes: Int { Int(stock.server.bodyBytesSent("/m.json")) }
}

@Suite struct DryRunTests {
    @Test func nothingIsChangedAndNoBodyIsFetched() async throws {
        let stock = try Stock()
        let zip = storedZip(["x.txt": Array("x".utf8)])
        stock.serveManifest([
            stock.file("a", .pattern(lengthBytes: 5000, seed: 1)), stock.archive("z", zip),
            #"{"id": "f", "kind": "hls", "urls": ["f.m3u8"]}"#,
        ])

        let before = try await stock.sync("--dry-run")
        #expect(before.status == .exited(0), "\(before)")
        #expect(before.outputLines.first == "fetch       m/a  5.0 kB", "\(before)")
        #expect(before.outputText.contains("fetch       m/f"), "\(before)")
        #expect(before.outputText.contains("would fetch 5.0 kB"), "\(before)")
        #expect(access(stock.library, F_OK) != 0, "no library was made")
        #expect(stock.server.log.map(\.request.path) == ["/m.json"])

        #expect(try await stock.sync("--only", "a").status == .exited(0))
        stock.serveManifest([stock.archive("z", zip)], serial: 2)
        let snapshot = try stock.snapshot()
        let after = try await stock.sync("--dry-run")
        #expect(after.outputLines.prefix(2) == ["fetch       m/z", "remove      m/a"], "\(after)")
        #expect(try stock.snapshot() == snapshot)
    }

    @Test func itsProblemsAreThoseOfTheRun() async throws {
        let stock = try Stock()
        let missing = try await stock.sync("--dry-run", manifests: [stock.directory["missing.json"]])
        #expect(missing.status == .exited(66), "\(missing)")
        #expect(access(stock.library, F_OK) != 0)
    }

    @Test func eventsGoToStdoutAndTheTextToStderr() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 5000, seed: 1))])
        let result = try await stock.sync("--dry-run", "--json")
        #expect(result.events.count == result.outputLines.count, "\(result)")
        #expect(result.events.first?.name == "run.started" && result.events.last?.name == "run.finished", "\(result)")
        #expect(result.errorText.contains("would fetch 5.0 kB"), "\(result)")
    }
}

extension Stock {
    /// What `current` points to.
    func generation() throws -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = try check(readlink("\(library)/current", &buffer, buffer.count), "readlink current")
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Every path of the library with its size and the time of its last change.
    func snapshot() throws -> [String] { try snapshot(of: library) }

    func snapshot(of directory: String) throws -> [String] {
        var found: [String] = []
        var pending = [directory]
        while let path = pending.popLast() {
            var status = stat()
            try check(lstat(path, &status), "lstat \(path)")
            found.append("\(path) \(status.st_size) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)")
            guard status.st_mode & S_IFMT == S_IFDIR else { continue }
            pending += try directoryEntries(FilePathBytes(path)).map { "\(path)/\($0)" }
        }
        return found.sorted()
    }
}
