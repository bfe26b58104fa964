import Glibc
import Platform
import TestSupport
import Testing

@testable import ManifestAuthoring

/// What of a bag becomes what in a manifest.
@Suite struct BagImportTests {
    private let importing: Importing
    private var folder: TemporaryDirectory { importing.folder }
    private static let digests = (
        a: SHA256.digest(of: "a".utf8).description, b: SHA256.digest(of: "b".utf8).description
    )

    private static let sha512 = [
        (hex: String(repeating: "1", count: 128), name: "a"), (hex: String(repeating: "0", count: 128), name: "b"),
    ]

    init() throws { importing = try Importing() }

    /// - Parameter fetched: `data/b`, which isn't here.
    private func makeBag(version: String = "1.0", files: [String: String] = [:]) throws {
        var all = [
            "bagit.txt": "BagIt-Version: \(version)\nTag-File-Character-Encoding: UTF-8\n",
            "data/a": "a", "manifest-sha256.txt": "\(Self.digests.a)  data/a\n\(Self.digests.b) data/b\n",
            "fetch.txt": "http://a.example/b 1 data/b\n",
        ]
        all.merge(files) { $1 }
        for (name, text) in all where text != "-" { try folder.write(text.utf8, to: "bag/\(name)") }
    }

    private func entries() throws -> [String] { try importing.entries(of: ["bag"]) }

    private func refusal() throws -> String? { try importing.refusal(of: ["bag"]) }

