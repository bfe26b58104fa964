import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// `larder manifest import`, on lists that real tools write and read, and what becomes of the manifests it makes.
@Suite struct ManifestImportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func importing(
        _ arguments: String..., more: [String] = [], input: [UInt8] = [], temporary: String? = nil
    ) async throws -> ChildProcess.Result {
        var environment = ["SOURCE_DATE_EPOCH": "86400", "PATH": ChildProcess.inheritedEnvironment["PATH"] ?? ""]
        environment["TMPDIR"] = temporary
        return try await LarderProgram.run(
            ["manifest", "import"] + arguments + more, environment: environment, directory: directory.path, input: input
        )
    }

    private static let files: [(path: String, content: [UInt8])] = [
        ("film one.bin", (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }),
        ("extras/notes.txt", Array("notes".utf8)),
        ("extras/deep/é.txt", Array("e".utf8)), ("empty", []),
    ]

    /// What a server calls a file.
    private static func url(_ path: String, _ server: NginxServer) -> String {
        let encoded = path.utf8.map { byte in
            byte == UInt8(ascii: " ") || byte >= 0x80
                ? "%" + String(byte, radix: 16, uppercase: true) : String(Unicode.Scalar(byte))
        }
        return server.url("/" + encoded.joined())
    }

    private static func metalink(_ server: NginxServer) -> String {
        let files = files.map { path, content in
            """
            <file name="\(path)"><size>\(content.count)</size>
            <hash type="sha-256">\(SHA256.digest(of: content))</hash><url>\(url(path, server))</url></file>
            """
        }
        return #"<?xml version="1.0" encoding="UTF-8"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">"#
            + files.joined(separator: "\n") + "</metalink>"
    }

    private static func aria2List(_ server: NginxServer) -> String {
        files.map { path, content in
            "\(server.url("/nothing"))\t\(url(path, server))\n  out=\(path)\n  checksum=sha-256=\(SHA256.digest(of: content))\n"
        }.joined()
    }

    /// A bag that PyPI's bagit makes, some of whose payload is then taken out of it.
    private func makeBag(_ name: String, without fetched: [String], _ server: NginxServer) async throws {
        for (path, content) in Self.files { try directory.write(content, to: "\(name)/\(path)") }
        let made = try await ChildProcess.run(
            try Tool.python("bagit.py"), ["--quiet", "--contact-name", "A", directory[name]])
        try #require(made.status == .exited(0), "\(made)")
        var list = ""
        for path in fetched {
            list += "\(Self.url(path, server)) - data/\(path)\n"
            try check(unlink(directory["\(name)/data/\(path)"]), "unlink")
        }
        if !fetched.isEmpty { try directory.write(list.utf8, to: "\(name)/fetch.txt") }
    }

    // MARK: Round trips

    /// A Metalink and a list that aria2 itself follows, and bags by bagit.
    @Test func theSameThroughEachListMakesTheSameLibrary() async throws {
        for (path, content) in Self.files { try directory.write(content, to: "served/\(path)") }
        let server = try await NginxServer(root: directory["served"])
        try directory.write(Self.metalink(server).utf8, to: "lists/set.meta4")
        try directory.write(Self.aria2List(server).utf8, to: "lists/set.txt")
        try await makeBag("half/set", without: ["film one.bin", "extras/notes.txt"], server)
        try await makeBag("whole/set", without: [], server)

        for (list, option) in [("set.meta4", "--metalink-file"), ("set.txt", "--input-file")] {
            let target = try directory.makeDirectory("aria2-\(list)")
            let fetched = try await ChildProcess.run(
                "aria2c",
                [
                    "--no-conf", "--quiet", "--check-integrity=true", "--dir=\(target)",
                    "\(option)=\(directory["lists/\(list)"])",
                ])
            #expect(fetched.status == .exited(0), "\(fetched)")
            let differences = try treeDifferences(directory["served"], target)
            #expect(differences == [], "\(differences)")
        }
        for (number, list) in ["lists/set.meta4", "lists/set.txt", "half/set", "whole/set"].enumerated() {
            let made = try await importing(list, "-o", "set.json")
            #expect(made.status == .exited(0) && !made.errorText.contains("warning"), "\(made)")
            let judged = try await LarderProgram.run(
                ["validate", directory["set.json"], "--deny-warnings", "--severity", "warning"])
            #expect(judged.status == .exited(0), "\(judged)")
            let library = directory["library-\(number)"]
            let synced = try await LarderProgram.run(
                ["sync", directory["set.json"], "--library", library, "--min-free", "0"])
            #expect(synced.status == .exited(0), "\(synced)")
            let differences = try treeDifferences(directory["served"], "\(library)/current/set/set")
            #expect(differences == [], "\(list): \(differences)")
        }
    }

    /// By the names that URLs have; aria2 calls them the same.
    @Test func aPlainListIsHashedAndCalledAsAria2CallsIt() async throws {
        for (path, content) in Self.files { try directory.write(content, to: "served/\(path)") }
        let server = try await NginxServer(root: directory["served"])
        let list = Self.files.map { Self.url($0.path, server) + "\n" }.joined()
        try directory.write(list.utf8, to: "set.urls")
        let target = try directory.makeDirectory("aria2")
        let fetched = try await ChildProcess.run(
            "aria2c", ["--no-conf", "--quiet", "--dir=\(target)", "--input-file=\(directory["set.urls"])"])
        #expect(fetched.status == .exited(0), "\(fetched)")
        let temporary = try directory.makeDirectory("temporary")
        let made = try await importing("set.urls", "--hash", "-o", "set.json", temporary: temporary)
        #expect(made.status == .exited(0) && made.errorText.contains("4 files listed, 4 of them hashed"), "\(made)")
        #expect(try directoryEntries(FilePathBytes(temporary)).isEmpty)
        let text = String(decoding: try directory.read("set.json"), as: UTF8.self)
        for (_, content) in Self.files {
            #expect(text.contains(#""size":\#(content.count),"sha256":"\#(SHA256.digest(of: content))""#), "\(text)")
        }
        let synced = try await LarderProgram.run(
            ["sync", directory["set.json"], "--library", directory["library"], "--min-free", "0"])
        #expect(synced.status == .exited(0), "\(synced)")
        let differences = try treeDifferences(target, directory["library/current/set/set"])
        #expect(differences == [], "\(differences)")
    }

    @Test func theSameListMakesTheSameBytes() async throws {
        let list = "http://a.example/x\thttp://b.example/x\n  out=d/x\nhttp://a.example/y\n"
        try directory.write(list.utf8, to: "set.txt")
        let first = try await importing("set.txt")
        let second = try await importing("-", "--id", "set", "--title", "T", input: Array(list.utf8))
        #expect(
            first.status == .exited(0) && first.outputText.contains(#""created": "1970-01-02T00:00:00Z""#), "\(first)")
        #expect(
            second.outputText
                == first.outputText.replacing(#"{"id":"set","kind""#, with: #"{"id":"files","title":"T","kind""#),
            "\(second)")
    }

    // MARK: --hash

    private static let content = Array("what is there".utf8)

    private func hash(_ list: String, _ more: String..., temporary: String? = nil) async throws -> ChildProcess.Result {
        try directory.write(list.utf8, to: "set.txt")
        return try await importing(
            "set.txt", "--hash", "-o", "set.json", "--format", "aria2", more: more, temporary: temporary)
    }

    @Test func whatAListSaysIsCheckedWhileItIsHashedAndMirrorsAreAsked() async throws {
        let server = try FaultServer()
        server.serve("/a", Resource(.bytes(Self.content)))
        // By md5sum and sha1sum.
        let made = try await hash(
            "\(server.url("/gone"))\t\(server.url("/a"))\n checksum=md5=ec6b0cf2b1a4ae0dcbd9ce8b1fdbb3ea\n out=b\n")
        #expect(made.status == .exited(1), "\(made)")
        #expect(made.errorText.contains("set.txt:1: \(server.url("/a")) has the md5"), "\(made)")
        #expect(throws: (any Error).self) { try directory.read("set.json") }
        let right = try await ChildProcess.run("md5sum", [try directory.write(Self.content, to: "content")])
        let again = try await hash(
            "\(server.url("/gone"))\t\(server.url("/a"))\n checksum=md5=\(right.outputText.prefix(32))\n out=b\n")
        #expect(again.status == .exited(0), "\(again)")
        #expect(
            String(decoding: try directory.read("set.json"), as: UTF8.self).contains(
                "\(SHA256.digest(of: Self.content))"))
    }

    @Test func anotherSizeThanTheListSaysIsTold() async throws {
        let server = try FaultServer()
        server.serve("/a", Resource(.bytes(Self.content)))
        let list = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a"><size>7</size><url>\(server.url("/a"))</url></file></metalink>
            """
        let made = try await importing("-", "--id", "m", "--hash", "-o", "set.json", input: Array(list.utf8))
        #expect(made.status == .exited(1), "\(made)")
        #expect(made.errorText.contains("standard input:1: \(server.url("/a"))"), "\(made)")
        #expect(throws: (any Error).self) { try directory.read("set.json") }
    }

    @Test func allThatCanNotBeFetchedIsTold() async throws {
        let server = try FaultServer()
        server.serve("/a", Resource(.bytes(Self.content)))
        let made = try await hash("\(server.url("/gone"))\n\(server.url("/a"))\n\(server.url("/lost"))\n")
        #expect(made.status == .exited(1), "\(made)")
        #expect(made.errorText.contains("set.txt:1: ") && made.errorText.contains("set.txt:3: "), "\(made)")
        #expect(!made.errorText.contains("set.txt:2: \(server.url("/a"))"), "\(made)")
    }

    @Test func nothingIsFetchedForAListWhoseLastLineIsWrong() async throws {
        let server = try FaultServer()
        server.serve("/a", Resource(.bytes(Self.content)))
        let list = Array("\(server.url("/a"))\nno URL\n".utf8)
        for path in ["-", try directory.write(list, to: "list")] {
            let refused = try await importing(path, "--id", "m", "--hash", input: list)
            #expect(refused.status == .exited(65) && refused.errorText.contains(":2: "), "\(refused)")
        }
        #expect(server.exchanges("/a").isEmpty)
    }

    /// Some networks send one in the place of anything else.
    @Test func aPageInThePlaceOfAFileIsTold() async throws {
        let server = try FaultServer()
        for path in ["/a.zip", "/a.html"] {
            server.serve(path, Resource(.text("<!doctype html><title>Log in</title>")))
        }
        let refused = try await hash("\(server.url("/a.html"))\n\(server.url("/a.zip"))\n")
        #expect(refused.status == .exited(1) && refused.problems.count == 2, "\(refused)")
        #expect(refused.errorText.contains("set.txt:2: \(server.url("/a.zip")): an HTML page"), "\(refused)")
    }

    @Test func whatHasADigestIsNotFetched() async throws {
        let server = try FaultServer()
        let made = try await hash("\(server.url("/a"))\n checksum=sha-256=\(SHA256.digest(of: Self.content))\n")
        #expect(made.status == .exited(0), "\(made)")
        #expect(server.exchanges("/a").isEmpty)
    }

    /// What lies in a bag is read from there.
    @Test func aBagWithoutSHA256IsHashedWhereItLies() async throws {
        try directory.write(Self.content, to: "set/a")
        let made = try await ChildProcess.run(
            try Tool.python("bagit.py"), ["--quiet", "--md5", "--contact-name", "A", directory["set"]])
        try #require(made.status == .exited(0), "\(made)")
        let hashed = try await importing("set", "--hash", "-o", "set.json")
        #expect(hashed.status == .exited(0) && !hashed.errorText.contains("warning"), "\(hashed)")
        let text = String(decoding: try directory.read("set.json"), as: UTF8.self)
        #expect(
            text.contains(#""urls":["set/data/a"],"size":13,"sha256":"\#(SHA256.digest(of: Self.content))""#), "\(text)"
        )
        try directory.write(Array("what is wrong".utf8), to: "set/data/a")
        let wrong = try await importing("set", "--hash", "-o", "other.json")
        #expect(wrong.status == .exited(1) && wrong.errorText.contains("has the md5"), "\(wrong)")
    }

    @Test func aSignalEndsItAndLeavesNothing() async throws {
        let server = try FaultServer()
        server.serve(
            "/a", always: Reply.status(200).body(.pattern(lengthBytes: 2 << 20, seed: 1)).stalled(afterBytes: 1 << 20))
        let temporary = try directory.makeDirectory("temporary")
        try directory.write("\(server.url("/a"))\n".utf8, to: "set.txt")
        var environment = ChildProcess.inheritedEnvironment
        environment["TMPDIR"] = temporary
        let hashing = try LarderProgram.start(
            ["manifest", "import", directory["set.txt"], "--hash", "-o", directory["set.json"]],
            environment: environment)
        try await server.waitUntilSent("/a", bytes: 1 << 20)
        hashing.kill(SIGINT)
        #expect(try await hashing.waitForExit().status == .exited(130))
        #expect(try directoryEntries(FilePathBytes(temporary)).isEmpty)
        #expect(throws: (any Error).self) { try directory.read("set.json") }
    }

    /// Nobody can clear up after himself then: the next one does, and leaves alone what another one is at work in.
    @Test func whatAKilledOneLeftIsRemovedByTheNext() async throws {
        let server = try FaultServer()
        let content = Content.pattern(lengthBytes: 2 << 20, seed: 1)
        server.serve("/a", always: Reply.status(200).body(content).stalled(afterBytes: 1 << 20))
        server.serve("/b", Resource(.bytes([1])))
        let temporary = try directory.makeDirectory("temporary")
        let other = try directory.makeDirectory("temporary/larder-backup")
        try directory.write("\(server.url("/a"))\n".utf8, to: "set.txt")
        try directory.write("\(server.url("/b"))\n".utf8, to: "next.txt")
        var environment = ChildProcess.inheritedEnvironment
        environment["TMPDIR"] = temporary
        func start(_ number: Int) async throws -> ChildProcess {
            let hashing = try LarderProgram.start(
                ["manifest", "import", directory["set.txt"], "--hash", "-o", directory["set.json"]],
                environment: environment)
            try await server.waitUntilSent("/a", bytes: 1 << 20, request: number)
            return hashing
        }
        let killed = try await start(1)
        killed.kill(SIGKILL)
        #expect(try await killed.waitForExit().status == .signalled(SIGKILL))
        #expect(try directoryEntries(FilePathBytes(temporary)).count == 2)
        let atWork = try await start(2)
        #expect(try directoryEntries(FilePathBytes(temporary)).count == 2, "\(other) isn't ours")
        #expect(try await hash(server.url("/b"), temporary: temporary).status == .exited(0))
        #expect(try directoryEntries(FilePathBytes(temporary)).count == 2)
        atWork.kill(SIGINT)
        #expect(try await atWork.waitForExit().status == .exited(130))
        #expect(try directoryEntries(FilePathBytes(temporary)).count == 1)
    }

    /// As `sync` does: whoever needs a login to fetch needs it to hash, too.
    @Test func whatIsHashedIsFetchedAsTheSettingsSay() async throws {
        let server = try FaultServer()
        server.serve("/a", Resource(.bytes(Array("12".utf8))))
        server.serve("/moved", always: Reply.status(302).header("Location", server.url("/a")))
        try directory.write("\(server.url("/a"))\n".utf8, to: "set.txt")
        try directory.write("\(server.url("/moved"))\n".utf8, to: "moved.txt")
        let settings = try directory.write(#"{"headers": {"X-Pass": "1"}, "maxRedirects": 0}"#.utf8, to: "c.json")
        #expect(try await hash(server.url("/a"), "--config", settings, "--limit-rate", "1M").status == .exited(0))
        #expect(server.exchanges("/a").last?.request["X-Pass"] == "1")
        let moved = try await hash(server.url("/moved"), "--config", settings)
        #expect(moved.status == .exited(1), "\(moved)")
        let budget = try directory.write(#"{"bodyBudget": 1}"#.utf8, to: "b.json")
        #expect(try await hash(server.url("/a"), "--config", budget).status == .exited(1))
        let unknown = try directory.write(#"{"bodyBudgets": 1}"#.utf8, to: "u.json")
        let wrong = try await hash(server.url("/a"), "--config", unknown)
        #expect(wrong.status == .exited(64) && wrong.errorText.contains("bodyBudgets"), "\(wrong)")
    }

    // MARK: Refusals

    @Test func whatIsRefusedIsToldAndNothingIsWritten() async throws {
        try directory.write("http://a.example/a\n out=../a\nftp://a.example/b\n out=b\n".utf8, to: "set.txt")
        let refused = try await importing("set.txt", "-o", "set.json")
        #expect(refused.status == .exited(65), "\(refused)")
        #expect(refused.problems.count == 3 && refused.errorText.contains("nothing is written"), "\(refused)")
        #expect(throws: (any Error).self) { try directory.read("set.json") }
    }

    /// Such as one with a digest that no file has.
    @Test func whatWouldBeNoValidManifestIsNotWritten() async throws {
        let zeros = String(repeating: "0", count: 64)
        let list = "http://a.example/a\n checksum=sha-256=\(zeros)\n"
        try directory.write(list.utf8, to: "set.txt")
        let refused = try await importing("set.txt", "--format", "aria2", "-o", "set.json")
        #expect(refused.status == .exited(65), "\(refused)")
        #expect(refused.errorText.contains("set.json:") && refused.errorText.contains("nothing is written"))
        #expect(throws: (any Error).self) { try directory.read("set.json") }
    }

    @Test func whereItCanNotBeWrittenIsNoListThatCanNotBeRead() async throws {
        try directory.write("http://a.example/a\n".utf8, to: "set.txt")
        try directory.write("old".utf8, to: "set.json", mode: 0o444)
        let refused = try await importing("set.txt", "-o", "set.json")
        #expect(refused.status == .exited(1) && refused.errorText.contains("write-protected"), "\(refused)")
        #expect(try directory.read("set.json") == Array("old".utf8))
    }

    private static let mistakes: [(arguments: [String], code: Int32)] = [
        (["-"], 64), (["list", "list", "--title", "x"], 64), (["list", "--id", "No"], 64),
        (["list", "--base", "x"], 64),
        (["list", "--format", "torrent"], 64), (["list", "-o", "folder/"], 64), (["nothing"], 66),
        (["/proc/self/mem"], 66),
        (["."], 65), ([], 64),
    ]

    @Test(arguments: mistakes)
    func wrongUsageIsTold(arguments: [String], code: Int32) async throws {
        try directory.write("http://a.example/a\n".utf8, to: "list")
        let refused = try await LarderProgram.run(["manifest", "import"] + arguments, directory: directory.path)
        #expect(refused.status == .exited(code) && refused.output.isEmpty, "\(refused)")
    }

    /// Bags that lie elsewhere than the manifest, and no server.
    @Test func aBagThatIsNotBeneathTheManifestIsTold() async throws {
        try directory.write([], to: "served/x")
        let server = try await NginxServer(root: directory["served"])
        try await makeBag("bags/set", without: [], server)
        try directory.makeDirectory("elsewhere")
        let made = try await importing("bags/set", "-o", "elsewhere/set.json")
        #expect(made.status == .exited(0) && made.errorText.contains("--base"), "\(made)")
        let based = try await importing("bags/set", "-o", "elsewhere/set.json", "--base", "https://a.example/set")
        #expect(based.status == .exited(0) && !based.errorText.contains("warning"), "\(based)")
        let text = String(decoding: try directory.read("elsewhere/set.json"), as: UTF8.self)
        #expect(text.contains("https://a.example/set/") && text.contains(#""urls":["data/empty"]"#), "\(text)")
    }
}
