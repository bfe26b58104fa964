import BundleManifest
import Diagnostics
import Testing

/// Each rule finds what it is about, at the path where it is.
@Suite struct ManifestRuleTests {
    struct Case: CustomTestStringConvertible {
        let text: String
        let findings: [String]
        init(_ text: String, _ findings: String...) { (self.text, self.findings) = (text, findings) }
        var testDescription: String { "\(findings) \(text)" }
    }

    static let structure = [
        Case("[]", "S001 $"),
        Case("{}", "S002 $", "S002 $", "S002 $", "S002 $"),
        Case(manifest(more: ", \"bundels\": 1"), "S003 $.bundels"),
        Case(manifest(more: ", \"x-bundels\": 1")),
        Case(manifest(more: ", \"id\": \"n\""), "J024 $.id"),
        Case(manifest().replacing("larder/1", with: "larder/2"), "S005 $.format"),
        Case(manifest().replacing("\"larder/1\"", with: "1"), "S001 $.format"),
        Case(manifest().replacing("\"serial\": 1", with: "\"serial\": 0"), "S008 $.serial"),
        Case(manifest().replacing("\"serial\": 1", with: "\"serial\": 1.0"), "J026 $.serial"),
        Case(manifest().replacing("\"serial\": 1", with: "\"serial\": 9007199254740992"), "J028 $.serial"),
        Case(manifest().replacing("\"serial\": 1", with: "\"serial\": \"1\""), "S001 $.serial"),
        Case(manifest().replacing("\"id\": \"m\"", with: "\"id\": \"M\""), "S006 $.id"),
        Case(manifest(more: ", \"created\": \"yesterday\""), "S009 $.created"),
        Case(manifest(more: ", \"created\": null"), "S001 $.created"),
        Case(manifest(more: ", \"expires\": null")),
        Case(manifest(more: ", \"expires\": 5"), "S001 $.expires"),
        Case(
            manifest(more: ", \"created\": \"2026-01-02T00:00:00Z\", \"expires\": \"2026-01-01T00:00:00Z\""),
            "S020 $.expires"),
        Case(manifest(more: ", \"requires\": [\"teleport\"]"), "S011 $.requires[0]"),
        Case(manifest(bundles: "[]"), "S014 $.bundles"),
        Case(manifest(bundles: "{}"), "S001 $.bundles"),
        Case(manifest(bundles: "[1]"), "S001 $.bundles[0]"),
    ]