    @Test func whatIsHereIsTakenFromThereAndTheRestIsFetched() throws {
        try makeBag(files: [
            "bag-info.txt": "External-Description: Two\n  files\nPayload-Oxum: 2.2\n",
            "manifest-sha512.txt": Self.sha512.map { "\($0) data/\($1)\n" }.joined(),
        ])
        let text = try importing.text(of: ["bag"])
        #expect(text.contains(#"{"id":"bag","title":"Two files","kind":"files""#), "\(text)")
        #expect(
            try entries() == [
                #"{"path":"a","urls":["data/a"],"size":1,"sha256":"\#(Self.digests.a)","x-sha-512":"\#(Self.sha512[0].hex)"}"#,
                #"{"path":"b","urls":["http://a.example/b"],"size":1,"sha256":"\#(Self.digests.b)","x-sha-512":"\#(Self.sha512[1].hex)"}"#,
            ])
    }

    /// Where a bag was completed in part.
    @Test(arguments: [("b", #"["data/b","http://a.example/b"]"#), ("half", #"["http://a.example/b"]"#)])
    func whatIsHereAndListedForFetchingIsTakenFromHereIfItIsWhole(content: String, urls: String) throws {
        try makeBag(files: ["data/b": content])
        #expect(try entries()[1].contains(#""urls":\#(urls),"size":1"#))
        let told = "bag/manifest-sha256.txt:2: data/b is here with 4 bytes, and fetch.txt says 1 bytes"
        #expect(importing.warnings.contains { $0.hasPrefix(told) } == (content == "half"), "\(importing.warnings)")
    }

    /// It may be half of it.
    @Test func whatIsListedForFetchingWithoutALengthIsNotTakenFromHere() throws {
        try makeBag(files: ["data/b": "half", "fetch.txt": "http://a.example/b - data/b\n"])
        #expect(
            try entries()[1] == #"{"path":"b","urls":["http://a.example/b"],"sha256":"\#(Self.digests.b)"}"#)
        #expect(importing.warnings.contains { $0.contains("fetch.txt doesn't say how long") }, "\(importing.warnings)")
    }

    @Test func aFileWhereAListedFolderWouldBeIsUnlisted() throws {
        try makeBag(files: [
            "manifest-sha256.txt": "\(Self.digests.a)  data/a\n\(Self.digests.b)  data/a.d/b\n", "data/a.d": "x",
            "fetch.txt": "http://a.example/b 1 data/a.d/b\n",
        ])
        let why = try refusal()
        #expect(why?.hasPrefix("bag/data/a.d: it isn't in") == true, "\(why ?? "taken")")
    }

    @Test func withoutSHA256TheStrongestDigestIsNoted() throws {
        try makeBag(files: [
            "manifest-sha256.txt": "-", "data/a": "-", "fetch.txt": "http://a.example/b - data/b\n",
            "manifest-md5.txt": "\(String(repeating: "1", count: 32)) data/b\n",
            "manifest-sha1.txt": "\(String(repeating: "2", count: 40)) data/b\n",
        ])
        #expect(
            try entries() == [
                #"{"path":"b","urls":["http://a.example/b"],"x-md5":"\#(String(repeating: "1", count: 32))","x-sha-1":"\#(String(repeating: "2", count: 40))"}"#
            ])
        #expect(importing.warnings.contains { $0.contains("x-sha-1") }, "\(importing.warnings)")
    }

    /// RFC 8493 encodes percent signs, and what came before it doesn't.
    @Test(arguments: [("1.0", "data/50%25", "50%"), ("0.97", "data/50%25", "50%25"), ("0.97", "*./data/x", "x")])
    func pathsAreDecodedAsTheVersionHasThem(version: String, listed: String, path: String) throws {
        try makeBag(
            version: version,
            files: [
                "manifest-sha256.txt": "\(Self.digests.b)  \(listed)\n", "data/a": "-",
                "fetch.txt": "http://a.example/b 1 \(listed)\n",
            ])
        #expect(
            try entries() == [
                #"{"path":"\#(path)","urls":["http://a.example/b"],"size":1,"sha256":"\#(Self.digests.b)"}"#
            ])
    }

    /// What is told when some of a bag's files are others; `-` for none.
    private static let faults: [(files: [String: String], told: String)] = [
        (["fetch.txt": "-"], "bag/manifest-sha256.txt:2: data/b is neither in the bag nor in its fetch.txt"),
        (["fetch.txt": "http://a.example/b 1 data/../../b\n"], "bag/fetch.txt:1: \"data/../../b\""),
        (["fetch.txt": "http://a.example/b 1 /etc/b\n"], "absolute"),
        (
            ["fetch.txt": "http://a.example/b 1 data/b\nhttp://a.example/c 1 data/c\n"],
            "bag/fetch.txt:2: data/c isn't in"
        ),
        (
            ["fetch.txt": "http://a.example/b 1 data/b\nhttp://a.example/c 1 data/b\n"],
            "bag/fetch.txt:2: data/b is in the list already"
        ),
        (["fetch.txt": "http://a.example/b -1 data/b\n"], "length"),
        (["fetch.txt": "http://a.example/b data/b\n"], "3 fields"),
        (["fetch.txt": "ftp://a.example/b 1 data/b\n"], "no URL that can be used"),
        (["manifest-sha256.txt": "00  data/a\n00  data/b\n"], "64 hexadecimal digits"),
        (["manifest-sha256.txt": "\(digests.a)  other/a\n"], "isn't in data/"),
        (["manifest-sha256.txt": "\(digests.a)  data/%0Aa\n", "fetch.txt": "http://a.example/b 1 data/%0Aa\n"], "\\n"),
        (["manifest-sha256.txt": "-"], "no payload manifest"), (["bagit.txt": "-"], "no bagit.txt"),
        (["bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-16\n"], "UTF-8"),
        (["bagit.txt": "BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n"], "BagIt-Version"),
        (["bagit.txt": "BagIt-Version: 0.1\nTag-File-Character-Encoding: UTF-8\n"], "BagIt-Version"),
        (["bag-info.txt": "Payload-Oxum: 3.2\n"], "3 bytes in 2 files, and there are 2 in 2"),
        (["bag-info.txt": "Payload-Oxum: 2.3\n"], "in 3 files"),
        (["bag-info.txt": "Payload-Oxum: two\n"], "BYTES.FILES"),
        (
            ["tagmanifest-sha256.txt": "\(digests.a)  fetch.txt\n"],
            "tagmanifest-sha256.txt:1: fetch.txt isn't as it was"
        ),
        (["tagmanifest-sha256.txt": "\(digests.a)  lost.txt\n"], "lost.txt isn't in the bag"),
        (["tagmanifest-sha256.txt": "00  fetch.txt\n"], "tagmanifest-sha256.txt:1: the sha-256 \"00\" isn't 64"),
        (["manifest-md5.txt": "00  data/a\n"], "data/b isn't in manifest-md5.txt"),
        (
            [
                "bagit.txt": "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n",
                "manifest-md5.txt": "00  data/c\n",
            ],
            "data/c isn't in it"
        ),
        (["manifest-md5.txt": "00  data/a\n00  data/a\n"], "manifest-md5.txt:2: data/a is in the list already"),
        (["data/c/d": "x"], "bag/data/c/d: it isn't in"), (["data/c": "x", "data/d": "y"], "nor are 1 others"),
    ]

    @Test(arguments: faults)
    func aBagThatIsNotAsItShouldBeIsRefused(files: [String: String], told: String) throws {
        try makeBag(files: files)
        let why = try refusal()
        #expect(why?.contains(told) == true, "\(why ?? "taken")")
    }

    /// Nobody may take what wasn't looked at for what it was.
    @Test func aDigestThatCanNotBeTakenHereProvesNothing() throws {
        let md5 = "900150983cd24fb0d6963f7d28e17f72"
        try makeBag(files: ["tagmanifest-md5.txt": "\(md5)  fetch.txt\n"])
        let sources = try ManifestSources([folder["bag"]])
        let bag = try Bag(sources.folders[0]) { false }
        let failure = #expect(throws: ImportProblem.self) { try bag.checkTagFiles { $0 != .md5 } }
        guard case .invalid(let line)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(line.contains("tagmanifest-md5.txt: libcrypto here offers no such digest"), "\(line)")
        // Another list of the same files says enough.
        let text = "http://a.example/b 1 data/b\n"
        try folder.write("\(SHA256.digest(of: text.utf8))  fetch.txt\n".utf8, to: "bag/tagmanifest-sha256.txt")
        try bag.checkTagFiles { $0 != .md5 }
    }

    /// Which may lead anywhere.
    @Test func aLinkIsNoFileOfABag() throws {
        try makeBag(files: ["fetch.txt": "-"])
        try check(symlink("/etc/hostname", folder["bag/data/b"]), "symlink")
        let why = try refusal()
        #expect(why?.hasPrefix("bag/data/b: it is a symbolic link, and no file") == true, "\(why ?? "taken")")
    }

    /// It would be left out of account, and the manifest lack what it names.
    @Test(arguments: ["fetch.txt", "manifest-sha512.txt", "tagmanifest-sha256.txt", "bag-info.txt", "data"])
    func aLinkInThePlaceOfAListOrOfThePayloadIsTold(name: String) throws {
        try makeBag(files: name == "fetch.txt" ? [name: "-"] : [:])
        if name == "data" { try check(rename(folder["bag/data"], folder["data"]), "rename") }
        try check(symlink(folder["data"], folder["bag/\(name)"]), "symlink")
        let why = try refusal()
        #expect(why?.hasPrefix("bag/\(name): it is a symbolic link") == true, "\(why ?? "taken")")
    }

    @Test func aPipeInThePlaceOfAListIsTold() throws {
        try makeBag(files: ["fetch.txt": "-"])
        try check(mkfifo(folder["bag/fetch.txt"], 0o600), "mkfifo")
        let why = try refusal()
        #expect(why?.hasPrefix("bag/fetch.txt: it is a pipe") == true, "\(why ?? "taken")")
    }

    @Test func aFolderOfThePayloadBehindALinkIsTold() throws {
        try makeBag(files: ["manifest-sha256.txt": "\(Self.digests.b)  data/d/b\n", "fetch.txt": "-", "data/a": "-"])
        try folder.write("b".utf8, to: "other/b")
        try folder.write("b".utf8, to: "bag/data/x/y")
        try check(symlink(folder["other"], folder["bag/data/d"]), "symlink")
        let why = try refusal()
        #expect(why?.hasPrefix("bag/data/d/b: a symbolic link leads there") == true, "\(why ?? "taken")")
    }

    @Test func aFileOfABagIsNotTheBag() throws {
        try makeBag()
        let why = try importing.refusal(of: ["bag/fetch.txt"], format: .bagit)
        #expect(why?.contains("a bag is a folder") == true, "\(why ?? "taken")")
    }
}
