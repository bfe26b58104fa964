import Diagnostics
import JSONSyntax
import Testing

@Suite struct JSONDocumentTests {
    @Test func valuesKeepTheirPlaces() throws {
        let text = "{\"a\": [10, \"b\\n\", null], \"c\" : {\"d\":true}}"
        let document = try parse(text)
        let members = Array(document.root.members)
        #expect(members.map { slice(text, $0.key.range) } == ["\"a\"", "\"c\""])
        #expect(members.map { slice(text, $0.value.range) } == ["[10, \"b\\n\", null]", "{\"d\":true}"])
        #expect(members[0].value.elements.map { slice(text, $0.range) } == ["10", "\"b\\n\"", "null"])
        #expect(members[0].value.elements.map(\.kind) == [.number, .string, .null])
    }

    @Test func valuesAreDecodedByKind() throws {
        let root = try parse("{\"s\": \"x\", \"t\": true, \"f\": false, \"n\": null, \"d\": -1.5e2, \"e\": {}}").root
        #expect(root["s"]?.string == "x")
        #expect(root["t"]?.bool == true)
        #expect(root["f"]?.bool == false)
        #expect(root["n"]?.isNull == true)
        #expect(root["d"]?.double == -150)
        #expect(root["d"]?.numberText == "-1.5e2")
        #expect(root["e"]?.kind == .object)
        #expect(root["missing"] == nil)
        // The wrong kind is nil, never a guess.
        #expect(root["s"]?.integer == nil && root["s"]?.bool == nil && root["t"]?.string == nil)
        #expect(root["s"].map { Array($0.elements).count + Array($0.members).count } == 0)
    }

    @Test(arguments: [
        ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
        ("\"\\u00e9\\u20AC\"", "é€"),
        ("\"\\uD834\\uDD1E\"", "𝄞"),
        ("\"a\\u0000b\"", "a\0b"),
        ("\"\\\\u0041\"", "\\u0041"),
        ("\"it's é€𝄞\"", "it's é€𝄞"),
        ("\"\"", ""),
    ])
    func stringsAreUnescaped(_ json: String, _ text: String) throws {
        #expect(try parse(json).root.string == text)
        #expect(try parse(json).root.isString(Array(text.utf8)))
        #expect(try !parse(json).root.isString(Array((text + "x").utf8)))
    }

    @Test(arguments: [
        ("0", 0), ("12", 12), ("9007199254740991", 9_007_199_254_740_991), ("9007199254740992", nil), ("-0", nil),
        ("-1", nil), ("1.0", nil), ("1e3", nil), ("99999999999999999999999999", nil),
    ])
    func integersAreExactOrNothing(_ json: String, _ expected: Int?) throws {
        #expect(try parse(json).root.integer == expected)
    }

    @Test func numbersBeyondDoubleAreKeptButHaveNoDouble() throws {
        let number = try parse("1e999").root
        #expect(number.numberText == "1e999")
        #expect(number.double == nil)
    }

    @Test func pathsNameKeysAndIndices() throws {
        let root = try parse("{\"a\": [0, {\"b c\": 1, \"d\": [[2]]}], \"e\": 3}").root
        var paths = JSONPathFinder(root.document)
        let inner = try #require(root["a"]?.elements.dropFirst().first { _ in true })
        let two = try #require(inner["d"]?.elements.first { _ in true }?.elements.first { _ in true })
        #expect(paths.path(to: two) == "$.a[1].d[0][0]")
        #expect(paths.path(to: try #require(root["e"])) == "$.e")
        // Backwards, and the same again.
        #expect(paths.path(to: try #require(inner["b c"])) == "$.a[1][\"b c\"]")
        #expect(paths.path(to: try #require(inner["b c"])) == "$.a[1][\"b c\"]")
        #expect(paths.path(to: inner) == "$.a[1]")
        #expect(paths.path(to: try #require(root["a"])) == "$.a")
        #expect(paths.path(to: root) == "$")
        #expect(paths.path(to: try #require(root.members.first { _ in true }).key) == "$.a")
    }

    @Test func duplicateKeysNameBothPlaces() throws {
        let text = "{\"a\": {\"x\": 1, \"y\": 2, \"\\u0078\": 3}, \"b\": 0, \"a\": 1}"
        let found = try parse(text).duplicateKeys()
        #expect(found.map { slice(text, $0.range) } == ["\"\\u0078\"", "\"a\""])
        #expect(found.map { $0.notes.map(\.range.start) } == [[7], [1]])
        #expect(found.map(\.path) == ["$.a.x", "$.a"])
    }

    @Test func duplicateKeysOfLargeObjectsAreFound() throws {
        let members = (0..<5000).map { "\"k\($0)\": 0" } + ["\"k4999\": 1", "\"k\\u0030\": 2"]
        let found = try parse("{" + members.joined(separator: ",") + "}").duplicateKeys()
        #expect(found.map(\.message) == ["the key \"k4999\" appears again", "the key \"k0\" appears again"])
    }

    private func parse(_ text: String) throws -> JSONDocument {
        try JSONDocument(SourceText(name: "x", text: text))
    }

    private func slice(_ text: String, _ range: SourceRange) -> String {
        String(decoding: Array(text.utf8)[range.start..<range.end], as: UTF8.self)
    }
}