    static let bundles = [
        Case(bundle(", \"titel\": \"x\""), "S003 $.bundles[0].titel"),
        Case(bundle(", \"x-titel\": \"x\"")),
        Case(bundle(", \"title\": \"\""), "S016 $.bundles[0].title"),
        Case(bundle(", \"segments\": []"), "S004 $.bundles[0].segments"),
        Case(bundle(", \"select\": {}"), "S004 $.bundles[0].select"),
        Case(manifest(bundles: "[\(ebook().replacing("ebook", with: "book"))]"), "S010 $.bundles[0].kind"),
        Case(manifest(bundles: "[\(ebook().replacing("[\"b.epub\"]", with: "[]"))]"), "S014 $.bundles[0].urls"),
        Case(manifest(bundles: "[{\"id\": \"b\", \"kind\": \"files\", \"files\": []}]"), "S014 $.bundles[0].files"),
        Case(
            manifest(bundles: "[{\"id\": \"b\", \"kind\": \"segments\", \"segments\": []}]"),
            "S014 $.bundles[0].segments"),
        Case(manifest(bundles: "[{\"kind\": \"files\"}]"), "S002 $.bundles[0]", "S002 $.bundles[0]"),
        Case(manifest(bundles: "[{\"id\": \"b\"}]"), "S002 $.bundles[0]"),
        Case(manifest(bundles: "[\(ebook()), \(ebook())]"), "S007 $.bundles[1].id"),
        Case(bundle(", \"size\": -1"), "S008 $.bundles[0].size"),
        Case(bundle(", \"size\": 0")),
        Case(bundle(", \"size\": 9007199254740992"), "J028 $.bundles[0].size"),
        Case(bundle(", \"priority\": 1.5"), "S008 $.bundles[0].priority"),
        Case(bundle(", \"required\": \"yes\""), "S001 $.bundles[0].required"),
        Case(bundle(", \"tags\": [\"\"]"), "S016 $.bundles[0].tags[0]"),
        Case(bundle().replacing(digestText, with: digestText.uppercased()), "S015 $.bundles[0].sha256"),
        Case(bundle().replacing(digestText, with: String(digestText.dropLast())), "S015 $.bundles[0].sha256"),
        Case(bundle().replacing(", \"sha256\": \"\(digestText)\"", with: ""), "S021 $.bundles[0]"),
        Case(bundle(", \"unpack\": {\"format\": \"rar\"}"), "S010 $.bundles[0].unpack.format"),
        Case(bundle(", \"unpack\": {\"limits\": {\"ratio\": 0.5}}"), "S008 $.bundles[0].unpack.limits.ratio"),
        Case(bundle(", \"unpack\": {\"limits\": {\"entries\": 0}}"), "S008 $.bundles[0].unpack.limits.entries"),
        Case(bundle(", \"unpack\": {\"include\": \"*\"}"), "S001 $.bundles[0].unpack.include"),
        Case(bundle(", \"unpack\": {\"include\": [\"**/*.png\", \"[a-z]/\"]}")),
        Case(bundle(", \"unpack\": {\"include\": [\"a\", \"[a\"]}"), "P011 $.bundles[0].unpack.include[1]"),
        Case(bundle(", \"unpack\": {\"exclude\": [\"!a\"]}"), "P011 $.bundles[0].unpack.exclude[0]"),
        Case(bundle(", \"filename\": \"a/b\""), "P007 $.bundles[0].filename"),
        Case(bundle(", \"filename\": \"..\""), "P003 $.bundles[0].filename"),
        Case(bundle(", \"after\": [\"c\"]"), "S012 $.bundles[0].after[0]"),
        Case(bundle(", \"after\": [\"b\"]"), "S013 $.bundles[0].after[0]"),
        Case(bundle(", \"after\": [\"\"]"), "S006 $.bundles[0].after[0]"),
        Case(hls("{\"all\": true}")),
        Case(hls("{\"all\": true, \"audio\": [\"en\"]}"), "S018 $.bundles[0].select"),
        Case(hls("{\"minBandwidth\": 2, \"maxBandwidth\": 1}"), "S018 $.bundles[0].select"),
        Case(hls("{\"resolution\": \"720p\"}"), "S017 $.bundles[0].select.resolution"),
        Case(hls("{\"frameRate\": 0}"), "S008 $.bundles[0].select.frameRate"),
        Case(segments(", \"joinSHA256\": \"\(digestText)\""), "S019 $.bundles[0].joinSHA256"),
        Case(segments(", \"join\": \"a.ts\""), "P008 $.bundles[0].join"),
        Case(segments(", \"join\": \"index.m3u8\""), "P010 $.bundles[0].join"),
        Case(segments().replacing("\"a.ts\"", with: "\"index.json\""), "P010 $.bundles[0].segments[0].path"),
        Case(segments().replacing("\"a.ts\"", with: "\"index.m3u8/a.ts\""), "P010 $.bundles[0].segments[0].path"),
        Case(
            segments().replacing("\"duration\": 6", with: "\"duration\": 1e10"),
            "S008 $.bundles[0].segments[0].duration"),
        Case(
            segments().replacing("\"duration\": 6", with: "\"duration\": 1e999"),
            "S008 $.bundles[0].segments[0].duration"),
        // What is wrong with one segment isn't told again as what the list lacks.
        Case(
            manifest(bundles: twoSegments.replacing("\"duration\": 6}]", with: "\"duration\": \"6 s\"}]")),
            "S001 $.bundles[0].segments[1].duration"),
        Case(
            manifest(bundles: twoSegments.replacing("\"path\": \"1.ts\"", with: "\"path\": \"../1.ts\"")),
            "P003 $.bundles[0].segments[0].path"),
    ]

