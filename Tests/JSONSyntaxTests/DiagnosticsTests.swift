import Diagnostics
import Platform
import Testing

@Suite struct DiagnosticsTests {
    private enum Rule: String, DiagnosticRule {
        case sample = "T001"
        var severity: Severity { .error }
        var title: String { "a sample" }
    }

    @Test func positionsCountLinesAndScalars() {
        let lines = LineIndex(SourceText(name: "x", text: "ab\r\né𝄞c\n\nlast"))
        func place(_ offset: Int) -> [Int] { [lines.position(of: offset).line, lines.position(of: offset).column] }
        #expect(place(0) == [1, 1])
        #expect(place(2) == [1, 3])
        #expect(place(4) == [2, 1])
        #expect(place(6) == [2, 2])
        #expect(place(10) == [2, 3])
        #expect(place(12) == [3, 1])
        #expect(place(13) == [4, 1])
        #expect(place(17) == [4, 5])
        #expect(place(99) == [4, 5])
        #expect(lines.lineRange(around: 1) == 0..<2)
        #expect(lines.lineRange(around: 5) == 4..<11)
        #expect(lines.lineRange(around: 12) == 12..<12)
        #expect(lines.lineRange(around: 15) == 13..<17)
    }

    @Test func columnsAreRightAcrossBlocks() {
        let lines = LineIndex(SourceText(name: "x", text: "\n" + String(repeating: "é", count: 5000) + "x"))
        #expect(lines.position(of: 10001) == .init(line: 2, column: 5001))
    }

