import Diagnostics
import Glibc
import Platform
import TestSupport
import Testing

@testable import ManifestAuthoring

/// What of a manifest's text becomes another when files have changed, and what stays.
@Suite struct ManifestUpdateTests {
    private let updating: Updating
    private var folder: TemporaryDirectory { updating.folder }

    init() throws { updating = try Updating() }

    /// What a bundle is called that is made of the folder's files.
    private var folderID: String { BundleNames.slug(Array((folder.path.split(separator: "/").last ?? "").utf8)) }

    /// Written by a hand that minds no form: what isn't a size, a digest, the serial or the time stays to the byte.
    @Test(arguments: ["\n", "\r\n"]) func everyByteThatNeedNotChangeIsKept(lineEnd: String) throws {
        func manifest(serial: Int, created: String, a: String, b: String) -> String {
            """
            {\t"x-note" : [ "é\\u00e9", 1.50E+2 ],
              "format":"larder/1", "i\\u0064" : "m",
              "serial"
                 : \(serial), "created":\t"\(created)",
              "mirrors": ["https://a.example/x/"  ,"https://b.example/y/"],
            \t"bundles":[ { "kind":"files" ,"id": "f",   "title":"Öl \\"& Wasser\\"",
                "files"  : [
                  {"x-by": "me", "p\\u0061th":"a" , "si\\u007ae" :  \(a.utf8.count),"urls":["a"], "sha256":"\(SHA256.digest(of: a.utf8))"}
                , {"path":"b","urls":["./x/../b?v=1"],\(facts(of: b, colon: ":", separator: ",")) } ] }
              ,{"id":"z","kind":"archive","urls":["https://c.example/z.zip"],"unpack":{"strip":1},"sha256":
                "\(String(repeating: "ab", count: 32))", "size":7}
            ]   }

            """.replacing("\n", with: lineEnd)
        }
        try folder.write("new".utf8, to: "a")
        try folder.write("bee".utf8, to: "b")
        let old = manifest(serial: 41, created: "2026-01-01T00:00:00Z", a: "older", b: "bee")
        let new = try updating.text(of: old)
        #expect(new == manifest(serial: 42, created: "1970-01-02T00:00:00Z", a: "new", b: "bee"))
        #expect(try updating.text(of: new ?? "") == nil)
        #expect(updating.warnings.isEmpty)
    }