    private static let twoSegments: String = {
        let segments = (1...2).map {
            "{\"path\": \"\($0).ts\", \"urls\": [\"u/\($0)\"], \"sha256\": \"\(digestText)\", \"duration\": 6}"
        }
        return "[{\"id\": \"b\", \"kind\": \"segments\", \"segments\": [\(segments.joined(separator: ", "))]}]"
    }()

    static let paths = [
        Case(manifest(bundles: files("\"a\"", "\"b/c\"", "\"b/d\"", "\"e/f/g\""))),
        Case(manifest(bundles: files("\"\"")), "P001 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"/etc/passwd\"")), "P002 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"a/../b\"")), "P003 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"..\"")), "P003 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"./a\"")), "P003 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"a//b\"")), "P003 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"a/\"")), "P003 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"...\"", "\"..a\"", "\".a\""))),
        Case(manifest(bundles: files("\"a\\\\b\"")), "P004 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"a\\u0000b\"")), "P004 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"a\\nb\"")), "P004 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files(quoted("a", 255)))),
        Case(manifest(bundles: files(quoted("a", 256))), "P005 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files(quoted("é", 128))), "P005 $.bundles[0].files[0].path"),
        Case(
            manifest(bundles: files("\"" + String(repeating: "a/", count: 2048) + "b\"")),
            "P006 $.bundles[0].files[0].path"),
        Case(manifest(bundles: files("\"a/b\"", "\"a/b\"")), "P008 $.bundles[0].files[1].path"),
        // The same letter, composed and decomposed.
        Case(
            manifest(bundles: files("\"\u{E9}\"", "\"e\u{301}\"")), "P008 $.bundles[0].files[1].path",
            "P013 $.bundles[0].files[1].path"),
        Case(manifest(bundles: files("\"a\"", "\"A\"")), "P012 $.bundles[0].files[1].path"),
        Case(manifest(bundles: files("\"a\"", "\"A/b\"", "\"A/c\"")), "P012 $.bundles[0].files[1].path"),
        Case(manifest(bundles: files("\"x/A/b/c\"", "\"X/a/B\"")), "P012 $.bundles[0].files[1].path"),
        Case(manifest(bundles: files("\"A/b\"", "\"a/c\""))),
        Case(manifest(bundles: files("\"a\"", "\"a/b\"")), "P009 $.bundles[0].files[1].path"),
        Case(manifest(bundles: files("\"a/b/c\"", "\"x\"", "\"a/b\"")), "P009 $.bundles[0].files[2].path"),
        // Two bundles may have the same paths.
        Case(
            manifest(
                bundles:
                    "[\(files("\"a\"").dropFirst().dropLast()), \(files("\"a\"").dropFirst().dropLast().replacing("\"b\"", with: "\"c\""))]"
            )),
    ]

    @Test(arguments: structure + bundles + paths)
    func findsWhatItIsAboutAtItsPath(_ testCase: Case) {
        #expect(findings(testCase.text) == testCase.findings)
        let decoded = decode(testCase.text)
        #expect((decoded.manifest == nil) == decoded.diagnostics.hasErrors)
    }

    @Test func rulesHaveIdsOfTheirOwn() {
        let ids = ManifestRule.allCases.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(ManifestRule.allCases.allSatisfy { !$0.title.isEmpty })
    }

    @Test func allFindingsComeFromOneRunInTheOrderOfTheText() {
        let text = """
            {"format": "larder/1", "id": "M", "serial": 0, "bundles": [
              {"id": "a", "kind": "ebook", "urls": ["http://u:p@h/x", "a b"], "sha256": "1", "after": ["z"]},
              {"id": "a", "kind": "files", "files": [{"path": "../x", "urls": []}], "kind": "files"}
            ]}
            """
        #expect(
            findings(text) == [
                "S006 $.id", "S008 $.serial", "U007 $.bundles[0].urls[0]", "U002 $.bundles[0].urls[1]",
                "S015 $.bundles[0].sha256", "S012 $.bundles[0].after[0]", "S007 $.bundles[1].id",
                "S021 $.bundles[1].files[0]", "P003 $.bundles[1].files[0].path", "S014 $.bundles[1].files[0].urls",
                "J024 $.bundles[1].kind",
            ])
    }

    @Test func unknownKeysNameTheNearestKnownOne() {
        let diagnostics = decode(bundle(", \"prioriti\": 1, \"comment\": 2")).diagnostics
        #expect(diagnostics.map(\.hint) == ["did you mean \"priority\"?", "a key of your own starts with x-"])
    }

    @Test func cyclesAreToldOnceWithTheirWay() {
        let bundles = [
            ebook(", \"after\": [\"b\"]", id: "a"), ebook(", \"after\": [\"c\"]", id: "b"),
            ebook(", \"after\": [\"a\", \"d\"]", id: "c"), ebook(id: "d"),
        ]
        let diagnostics = decode(manifest(bundles: "[\(bundles.joined(separator: ","))]")).diagnostics
        #expect(diagnostics.map(\.path) == ["$.bundles[2].after[0]"])
        #expect(diagnostics.map(\.message) == ["these bundles wait for each other: a → b → c → a"])
    }

    @Test func whatOnlyLeadsIntoACycleIsNoPartOfIt() {
        let bundles = [
            ebook(", \"after\": [\"b\"]", id: "a"), ebook(", \"after\": [\"c\"]", id: "b"),
            ebook(", \"after\": [\"b\"]", id: "c"),
        ]
        let diagnostics = decode(manifest(bundles: "[\(bundles.joined(separator: ","))]")).diagnostics
        #expect(diagnostics.map(\.message) == ["these bundles wait for each other: b → c → b"])
    }

    @Test func longChainsNeedNoStack() {
        let bundles = (0..<20_000).map { ebook($0 == 0 ? "" : ", \"after\": [\"b\($0 - 1)\"]", id: "b\($0)") }
        let reversed = manifest(bundles: "[\(bundles.reversed().joined(separator: ","))]")
        #expect(decode(reversed).manifest?.bundles.count == 20_000)
    }

    @Test func collisionsNameTheOtherPlace() throws {
        let text = manifest(bundles: files("\"a/b\"", "\"a/b\""))
        let note = try #require(decode(text).diagnostics.first?.notes.first)
        #expect(String(decoding: Array(text.utf8)[note.range.start..<note.range.end], as: UTF8.self) == "\"a/b\"")
        #expect(note.range.end < (decode(text).diagnostics.first?.range.start ?? 0))
    }

    @Test func missingDigestsOfManyFilesAreOneWarning() {
        let text = manifest(
            bundles: files("\"a\"", "\"b\"", "\"c\"").replacing(", \"sha256\": \"\(digestText)\"", with: ""))
        let decoded = decode(text)
        #expect(decoded.manifest != nil)
        #expect(decoded.diagnostics.map(\.message) == ["3 of 3 downloads have no digest; this is the first"])
    }

    @Test func tooManyWarningsAreNoError() {
        let bundles = (0..<1500).map { "{\"id\": \"b\($0)\", \"kind\": \"ebook\", \"urls\": [\"a\"]}" }
        let decoded = decode(manifest(bundles: "[\(bundles.joined(separator: ","))]"))
        #expect(decoded.manifest != nil)
        #expect(decoded.diagnostics.count == 100)
        #expect(decoded.diagnostics.last?.message.hasSuffix(" (and 1400 more like this)") == true)
    }

    /// Of one rule, so that what is told of another isn't lost among them.
    @Test func tooManyFindingsAreCut() {
        let paths = (0..<5000).map { _ in "{}" }.joined(separator: ",")
        let decoded = decode(manifest(bundles: "[{\"id\": \"b\", \"kind\": \"files\", \"files\": [\(paths)]}, 1]"))
        #expect(decoded.manifest == nil)
        #expect(decoded.diagnostics.count { $0.id == "S002" } == 100)
        #expect(decoded.diagnostics.last { $0.id == "S002" }?.message.hasSuffix(" (and 9900 more like this)") == true)
        #expect(decoded.diagnostics.last?.id == "S001")
    }

    /// A list of more than a mebibyte is read by two threads; what is found is the same, and in the same order.
    @Test func aLongListIsReadAsAShortOne() {
        let padding = String(repeating: "x", count: 400)
        func entries(_ count: Int, wrong: Set<Int>) -> String {
            let list = (0..<count).map { number in
                ebook(", \"x-p\": \"\(padding)\"\(wrong.contains(number) ? ", \"size\": -1" : "")", id: "b\(number)")
            }
            return manifest(bundles: "[\(list.joined(separator: ", "))]")
        }
        let good = decode(entries(5000, wrong: []))
        #expect(good.manifest?.bundles.map(\.id.text) == (0..<5000).map { "b\($0)" })
        #expect(findings(entries(5000, wrong: [7, 4990])) == ["S008 $.bundles[7].size", "S008 $.bundles[4990].size"])
        let many = findings(entries(5000, wrong: Set(1900..<4000)))
        #expect(many == (1900..<2000).map { "S008 $.bundles[\($0)].size" })
        let last = decode(entries(5000, wrong: Set(2450..<2551))).diagnostics.last
        #expect(last?.path == "$.bundles[2549].size" && last?.message.hasSuffix(" (and 1 more like this)") == true)
    }

    /// What is refused leaves no gap between what the two threads have read.
    @Test func ofALongListWhatIsRefusedIsPassedOver() {
        let padding = String(repeating: "x", count: 400)
        var list = (0..<5000).map { ebook(", \"x-p\": \"\(padding)\"", id: "b\($0)") }
        for refused in [0, 7, 2499, 2500, 4999] { list[refused] = "7" }
        list[4990] = list[2400]
        let found = findings(manifest(bundles: "[\(list.joined(separator: ", "))]"))
        #expect(
            found == [
                "S001 $.bundles[0]", "S001 $.bundles[7]", "S001 $.bundles[2499]", "S001 $.bundles[2500]",
                "S007 $.bundles[4990].id", "S001 $.bundles[4999]",
            ])
    }

    @Test func onlyTheFirstUnknownIDsAreComparedWithTheKnownOnes() {
        let bundles = (0..<20).map { ebook(", \"after\": [\"flim\($0)\"]", id: "film\($0)") }
        let diagnostics = decode(manifest(bundles: "[\(bundles.joined(separator: ","))]")).diagnostics
        #expect(diagnostics.map { $0.hint != nil } == (0..<20).map { $0 < 10 })
    }

    @Test(arguments: [
        ("", ", \"size\": 7", []), (", \"size\": 7", ", \"size\": 8", ["V003"]), (", \"size\": 7", "", []),
        (", \"title\": \"a\"", ", \"sha256\": \"\(digestText)\"", []),
    ])
    func aVersionMayBeDescribedBetterLater(_ before: String, _ after: String, _ expected: [String]) {
        func text(_ serial: Int, _ more: String) -> SourceText {
            let bundle = "{\"id\": \"b\", \"kind\": \"ebook\", \"version\": \"1\", \"urls\": [\"b.epub\"]\(more)}"
            return SourceText(
                name: "m.json",
                text: manifest(bundles: "[\(bundle)]").replacing("\"serial\": 1", with: "\"serial\": \(serial)"))
        }
        let (old, new) = (text(1, before), text(2, after))
        let (older, newer) = (DecodedManifest(old), DecodedManifest(new))
        #expect(older.isValid && newer.isValid)
        let found = ManifestComparison.diagnostics(of: newer, since: older)
        #expect(found.map(\.id) == expected)
    }

    @Test func brokenJSONIsToldAsSuch() {
        #expect(findings("{\"format\": \"larder/1\",}") == ["S002 $", "S002 $", "S002 $", "J007 -"])
    }
}

private func bundle(_ more: String = "") -> String { manifest(bundles: "[\(ebook(more))]") }

private func hls(_ selection: String) -> String {
    manifest(bundles: "[\(ebook(", \"select\": \(selection)").replacing("ebook", with: "hls"))]")
}

private func segments(_ more: String = "") -> String {
    let segment = "{\"path\": \"a.ts\", \"urls\": [\"a\"], \"sha256\": \"\(digestText)\", \"duration\": 6}"
    return manifest(bundles: "[{\"id\": \"b\", \"kind\": \"segments\", \"segments\": [\(segment)]\(more)}]")
}

private func quoted(_ text: String, _ count: Int) -> String {
    "\"" + String(repeating: text, count: count) + "\""
}
