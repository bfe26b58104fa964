import Testing

/// What of a Metalink becomes what in a manifest.
@Suite struct MetalinkImportTests {
    private let importing: Importing

    init() throws { importing = try Importing() }

    private static func metalink(_ files: String) -> String.UTF8View {
        #"<?xml version="1.0" encoding="UTF-8"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">\#(files)</metalink>"#
            .utf8
    }

    private static let digest = String(repeating: "0a", count: 32)

    /// Two different ones say nothing, and a key stands once.
    @Test func whatAListSaysTwiceOfItselfIsOneNoteOrNone() throws {
        let twice = "<updated>1</updated><updated>2</updated><published>3</published><published>3</published>"
        let list = Self.metalink(twice + #"<file name="a"><url>http://a.example/a</url></file>"#)
        try importing.folder.write(Array(list), to: "list")
        let text = try importing.text(of: ["list"])
        #expect(text.contains(#"{"id":"list","x-published":"3","kind":"files""#), "\(text)")
    }

    @Test func aFileHasItsSourcesInOrderOfPriorityWithSizeAndDigest() throws {
        let entries = try importing.entries(
            of: Self.metalink(
                """
                <file name="a/b.iso"><size> 12 </size>
                <url priority="2">http://second.example/b</url><url>http://last.example/b</url>
                <url priority="1" location="de">https://first.example/b</url><url priority="2">http://third.example/b</url>
                <hash type="sha-256">\(Self.digest.uppercased())</hash></file>
                """))
        #expect(
            entries == [
                #"{"path":"a/b.iso","urls":["https://first.example/b","http://second.example/b","#
                    + #""http://third.example/b","http://last.example/b"],"size":12,"sha256":"\#(Self.digest)"}"#
            ])
        #expect(importing.warnings == [])
    }

    /// Nobody can tell which of them is the file's.
    @Test func twoDifferentSizesOfAFileAreRefused() throws {
        func list(_ sizes: String) -> String.UTF8View {
            Self.metalink(#"<file name="a">\#(sizes)<url>http://a.example/a</url></file>"#)
        }
        let why = try importing.refusal(of: list("<size>1</size>\n<size>2</size>"))
        #expect(why?.contains(#""a" has two different sizes, "1" and "2""#) == true, "\(why ?? "taken")")
        #expect(try importing.entries(of: list("<size>1</size><size>01</size>")).count == 1)
    }

    @Test func whatManifestsDoNotKnowIsKeptAsNotesOrTold() throws {
        let entries = try importing.entries(
            of: Self.metalink(
                """
                <file name="a"><identity>A &amp; B</identity><version>7</version><os>linux</os><os>bsd</os>
                <publisher name="P" url="http://p.example/"/><hash type="md5">\(String(repeating: "0", count: 32))</hash>
                <pieces length="1" type="sha-1"><hash>00</hash></pieces><signature mediatype="x">y</signature>
                <hash type="tiger">00</hash><url>ftp://a.example/a</url><url>http://a.example/a</url>
                <metaurl mediatype="torrent">http://a.example/a.torrent</metaurl></file>
                """))
        #expect(
            entries == [
                #"{"path":"a","urls":["http://a.example/a"],"x-md5":"00000000000000000000000000000000","#
                    + #""x-identity":"A & B","x-os":"linux, bsd","x-publisher":"P","x-version":"7"}"#
            ])
        let told = importing.warnings.joined(separator: "\n")
        for word in ["ftp://a.example/a", "torrent", "pieces", "signature", "tiger", "x-md5"] {
            #expect(told.contains(word), "\(told)")
        }
        #expect(importing.warnings.count == 6 && importing.warnings.allSatisfy { $0.hasPrefix("list:") }, "\(told)")
    }

    @Test func whatAllFilesSayIsSaidOfTheBundle() throws {
        func file(_ name: String, _ version: String) -> String {
            "<file name='\(name)'><identity>Set</identity><version>\(version)</version><url>http://a.example/\(name)</url></file>"
        }
        try importing.folder.write(
            Self.metalink("<published>2009-05-15T12:23:23Z</published>" + file("a", "1") + file("b", "1")),
            to: "one.meta4")
        try importing.folder.write(Self.metalink(file("a", "1") + file("b", "2")), to: "two.meta4")
        let text = try importing.text(of: ["one.meta4", "two.meta4"])
        #expect(
            text.contains(
                #"{"id":"one","title":"Set","version":"1","x-published":"2009-05-15T12:23:23Z","kind":"files""#),
            "\(text)")
        #expect(text.contains(#"{"id":"two","title":"Set","kind":"files""#), "\(text)")
    }