    /// An object of a list before, and with the members that were missing.
    @Test(arguments: [
        (#"{"path":"a","urls":["a"]}"#, #"{"path":"a","urls":["a"],"size":1,"sha256":D}"#),
        (#"{"path": "a", "urls": ["a"]}"#, #"{"path": "a", "urls": ["a"], "size": 1, "sha256": D}"#),
        (#"{"urls": ["a"] ,  "path" : "a"}"#, #"{"urls": ["a"] ,  "size": 1 ,  "sha256": D ,  "path" : "a"}"#),
        (#"{"path": "a", "urls": ["a"], "size": 9}"#, #"{"path": "a", "urls": ["a"], "size": 1, "sha256": D}"#),
        (#"{"path": "a", "urls": ["a"], "sha256": D}"#, #"{"path": "a", "urls": ["a"], "size": 1, "sha256": D}"#),
        (
            "{\r\n\t\"path\": \"a\",\r\n\t\"urls\": [\r\n\t\t\"a\"\r\n\t]\r\n}",
            "{\r\n\t\"path\": \"a\",\r\n\t\"urls\": [\r\n\t\t\"a\"\r\n\t],\r\n\t\"size\": 1,\r\n\t\"sha256\": D\r\n}"
        ),
    ])
    func whatIsMissingIsWrittenAsItsNeighboursAre(before: String, after: String) throws {
        try folder.write("1".utf8, to: "a")
        func manifest(_ file: String, serial: Int) -> String {
            let digest = "\"\(SHA256.digest(of: "1".utf8))\""
            return Updating.manifest(
                #"{"id": "f", "kind": "files", "files": [\#(file.replacing("D", with: digest))]}"#, serial: serial)
        }
        #expect(try updating.text(of: manifest(before, serial: 1)) == manifest(after, serial: 2))
    }

    @Test func aBundleOfOneDownloadIsRenewed() throws {
        try folder.write(Creation.zip, to: "a.zip")
        let old = Updating.manifest(#"{"id": "a", "kind": "textures", "urls": ["a.zip"], "size": 3, "version": "7"}"#)
        let new = try #require(try updating.text(of: old))
        #expect(
            new.contains(
                #""size": \#(Creation.zip.count), "sha256": "\#(SHA256.digest(of: Creation.zip))", "version": "7"}"#))
        #expect(updating.warnings == [#""a" changed, and its version is still "7": give it another one"#])
    }

    /// As `diff -u` counts them: lines that came before move what is behind them.
    @Test func aDiffSaysWhereItsLinesAreInBothTexts() {
        let text = (1...30).map { $0 < 10 ? "0\($0)\n" : "\($0)\n" }.joined()
        let edits = [
            TextEdit(SourceRange(at: 12), "a\nb\n"), TextEdit(SourceRange(start: 42, end: 45), ""),
            TextEdit(SourceRange(start: 72, end: 74), "x"),
        ]
        let diff = LineDiff(name: "m.json", of: Array(text.utf8), edits: edits)
        let hunks = String(decoding: diff.bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("@@") }
        #expect(hunks == ["@@ -2,6 +2,8 @@", "@@ -12,7 +14,6 @@", "@@ -22,7 +23,7 @@"])
    }

    @Test func theHighestSerialHasNoNext() throws {
        try folder.write("1".utf8, to: "a")
        let old = Updating.manifest(
            Updating.files("f", Updating.file("a")), serial: 9_007_199_254_740_991)
        let failure = #expect(throws: CreationProblem.self) { try updating.text(of: old) }
        guard case .lastSerial? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    // MARK: Which file a URL means

    /// URLs of a file `d/é` that lies in the folder, and where that is served.
    @Test(arguments: [
        ("d/%C3%A9", "", nil), ("./d/x/../%c3%a9?v=2", "", nil),
        ("https://a.example/x/d/%C3%A9", "https://a.example/x/", nil),
        ("/x/d/%C3%A9", "https://a.example/x/", nil), ("d/%C3%A9", "https://a.example/x/", nil),
        ("https://b.example/d/%C3%A9", "", "https://b.example/"),
        ("y/d/%C3%A9", "https://a.example/", "https://a.example/y/"),
        ("HTTPS://A.Example:443/x/%64/%C3%A9", "https://a.example/x/", nil),
        ("d/%C3%A9", "https://A.example/%7Eme/", "https://a.example:443/~me/"),
        ("https://b.example/nothing", "https://b.example/", nil), ("file://HERE/d/%C3%A9", "https://a.example/x/", nil),
    ])
    func aURLLeadsToAFile(url: String, mirror: String, base: String?) throws {
        try folder.write("1".utf8, to: "d/é")
        let second = url.hasSuffix("nothing") ? #", "d/%C3%A9""# : ""
        let url = url.replacing("HERE", with: ResolvedPath(folder.path).text)
        let old = Updating.manifest(
            #"{"id": "f", "kind": "files", "files": [{"path": "p", "urls": ["\#(url)"\#(second)]}]}"#,
            more: mirror.isEmpty ? "" : #""mirrors": ["\#(mirror)"], "#)
        let updated = try updating.updated(old, base: base)
        #expect(updated.counts.completed == 1 && updated.counts.added == 0, "\(updated.counts)")
    }

    /// What no file of the folder is meant by stays, and nothing outside is read.
    @Test(arguments: ["../out", "%2e%2e/out", "https://a.example/a", "//a.example/a", "d%00", "", "d/", "?x"])
    func whatLeadsElsewhereStays(url: String) throws {
        try folder.write("1".utf8, to: "d/in")
        try folder.write("1".utf8, to: "out")
        let old = Updating.manifest(
            Updating.files("f", Updating.file("p", url.isEmpty ? "." : url), Updating.file("in", of: "1")),
            more: #""mirrors": ["https://m.example/x/"], "#)
        let updated = try updating.updated(old, ["d"], prunes: true)
        #expect(updated.change == nil && updated.counts.gone == 0, "\(updated.counts)")
    }

    /// By another base all of them would be new, and those that the manifest has be gone.
    @Test func aFolderThatHasNothingOfTheManifestIsRefused() throws {
        try folder.write("1".utf8, to: "museum/a")
        let old = Updating.manifest(
            Updating.files("f", Updating.file("a", "museum/a")),
            more: #""mirrors": ["https://a.example/"], "#)
        let failure = #expect(throws: CreationProblem.self) { try updating.text(of: old, ["museum"], prunes: true) }
        guard case .nothingMatches(count: 1)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        let based = try updating.updated(old, ["museum"], base: "https://a.example/museum/")
        #expect(based.counts.completed == 1)
    }

    /// What has no mirrors and absolute URLs, without a base and by a wrong one; and the right one where nothing is: a disk that isn't mounted.
    @Test(arguments: [(nil, "a"), ("https://a.example/musuem/", "a"), ("https://a.example/museum/", "other")])
    func whereNothingOfTheManifestIsFoundNothingComesInTwiceOrGoes(base: String?, there: String) throws {
        try folder.write("1".utf8, to: "museum/\(there)")
        let old = Updating.manifest(Updating.files("f", Updating.file("a", "https://a.example/museum/a")))
        for prunes in [false, true] {
            let failure = #expect(throws: CreationProblem.self) {
                try updating.text(of: old, ["museum"], base: base, prunes: prunes)
            }
            guard case .nothingMatches(count: 1)? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test func anEmptyFolderTakesNothingOutOfTheManifest() throws {
        try folder.makeDirectory("museum")
        let old = Updating.manifest(Updating.files("f", Updating.file("a", "https://a.example/a")))
        let failure = #expect(throws: CreationProblem.self) {
            try updating.text(of: old, ["museum"], base: "https://a.example/", prunes: true)
        }
        guard case .nothingMatches(count: 1)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func whatPatternsLeaveOutStaysAsItIs() throws {
        for name in ["a", "d/b", "d/new"] { try folder.write("1".utf8, to: name) }
        let files = ["a", "d/b", "d/gone"].map { Updating.file($0, of: "old") }
        let old = Updating.manifest(Updating.files("f", files.joined(separator: ", ")))
        let updated = try updating.updated(
            old, prunes: true, selection: FileSelection(excluded: [try PathPattern("d/")]))
        #expect(updated.counts.renewed == 1 && updated.counts.gone == 0 && updated.counts.added == 0)
    }

    @Test func whatIsALinkStaysAsItIs() throws {
        try folder.write("1".utf8, to: "a")
        try folder.write("1".utf8, to: "real/b")
        try check(symlink("a", folder["link"]), "symlink")
        try check(symlink("real", folder["d"]), "symlink")
        let files = ["a", "link", "d/b", "real/b"].map { Updating.file($0, of: "old") }
        let old = Updating.manifest(Updating.files("f", files.joined(separator: ", ")))
        let updated = try updating.updated(old, prunes: true)
        #expect(updated.counts.renewed == 2 && updated.counts.gone == 0, "\(updated.counts)")
        #expect(updated.counts.linked == 2)
        for file in ["link", "d/b"] {
            #expect(
                updating.warnings.contains { $0.hasPrefix("\"f\": \(file) is behind a link, and stays") },
                "\(updating.warnings)")
        }
    }

    // MARK: What is new

    /// A file of a bundle and what it is called there; then a new one, and what that is called.
    private static let names: [(file: String, path: String, new: String, newPath: String?)] = [
        ("a/x", "a/x", "b/new", "b/new"), ("a/x", "x", "a/new", "new"), ("a/x", "x", "a/b/new", "b/new"),
        ("x", "walls/x", "new", "walls/new"), ("a/x", "data/a/x", "a/e\u{301}", "data/a/\u{e9}"),
        ("a/1", "x", "a/new", nil), ("a/x", "x", "b/new", nil),
    ]

    @Test(arguments: names)
    func aNewFileIsCalledAsThoseAroundIt(file: String, path: String, new: String, newPath: String?) throws {
        for name in [file, new] { try folder.write("1".utf8, to: name) }
        let old = Updating.manifest(Updating.files("f", Updating.file(path, file, of: "1")))
        let text = try #require(try updating.text(of: old))
        let url = new.replacing("e\u{301}", with: "e%CC%81")
        let added = newPath.map { #", {"path": "\#($0)", "urls": ["\#(url)"]"# } ?? #"}]}, {"id": ""#
        #expect(Array(text.utf8).contains(Array(added.utf8)), "\(text)")
    }

    @Test func aNewFileJoinsTheBundleThatHasItsFolder() throws {
        for name in ["docs/a", "notes/b", "docs/sub/new", "notes/new", "other/new"] { try folder.write([], to: name) }
        let (docs, notes) = (Updating.file("docs/a"), Updating.file("notes/b"))
        let new = Updating.manifest(
            Updating.files("docs", docs, Updating.file("docs/sub/new")),
            Updating.files("notes", notes, Updating.file("notes/new")),
            Updating.files(folderID, Updating.file("other/new")))
        let old = Updating.manifest(Updating.files("docs", docs), Updating.files("notes", notes))
        #expect(Updating.outline(try updating.text(of: old)) == Updating.outline(new))
    }

    @Test func aNewArchiveIsABundleWithAnIDOfItsOwnInTheFormOfTheLast() throws {
        for name in ["walls.zip", "new/Walls.zip", "new/x"] { try folder.write(Creation.zip, to: name) }
        let old = """
            {"format": "larder/1", "id": "m", "serial": 1, "bundles": [
            \t{
            \t\t"id": "walls",
            \t\t"kind": "archive",
            \t\t"urls": [ "walls.zip" ]
            \t}
            ]}
            """
        #expect(
            try updating.text(of: old)?.replacing(/"sha256": "[0-9a-f]{64}"/, with: "D")
                == """
                {"format": "larder/1", "id": "m", "serial": 2, "bundles": [
                \t{
                \t\t"id": "walls",
                \t\t"kind": "archive",
                \t\t"urls": [ "walls.zip" ],
                \t\tF
                \t},
                \t{
                \t\t"id": "walls-2",
                \t\t"kind": "archive",
                \t\t"urls": [ "new/Walls.zip" ],
                \t\tF
                \t},
                \t{
                \t\t"id": "\(folderID)",
                \t\t"kind": "files",
                \t\t"files": [
                \t\t\t{"path": "new/x", "urls": ["new/x"], F}
                \t\t]
                \t}
                ]}
                """.replacing("\t\tF", with: "\t\t\"size\": \(Creation.zip.count),\n\t\tD").replacing(
                    "F}", with: "\"size\": \(Creation.zip.count), D}"))
    }

    /// A new name beside one that the manifest has; and two that it has, which its author may have meant.
    @Test func namesThatCollideWithWhatTheManifestHasAreRefused() throws {
        for name in ["A", "a", "F/x", "f/y"] { try folder.write("1".utf8, to: name) }
        let both = ["A", "a", "F/x", "f/y"].map { Updating.file($0, of: "1") }
        func old(_ files: [String]) -> String {
            Updating.manifest(Updating.files("f", files.joined(separator: ", ")))
        }
        #expect(try updating.text(of: old(both)) == nil)
        for index in both.indices {
            var files = both
            files.remove(at: index)
            let failure = #expect(throws: CreationProblem.self) { try updating.text(of: old(files)) }
            guard case .refusedNames(_, count: 1)? = failure else {
                Issue.record("\(index): \(String(describing: failure))")
                return
            }
        }
    }

    /// Another file is called so in the bundle already.
    @Test func whatWouldNotBeValidIsNotMade() throws {
        for name in ["a", "b"] { try folder.write("1".utf8, to: name) }
        let old = Updating.manifest(
            Updating.files("f", Updating.file("a"), Updating.file("b", "https://a.example/b")))
        let failure = #expect(throws: CreationProblem.self) { try updating.text(of: old) }
        guard case .invalid(let lines)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(lines.first?.contains("P008") == true, "\(lines)")
    }

    /// Such a bundle fails by itself, and its author may know: all others are brought up to date.
    @Test func anErrorThatFailsABundleAloneStaysAndIsTold() throws {
        try folder.write("1".utf8, to: "a")
        let placeholder = String(repeating: "0", count: 64)
        let broken = #"{"id": "z", "kind": "ebook", "urls": ["https://a.example/z"], "sha256": "\#(placeholder)"}"#
        let updated = try updating.text(of: Updating.manifest(Updating.files("f", Updating.file("a", of: "2")), broken))
        #expect(
            updated == Updating.manifest(Updating.files("f", Updating.file("a", of: "1")), broken, serial: 2),
            "\(updated ?? "")")
        #expect(
            updating.warnings.count == 1 && updating.warnings[0].contains("error[D004]")
                && updating.warnings[0].hasSuffix("as it was before"), "\(updating.warnings)")
    }

    /// Two files with one digest have one size.
    @Test func anErrorThatFailsABundleAndIsNewIsRefused() throws {
        try folder.write("1".utf8, to: "a")
        let wrong =
            #"{"id": "z", "kind": "ebook", "urls": ["https://a.example/z"], "size": 7, "sha256": "\#(SHA256.digest(of: "1".utf8))"}"#
        let failure = #expect(throws: CreationProblem.self) {
            try updating.text(of: Updating.manifest(Updating.files("f", Updating.file("a")), wrong))
        }
        guard case .invalid(let lines)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(lines.first?.contains("D001") == true, "\(lines)")
    }

    // MARK: What is gone

    /// Which of four files are there, and what is left of the list with `--prune`.
    @Test(arguments: [
        ("123", " [ 1 ,\n 2 ,\n 3 ] "), ("134", " [ 1 ,\n 3 ,\n 4 ] "), ("234", " [ 2 ,\n 3 ,\n 4 ] "),
        ("4", " [ 4 ] "),
        ("1", " [ 1 ] "), ("23", " [ 2 ,\n 3 ] "), ("1345", " [ 1 ,\n 3 ,\n 4 ,\n 5 ] "), ("5", " [ 5 ] "),
        ("15", " [ 1 ,\n 5 ] "),
    ])
    func whatIsGoneIsToldAndTakenOutIfWanted(there: String, left: String) throws {
        for name in there { try folder.write("1".utf8, to: String(name)) }
        try folder.write("1".utf8, to: "other")
        func manifest(_ list: String) -> String {
            let files = list.replacing(/\d/) { Updating.file(String($0.output), of: "1") }
            let other = #"{"id": "o", "kind": "ebook", "urls": ["other"], \#(facts(of: "1"))}"#
            return Updating.manifest(other, #"{"id": "f", "kind": "files", "files":\#(files)}"#)
        }
        let old = manifest(" [ 1 ,\n 2 ,\n 3 ,\n 4 ] ")
        let pruned = try updating.text(of: old, prunes: true)
        #expect(pruned == manifest(left).replacing("\"serial\": 1", with: "\"serial\": 2"))
        let kept = try updating.updated(old)
        let isNew = there.contains("5")
        #expect(kept.counts.gone == 4 - there.filter { $0 != "5" }.count && (kept.change != nil) == isNew)
        #expect(updating.warnings.contains { $0.hasSuffix("is gone, and stays; --prune takes out what is gone") })
    }

    @Test func aBundleOfWhichNothingIsThereIsTakenOut() throws {
        for name in ["s/1", "keep"] { try folder.write("1".utf8, to: name) }
        let keep = #"{"id": "k", "kind": "ebook", "urls": ["keep"], \#(facts(of: "1"))}"#
        let segments = [Updating.file("1", "s/1", of: "1"), Updating.file("2", "s/2")].joined(separator: ", ")
        let rest = #"{"id": "s", "kind": "segments", "segments": [\#(segments)]}"#
        let old = Updating.manifest(
            #"{"id": "z", "kind": "archive", "urls": ["z.zip"]}"#, keep,
            Updating.files("f", Updating.file("a"), Updating.file("b")), rest)
        let updated = try updating.updated(old, prunes: true)
        #expect(
            updated.change.map { String(decoding: $0.bytes, as: UTF8.self) } == Updating.manifest(keep, rest, serial: 2)
        )
        // The other segments would play on without it.
        #expect(updated.counts.gone == 4 && updated.counts.pruned == 3)
        #expect(updating.warnings.contains { $0.hasPrefix(#""s": s/2 is gone, and stays"#) }, "\(updating.warnings)")
    }

    /// Who prunes wants it gone, and a manifest in which somebody waits for it isn't valid.
    @Test func whatIsTakenOutIsTakenFromThoseThatComeAfterIt() throws {
        try folder.write("1".utf8, to: "keep")
        func keep(_ after: String) -> String {
            #"{"id": "k", "kind": "ebook", "urls": ["keep"], \#(facts(of: "1")), "after": [\#(after)]}"#
        }
        let gone = ["z", "y"].map { #"{"id": "\#($0)", "kind": "archive", "urls": ["\#($0).zip"]}"# }
        let other = #"{"id": "o", "kind": "ebook", "urls": ["https://a.example/o"]}"#
        for (after, left) in [(#""z""#, ""), (#""z", "o""#, #""o""#), (#""o", "y", "z""#, #""o""#)] {
            let old = Updating.manifest(gone[0], gone[1], other, keep(after))
            #expect(try updating.text(of: old, prunes: true) == Updating.manifest(other, keep(left), serial: 2))
        }
        #expect(
            updating.warnings.contains(#""k" comes after "z" no more, which is taken out"#), "\(updating.warnings)")
    }

    /// Unless it is called as something that the manifest has: by a wrong base that would come in twice.
    @Test(arguments: [(url: "https://a.example/old.zip", isNew: true), ("https://a.example/new%2Ezip", false)])
    func aFileThatIsNamedComesIntoTheManifestThoughNothingElseOfThatIsHere(url: String, isNew: Bool) throws {
        try folder.write("1".utf8, to: "new.zip")
        let old = Updating.manifest(#"{"id": "old", "kind": "archive", "urls": ["\#(url)"]}"#)
        guard isNew else {
            #expect(throws: CreationProblem.self) { try updating.text(of: old, ["new.zip"]) }
            return
        }
        let updated = try updating.updated(old, ["new.zip"])
        #expect(updated.counts.added == 1 && updated.change?.serial == 2, "\(updated.counts)")
    }
}