    @Test(arguments: [0, 1, 4094, 4095, 4096, 4097, 8191, 12_000])
    func linesOfAnyLengthAreFound(_ longest: Int) {
        var state: UInt64 = 7
        let lengths = (0..<40).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % (longest + 1)
        }
        let lines = LineIndex(
            SourceText(
                name: "x",
                text: lengths.map { String(repeating: "x", count: $0) }.joined(separator: "\n")))
        var start = 0
        for (number, length) in lengths.enumerated() {
            for column in [0, length / 2, length] {
                #expect(lines.position(of: start + column) == .init(line: number + 1, column: column + 1))
                #expect(lines.lineRange(around: start + column) == start..<(start + length))
            }
            start += length + 1
        }
    }

    @Test func emptyTextHasOneLine() {
        #expect(LineIndex(SourceText(name: "x", text: "")).position(of: 0) == .init(line: 1, column: 1))
    }

    @Test func lineFormNamesPlaceRuleAndPath() {
        let renderer = renderer("one\ntwo three")
        let diagnostic = Diagnostic(Rule.sample, "no", at: SourceRange(start: 8, end: 13), path: "$.a[0]")
        #expect(renderer.line(diagnostic) == "f\\u{1B}.json:2:5: error[T001]: no (at $.a[0])")
    }

    @Test func blockFormPointsAtTheCode() {
        let diagnostic = Diagnostic(
            Rule.sample, "no", at: SourceRange(start: 8, end: 13),
            notes: [.init("here", at: SourceRange(start: 0, end: 3))], hint: "do so")
        #expect(
            renderer("one\n\ttwo three").block(diagnostic) == """
                f\\u{1B}.json:2:5: error[T001]: no
                    2 |  two three
                      |     ^~~~~
                  hint: do so
                f\\u{1B}.json:1:1: note: here
                    1 | one
                      | ^~~
                """)
    }

    @Test func longLinesAreCutAroundThePlace() {
        let text = String(repeating: "a", count: 5000) + "!" + String(repeating: "b", count: 5000)
        let block = renderer(text).block(Diagnostic(Rule.sample, "no", at: SourceRange(at: 5000, length: 1)))
        let lines = block.split(separator: "\n")
        #expect(lines[1].contains("…aaa") && lines[1].contains("a!b") && lines[1].hasSuffix("b…"))
        #expect(lines.allSatisfy { $0.count < 130 })
        #expect(lines[1].distance(to: "!") == lines[2].distance(to: "^"))
    }

    @Test(arguments: [
        ("plain é", "plain é"), ("a\u{1B}[2J", "a\\u{1B}[2J"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u{202E}x", "\\u{202E}x"),
        ("\u{85}\u{7F}\u{0}", "\\u{85}\\u{7F}\\u{0}"),
    ])
    func controlCharactersAreEscaped(_ text: String, _ escaped: String) {
        #expect(escapedText(text) == escaped)
    }

    @Test func quotingCutsLongText() {
        #expect("abcdef".quotedForMessage(maximumScalars: 3) == "\"abc…\"")
        #expect("abc".quotedForMessage(maximumScalars: 3) == "\"abc\"")
    }

    @Test(arguments: [
        ("urlz", "urls"), ("sise", "size"), ("ulrs", "urls"), ("SHA256", "sha256"), ("sha-256", "sha256"),
        ("title", nil),
        ("", nil), (String(repeating: "u", count: 100), nil),
    ])
    func nearestMatchIsACloseOneOrNone(_ word: String, _ expected: String?) {
        #expect(nearestMatch(to: word, among: ["size", "urls", "sha256"]) == expected)
    }

    @Test func secretsAreHiddenInTheCodeOfEveryFinding() {
        let secret = Diagnostic(
            Rule.sample, "secret", at: SourceRange(at: 3, length: 1), secret: SourceRange(start: 4, end: 9))
        let block = renderer("ab p@éß cd", [secret]).block(
            Diagnostic(Rule.sample, "no", at: SourceRange(start: 10, end: 12)))
        #expect(block.hasSuffix("| ab p***\u{20}cd\n      |         ^~"))
    }

    @Test(arguments: [
        (#""https://u:p@ss@a/b@c""#, #""https://******@a/b@c""#),
        (#""/b?a=1&SIG=x#y", "?a=2""#, #""/b?***********", "?a=2""#),
        (#""/b?a=1\u0026token=x\"y" "z""#, #""/b?*******************" "z""#),
        (#""/b?design=1&a=sig=2""#, #""/b?design=1&a=sig=2""#),
        (#""authorization" : "a\"b", "c": "d""#, #""authorization" : "****", "c": "d""#),
        (#""Cookie: "a", "b""#, #""Cookie: "*", "b""#),
        (#""Cookie": ["a", "b"], "c""#, #""Cookie": ["*******], "c""#),
        (#""title": "Cookie: a""#, #""title": "Cookie: a""#),
        (#""https:\/\/u:p@a\/b@c""#, #""https:\/\/***@a\/b@c""#),
        (#""https:\u002f\u002Fu:p\u0040a\/b""#, #""https:\u002f\u002F***\u0040a\/b""#),
        (#""/b?sig\u003dx""#, #""/b?**********""#),
        (#"{'authorization': 'a"b', "c": 'd'}"#, #"{'authorization': '***', "c": 'd'}"#),
        (#"{authorization: "ab", c: "d"}"#, #"{authorization: "**", c: "d"}"#),
        (#"{authorization: 'a\'b', c: "d"}"#, #"{authorization: '****', c: "d"}"#),
    ])
    func secretsAreKnownByWhatStandsBeforeThem(_ text: String, _ masked: String) {
        #expect(String(decoding: SourceText(name: "m", text: text).masked([]), as: UTF8.self) == masked)
    }

    @Test(arguments: ["token", "access_token", "api_key", "APIKey", "password", "auth", "jwt"])
    func parametersThatHoldASecretAreKnown(_ name: String) {
        let stars = String(repeating: "*", count: name.utf8.count + 2)
        let masked = SourceText(name: "m", text: "\"/b?\(name)=x\"").masked([])
        #expect(String(decoding: masked, as: UTF8.self) == "\"/b?\(stars)\"")
    }

    @Test func aQuotedURLShowsNoSecretsNotEvenWhereItIsCut() {
        let login = "https://u:" + String(repeating: "p", count: 100) + "@a/b"
        #expect(login.quotedForMessage() == "\"https://***@a/b\"")
        #expect("/b?sig=x".quotedForMessage() == "\"/b?***\"")
    }

    private func renderer(_ text: String, _ diagnostics: [Diagnostic] = []) -> DiagnosticTextRenderer {
        DiagnosticTextRenderer(LineIndex(SourceText(name: "f\u{1B}.json", text: text)), of: diagnostics)
    }
}

extension Substring {
    fileprivate func distance(to character: Character) -> Int? {
        firstIndex(of: character).map { distance(from: startIndex, to: $0) }
    }
}
