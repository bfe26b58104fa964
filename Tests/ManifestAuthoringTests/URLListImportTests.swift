import Platform
import TestSupport
import Testing

@testable import ManifestAuthoring

/// What of lists of URLs, plain ones and aria2's, becomes what in a manifest.
@Suite struct URLListImportTests {
    private let importing: Importing

    init() throws { importing = try Importing() }

    @Test func aURLALineNamesAFile() throws {
        let list =
            "\u{feff}http://a.example/x.zip\r\n\r\n# b\r\n  https://b.example/d/X%20%C3%A9.zip?q=1#f\t\r\nhttp://c.example/ü.txt"
        #expect(
            try importing.entries(of: list.utf8) == [
                #"{"path":"x.zip","urls":["http://a.example/x.zip"]}"#,
                #"{"path":"X é.zip","urls":["https://b.example/d/X%20%C3%A9.zip?q=1"]}"#,
                #"{"path":"ü.txt","urls":["http://c.example/%C3%BC.txt"]}"#,
            ])
        #expect(importing.warnings.count == 1 && importing.warnings[0].hasSuffix("(the first of 3 like it)"))
    }

    @Test func filesOfOneNameAreNumberedInTheirOrder() throws {
        let list = ["a.tar", "b/A.tar", "c/a.tar", "a-2.tar", "x", "b/x"].map { "http://a.example/\($0)\n" }.joined()
        let paths = try importing.entries(of: list.utf8).map { $0.split(separator: "\"")[3] }
        #expect(paths == ["a.tar", "A-2.tar", "a-3.tar", "a-2-2.tar", "x", "x-2"])
        #expect(
            importing.warnings.contains { $0.hasPrefix(#"list:2: "A.tar" is there already"#) }, "\(importing.warnings)")
    }

    @Test func namesThatOnlyCaseTellsApartAreOneInAnyScript() throws {
        let paths = try importing.entries(of: "http://a.example/stra%C3%9Fe\nhttp://a.example/STRASSE\n".utf8)
            .map { $0.split(separator: "\"")[3] }
        #expect(paths == ["straße", "STRASSE-2"])
    }

    @Test func relativeURLsNeedABase() throws {
        let why = try importing.refusal(of: "a/b.zip\n".utf8)
        #expect(why?.hasPrefix("list:1: there is no URL that can be used: a/b.zip") == true, "\(why ?? "taken")")
        let entries = try importing.entries(of: "a/b.zip\n".utf8, mirrors: ["http://a.example/"])
        #expect(entries == [#"{"path":"b.zip","urls":["a/b.zip"]}"#])
    }

    /// As one from `yes` is without end: what is refused is held against the limit, too, and no more is kept of it.
    @Test(arguments: [("http://a.example/a\n", false), ("ftp://a.example/a\n", true)])
    func aListEndsWhereNoManifestIsLargeEnough(line: String, isRefused: Bool) throws {
        let text = String(repeating: line, count: 50_000)
        let list = try OwnedDescriptor.openRegularFile(importing.folder.write(text.utf8, to: "list"))
        let copy = try TemporaryFolder.unnamedFile()
        let observer = ImportObserver(
            shouldStop: { false }, didList: { _ in }, didRead: { _ in }, didHash: {}, warn: { _ in })
        let intake = FileIntake(
            "list", takesRelativeURLs: false, needsDigests: false, limitBytes: 1 << 16, observer
        ) { _ in }
        let failure = #expect(throws: ImportProblem.self) {
            try URLListReader.read(
                ListInput(list, name: "list", copyingTo: copy, shouldStop: { false }), intake)
        }
        switch failure {
        case .tooLarge?: #expect(!isRefused)
        case .refused(_, let count)?: #expect(isRefused && count > 1000 && count < 2000)
        default: Issue.record("\(String(describing: failure))")
        }
        #expect(try copy.status().sizeBytes == Int64(ListInput.pieceBytes))
    }

    private static let noURLs: [(text: String, told: String)] = [
        ("http://a.example/", "names no file"), ("http://a.example/..", "names no file"), ("no-URL", "http or https"),
        ("http://u:secret@a.example/a", "password"), ("http://a.example/%zz", "%zz"),
        ("file:///etc/passwd", "file URL"),
        ("http://a.example:0/a", "port"), ("http://a.example/a\\b", "backslash"),
        ("http://a.example/" + String(repeating: "a", count: 1 << 17), "64 KiB"), ("# nothing", "names no file"),
        ("http://a.example/a\0", "UTF-8 text"), ("http://a.example/a.zip # remark", "list:1: http://a.example/a.zip"),
        ("http://a.example/a.zip # remark", "white space"), ("http://a.example/a b.zip", "%20"),
    ]

    @Test func aRemarkBehindAURLOfAria2IsTold() throws {
        let why = try importing.refusal(of: "http://a.example/a\t# remark\n out=a\n".utf8)
        #expect(why?.hasPrefix("list:1: a word has white space in it") == true, "\(why ?? "taken")")
    }

    @Test(arguments: noURLs)
    func whatIsNoURLOfAFileIsRefused(line: String, told: String) throws {
        let why = try importing.refusal(of: (line + "\n").utf8, format: .urls)
        #expect(why?.contains(told) == true, "\(why ?? "taken")")
        #expect(why?.contains("secret") != true)
    }

    @Test func allThatIsWrongIsToldAtOnce() throws {
        let list = (0..<300).map { "no-\($0)\n" }.joined()
        try importing.folder.write(list.utf8, to: "list")
        let problem = #expect(throws: ImportProblem.self) { try importing.text(of: ["list"]) }
        guard case .refused(let lines, count: 300)? = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(lines.count == 100)
    }

    private static let noLists: [(bytes: [UInt8], told: String)] = [
        ([0x1F, 0x8B, 8, 0], "compressed"), ([], "list: it is empty"), ([0xEF, 0xBB, 0xBF], "list: it is empty"),
        (Array("\u{feff}\r\n \n".utf8), "list: it is empty"),
        ([0xFF, 0xFE] + "http://a.example/a\r\n".utf16.flatMap { [UInt8($0), 0] }, "list: it is in UTF-16"),
        ([0xFE, 0xFF] + "# a\n".utf16.flatMap { [0, UInt8($0)] }, "iconv -f UTF-16"),
        ("http://a.example/a\n".utf16.flatMap { [UInt8($0), 0] }, "list: it is in UTF-16"),
        ([0xFF, 0xFE, 0, 0] + "http".utf16.flatMap { [UInt8($0), 0, 0, 0] }, "list: it is in UTF-32"),
    ]

    @Test(arguments: noLists)
    func whatIsNoListIsTold(bytes: [UInt8], told: String) throws {
        let why = try importing.refusal(of: bytes)
        #expect(why?.contains(told) == true, "\(why ?? "taken")")
    }

    // MARK: aria2

    @Test func anEntryOfAria2HasMirrorsAndOptions() throws {
        let digest = String(repeating: "ab", count: 32)
        let list = """
            # a remark
            http://a.example/x\thttps://b.example/y\t
              dir=./films//
              out=one.mkv
              checksum=SHA-256=\(digest)
            http://a.example/two%20words.bin
            \tdir=more
              checksum=sha-1=\(String(repeating: "0", count: 40))
            http://a.example/

            """
        #expect(
            try importing.entries(of: list.utf8) == [
                #"{"path":"films/one.mkv","urls":["http://a.example/x","https://b.example/y"],"sha256":"\#(digest)"}"#,
                #"{"path":"more/two words.bin","urls":["http://a.example/two%20words.bin"],"x-sha-1":"\#(String(repeating: "0", count: 40))"}"#,
                #"{"path":"index.html","urls":["http://a.example/"]}"#,
            ])
    }

    /// A place on somebody's machine, a secret, and what only aria2 knows.
    @Test func whatAManifestCanNotSayIsToldWithoutItsValue() throws {
        let list = """
            http://a.example/x
              dir=/home/somebody
              header=Authorization: Bearer secret
              http-passwd=secret
              split=8

            """
        #expect(try importing.entries(of: list.utf8) == [#"{"path":"x","urls":["http://a.example/x"]}"#])
        let told = importing.warnings.joined(separator: "\n")
        for word in ["/home/somebody", "header", "\"split\""] { #expect(told.contains(word), "\(told)") }
        #expect(!told.contains("secret"), "\(told)")
    }

    private static let noEntries: [(text: String, told: String)] = [
        ("http://a.example/x\n out=../x\n", "list:1: the path \"../x\""), ("http://a.example/x\n out=/x\n", "absolute"),
        ("http://a.example/x\n dir=../..\n", "component .."), ("http://a.example/x\n dir=d\n out=/x\n", "absolute"),
        (" out=x\nhttp://a.example/x\n", "list:1: an option stands before the first URL"),
        ("http://a.example/x\n out\n", "NAME=VALUE"), ("http://a.example/x\n checksum=md5\n", "TYPE=DIGEST"),
        ("http://a.example/x\n checksum=md5=zz\n", "32 hexadecimal digits"),
        ("http://a.example/x\n out=x\nhttp://a.example/y\n out=x\n", "list:3: \"x\" is in line 1 already"),
        ("magnet:?xt=urn:btih:00\n out=x\n", "no URL that can be used"),
    ]

    @Test(arguments: noEntries)
    func whatAria2WouldTakeAndNoManifestCanIsRefused(list: String, told: String) throws {
        let why = try importing.refusal(of: list.utf8, format: .aria2)
        #expect(why?.contains(told) == true, "\(why ?? "taken")")
    }

    /// Before it, such lines would be URLs.
    @Test func anOptionBehindTheBeginningOfAPlainListIsTold() throws {
        let list = String(repeating: "http://a.example/x\n", count: 4096) + "  out=y\n"
        let why = try importing.refusal(of: list.utf8)
        #expect(why?.hasPrefix("list:4097: this is an option of aria2") == true, "\(why ?? "taken")")
        #expect(try importing.refusal(of: list.utf8, format: .aria2) == nil)
    }
}
