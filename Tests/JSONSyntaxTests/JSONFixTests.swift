import Diagnostics
import JSONSyntax
import Testing

/// What is made of broken text by the fixes that its findings offer: what was meant, or nothing.
@Suite struct JSONFixTests {
    @Test(arguments: [
        (#"{"a" 1}"#, #"{"a": 1}"#), (#"{"a" null}"#, #"{"a": null}"#), (#"{"a"{}}"#, #"{"a":{}}"#),
        (#"{"a" "b"}"#, #"{"a": "b"}"#), (#"{"a" = 1}"#, #"{"a" : 1}"#), (#"{"a" => 1}"#, #"{"a" : 1}"#),
        (#"{a: True, b:FALSE}"#, #"{"a": true, "b":false}"#), ("{/* x */ a: 1}", "{/* x */ \"a\": 1}"),
        (#"{'a': 'b', 'c':'d'}"#, #"{"a": "b", "c":"d"}"#),
        ("['it's fine',\n'l’été'\n]", "[\"it's fine\",\n\"l’été\"\n]"),
        ("{“a”: “b”, ‘c’: ‘d’}", #"{"a": "b", "c": "d"}"#), ("{„a“: «1»}", "{\"a\": «1»}"),
        ("[“The Director’s Cut”]", "[\"The Director’s Cut\"]"), ("[‘it’s’]", "[\"it’s\"]"), ("[“a\"]", "[\"a\"]"),
        (#"{"a": 73,194,614, "b": 1,234,567}"#, #"{"a": 73194614, "b": 1234567}"#),
    ])
    func whatWasMeantIsWritten(_ text: String, _ expected: String) { #expect(fixed(text) == expected) }

    /// A quote that is missing or one too many makes text of what should be none, and the other way round.
    @Test(arguments: [
        #"{"a: ["https://a.example/"]}"#, #"{"a: {"b": 1}}"#, #"{"a: "b", "c": "d"}"#, #"{""a": "b", "c": "d"}"#,
        #"{"a"b": "c"}"#, #"{"a"b"c": 1}"#, #"{"a" b: 1}"#, #"{"a" Big One}"#, #"{"a" 1: 2}"#, #"{"a"1: 2}"#,
        #"{"a"=: 1}"#,
        #"{"a": 1"b": 2}"#, #"{"a": tru"b"e}"#, "{my key: 1}", "{größe: 1}", "{éa: 1}", "{a/b: 1}", "[éTrue]",
    ])
    func nothingIsWrittenWhereAQuoteMayBeMissing(_ text: String) { #expect(fixed(text) == text) }

    @Test(arguments: [
        #"['it''s']"#, "['students' books']", #"['a "b" c']"#, "[“a ”b” c]", "[“a \"b\" c”]", #"{"a":” "b"}"#,
        "[‘students’ books’]",
        #"["a” , "b"]"#,
    ])
    func quotesStayThatMayNotBeTheOnesMeant(_ text: String) { #expect(fixed(text) == text) }

    /// A comma may stand for a decimal point.
    @Test(arguments: [
        #"{"a": 6,006}"#, #"{"a": 1.5,234,567}"#, #"{"a": 0,123,456}"#, #"{"a": 1234,567,890}"#, #"{"a": -1,234,567}"#,
    ])
    func commasStayThatMayNotGroupDigits(_ text: String) {
        #expect(fixed(text) == text)
        #expect(findings(text).map(\.id) == ["J021"])
    }

    @Test func aNumberBeforeAColonIsAKey() {
        #expect(fixed(#"{"a":1,200: "x"}"#) == #"{"a":1,"200": "x"}"#)
    }

    private func findings(_ text: String) -> [Diagnostic] {
        do throws(JSONSyntaxError) {
            _ = try JSONDocument(SourceText(name: "x", text: text))
            return []
        } catch { return error.diagnostics }
    }

    private func fixed(_ text: String) -> String {
        String(decoding: Array(text.utf8).applying(findings(text).map(\.fix)), as: UTF8.self)
    }
}