    /// Elements lie in others that group them, and the largest preference is first.
    @Test func metalink3IsReadToo() throws {
        let entries = try importing.entries(
            of: """
                <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="a"><size>1</size>
                <verification><hash type="sha256">\(Self.digest)</hash><pieces type="sha1" length="1"><hash piece="0">00</hash></pieces></verification>
                <resources maxconnections="1"><url type="http" preference="10">http://low.example/a</url>
                <url type="bittorrent" preference="100">http://t.example/a</url>
                <url type="http" preference="90">http://high.example/a</url></resources></file></files></metalink>
                """.utf8)
        #expect(
            entries == [
                #"{"path":"a","urls":["http://high.example/a","http://low.example/a"],"size":1,"sha256":"\#(Self.digest)"}"#
            ])
    }

    @Test func elementsOfOtherNamespacesArePassedOver() throws {
        let entries = try importing.entries(
            of: Self.metalink(
                "<x:y xmlns:x='urn:x'><file name='no'/></x:y><file name='a'><x:url xmlns:x='urn:x'>http://no.example/</x:url><url>http://a.example/</url></file>"
            ))
        #expect(entries == [#"{"path":"a","urls":["http://a.example/"]}"#])
    }

    /// As its declaration says, or the mark it begins with.
    @Test func otherEncodingsAreRead() throws {
        let body =
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\u{e9}\"><url>http://a.example/</url></file></metalink>"
        let latin = #"<?xml version="1.0" encoding="ISO-8859-1"?>"# + body
        let wanted = ["{\"path\":\"\u{e9}\",\"urls\":[\"http://a.example/\"]}"]
        #expect(try importing.entries(of: latin.unicodeScalars.map { UInt8($0.value) }) == wanted)
        #expect(
            try importing.entries(of: [0xFF, 0xFE] + body.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
                == wanted)
        #expect(try importing.entries(of: [0xEF, 0xBB, 0xBF] + Array(body.utf8)) == wanted)
    }

    /// What is told of each, which names its line.
    private static let badFiles: [(text: String, told: String)] = [
        (#"<file name="../a">"#, "list:1: the path \"../a\" has the component .."),
        (#"<file name="/a">"#, "absolute"), (#"<file name="a\b">"#, "\\"), (#"<file name="a&#10;b">"#, "\\n"),
        (#"<file name="">"#, "no name"), ("<file>", "no name"),
        (#"<file name="a"><size>-1</size>"#, "size"), (#"<file name="a"><size>1e3</size>"#, "size"),
        (#"<file name="a"><size>9223372036854775808</size>"#, "size"),
        (#"<file name="a"><size>9007199254740992</size>"#, "size"),
        (#"<file name="a"><hash type="sha-256">00</hash>"#, "64 hexadecimal digits"),
    ]

    @Test(arguments: badFiles)
    func aFileThatNoManifestCanHaveIsRefused(file: String, told: String) throws {
        let why = try importing.refusal(of: Self.metalink(file + "<url>http://a.example/a</url></file>"))
        #expect(why?.hasPrefix("list:1") == true && why?.contains(told) == true, "\(why ?? "taken")")
    }

    @Test func filesThatCanNotStandBesideEachOtherAreToldTogether() throws {
        func file(_ name: String) -> String { "\n<file name='\(name)'><url>http://a.example/a</url></file>" }
        let why = try importing.refusal(of: Self.metalink(["a", "a", "a/b", "c/d", "c", "e"].map(file).joined()))
        #expect(
            why == """
                list:3: "a" is in line 2 already
                list:4: "a/b" has a folder that line 2 has as a file
                list:5: "c/d" has a folder that line 6 has as a file
                """)
        let again = try importing.refusal(of: Self.metalink(["B", "b", "b", "b/c"].map(file).joined()))
        #expect(
            again == """
                list:4: "b" is in line 3 already
                list:5: "b/c" has a folder that line 3 has as a file
                """)
        let entries = try importing.entries(of: Self.metalink(["B", "b"].map(file).joined()))
        #expect(entries.count == 2 && importing.warnings.contains { $0.contains("where case doesn't count") })
    }

    @Test(arguments: [
        "ftp://a.example/a", "http://user:xyzzy@a.example/a", "magnet:?xt=urn:btih:1", "a", "http://",
        "http://a.example/a.torrent",
    ])
    func aFileWithoutAnyURLThatCanBeUsedIsRefused(url: String) throws {
        let why = try importing.refusal(of: Self.metalink("<file name='a'><url>\(url)</url></file>"))
        #expect(why?.hasPrefix("list:1: \"a\" has no URL that can be used") == true, "\(why ?? "taken")")
        #expect(why?.contains("xyzzy") != true)
    }

    private static let noMetalinks: [(text: String, told: String)] = [
        (
            "<!DOCTYPE metalink [<!ENTITY a \"b\"><!ENTITY c \"&a;&a;\">]><metalink>&c;</metalink>",
            "it has a document type"
        ),
        ("<?xml version=\"1.0\"?>\n<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><m/>", "list:2:"),
        ("<html></html>", "no Metalink"),
        ("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>", "no element found"),
        ("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>&a;</metalink>", "undefined entity"),
        ("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\0</metalink>", "not well-formed"),
        ("<file xmlns='urn:ietf:params:xml:ns:metalink'/>", "begin"),
        ("<metalink xmlns='urn:ietf:params:xml:ns:metalink'/>", "names no file"),
        ("<?xml version='1.0' encoding='x-none'?><metalink/>", "unknown encoding"),
    ]

    @Test(arguments: noMetalinks)
    func whatIsNoMetalinkIsRefused(text: String, told: String) throws {
        let why = try importing.refusal(of: text.utf8, format: .metalink)
        #expect(why?.contains(told) == true, "\(why ?? "taken")")
    }

    @Test func whatIsNotUTF8IsRefused() throws {
        let why = try importing.refusal(of: Array("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>".utf8) + [0xFF])
        #expect(why?.contains("not well-formed") == true, "\(why ?? "taken")")
    }

    @Test func aDocumentThatIsTooLargeAnywhereIsRefusedBeforeItIsReadToItsEnd() throws {
        let root = "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>"
        let deep = try importing.refusal(of: (root + String(repeating: "<a>", count: 1 << 16)).utf8)
        #expect(deep?.contains("deeper in each other than 32") == true, "\(deep ?? "taken")")
        let text = try importing.refusal(
            of: (root + "<file name='a'><size>" + String(repeating: "1", count: 1 << 20)).utf8)
        #expect(text?.contains("64 KiB") == true, "\(text ?? "taken")")
        // As a whole it would be held in memory, several times.
        let attribute = try importing.refusal(
            of: (root + "<file name='" + String(repeating: "a", count: 64 << 20)).utf8)
        #expect(attribute?.contains("longer than 1 MiB") == true, "\(attribute ?? "taken")")
    }
}
