import BundleManifest
import Diagnostics
import JSONSyntax
import Testing

/// What is told of a manifest beside the errors of its JSON, and what fixes make of both.
@Suite struct RecoveryTests {
    /// The serial is out of its range, and stands beside what is put in.
    private static func broken(_ members: String) -> String {
        "{\"format\": \"larder/1\", \"id\": \"m\", \"serial\": 0\(members), \"bundles\": [\(ebook())]}"
    }

    @Test(arguments: [
        (broken(",\n  /* one */ \"x-a\": 1"), ["J013", "S008"]),
        (broken(" \"x-a\": 1"), ["J006", "S008"]),
        (broken(", \"x-a\": [1,]"), ["J007", "S008"]),
        (broken(", \"x-a\": 'b'"), ["J015", "S008"]),
        (broken(", x-a: 1"), ["J016", "S008"]),
        (broken(", \"x-a\" 1"), ["J008", "S008"]),
        (broken(", \"x-a\": 1,234,567"), ["J021", "S008"]),
        (broken(", \"x-a\": +5"), ["J021", "S008"]),
        (broken(", \"x-a\": 6,006"), ["J021", "S008"]),
        (broken(", \"x-a\": “b”"), ["J015", "S008"]),
        (broken(", \"x-a\": TRUE"), ["J014", "S008"]),
        (broken(", \"x-a\": \"\\d\""), ["J019", "S008"]),
        ("\u{FEFF}" + broken(""), ["J002", "S008"]),
    ])
    func whereTheStructureIsClearAllIsTold(_ text: String, _ ids: [String]) {
        #expect(Set(decode(text).diagnostics.map(\.id)) == Set(ids))
        let finding = decode(text).diagnostics.first { $0.id == "S008" }
        #expect(finding?.path == "$.serial")
        #expect(finding.map { String(decoding: Array(text.utf8)[$0.range.start..<$0.range.end], as: UTF8.self) } == "0")
    }

    @Test(arguments: [
        broken(", \"x-a\": [1"), broken(", \"x-a\": ]"), broken(", \"x-\\d\": 1"), broken(", \"x-a\" \"b\": 1"),
        broken("") + "}",
        broken(", \"x-a: 1"),
    ])
    func whereItIsGuessedOnlyTheSyntaxIsTold(_ text: String) {
        let ids = decode(text).diagnostics.map(\.id)
        #expect(!ids.isEmpty && ids.allSatisfy { $0.hasPrefix("J") }, "\(ids)")
    }

    @Test func nothingIsToldOfAValueThatIsBrokenItself() {
        let text = manifest().replacing("\"serial\": 1", with: "\"serial\": 00").replacing(
            "\"id\": \"m\"", with: "\"id\": \"\\M\"")
        #expect(decode(text).diagnostics.map(\.id) == ["J019", "J021"])
    }

    @Test(arguments: [
        (#"{"a": 1 "b": 2}"#, #"{"a": 1, "b": 2}"#),
        ("{\"a\": {} // x\n \"b\": 2}", "{\"a\": {}, // x\n \"b\": 2}"),
        ("[{}\n{}]", "[{},\n{}]"), (#"["a" "b"]"#, #"["a", "b"]"#), (#"["a\"" "b"]"#, #"["a\"", "b"]"#),
        // A quote within a string, a bracket that is missing as well, or a colon that stands wrong.
        (#"{"a": "x}"b": 1"#, nil), (#"["a"b"]"#, nil), (#"["a""b"]"#, nil), (#"{"a": ["b" "c": 1}"#, nil),
        (#"{"a": "b" "c", "d": 1}"#, nil),
        ("[1 2]", nil),
    ])
    func aCommaIsWrittenWhereNothingElseIsMeant(_ text: String, _ fixed: String?) {
        let bytes = Array(text.utf8)
        var found: [Diagnostic] = []
        do { _ = try JSONDocument(bytes, name: "j") } catch { found = error.diagnostics }
        let fixes = found.filter { $0.id == JSONRule.missingComma.id }.map(\.fix)
        #expect(String(decoding: bytes.applying(fixes), as: UTF8.self) == fixed ?? text)
    }

    @Test(arguments: [
        (manifest().replacing("\"serial\": 1", with: "\"serial\": 1.2e1"), "\"serial\": 12,"),
        (manifest().replacing("\"serial\": 1", with: "\"serial\": \"12\""), "\"serial\": 12,"),
        (manifest(bundles: "[\(ebook(", \"priority\": -0"))]"), "\"priority\": 0}"),
        (manifest(bundles: "[\(ebook(", \"tags\": \"a\""))]"), "\"tags\": [\"a\"]}"),
        (manifest(bundles: "[\(ebook(", \"tags\": { }"))]"), "\"tags\": [ ]}"),
        (manifest(bundles: ebook()), "\"bundles\": [{\"id\""),
        (manifest(bundles: "[\(ebook(", \"required\": \"false\""))]"), "\"required\": false}"),
        (manifest(bundles: files("\"cafe\u{301}.txt\"")), "\"path\": \"caf\u{E9}.txt\""),
    ])
    func fixesKeepWhatWasMeant(_ text: String, _ part: String) {
        let (_, diagnostics) = decode(text)
        let fixed = String(decoding: Array(text.utf8).applying(diagnostics.map(\.fix)), as: UTF8.self)
        #expect(fixed.unicodeScalars.contains(part.unicodeScalars), "\(fixed)")
        #expect(decode(fixed).diagnostics.isEmpty)
    }

    /// Brackets make a list of one element of what can be one, and of nothing else.
    @Test(arguments: [
        manifest(bundles: "[\(ebook(", \"tags\": {\"a\": 1}"))]"), manifest(bundles: "\"b\""),
        manifest(bundles: "[\(ebook(", \"tags\": 1"))]"), manifest(bundles: "{\"a\": {}}"),
    ])
    func nothingElseBecomesAList(_ text: String) {
        let found = decode(text).diagnostics.filter { $0.id == "S001" }
        #expect(
            found.count == 1 && found.allSatisfy { $0.fix.isEmpty && $0.hint?.hasPrefix("write a list, [ ]") == true })
    }
}
