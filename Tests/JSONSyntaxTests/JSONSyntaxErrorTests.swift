import Diagnostics
import JSONSyntax
import Testing

/// What the parser says about broken text: ids and places, several from one run.
@Suite struct JSONSyntaxErrorTests {
    struct Case: CustomTestStringConvertible {
        let text: String
        /// `ID@OFFSET`, in the order of the text.
        let findings: [String]
        init(_ text: String, _ findings: String...) { (self.text, self.findings) = (text, findings) }
        var testDescription: String { text }
    }

    static let single = [
        Case("", "J001@0"),
        Case(" \n ", "J001@3"),
        Case("]", "J011@0"),
        Case(",", "J005@0"),
        Case("# x", "J013@0", "J001@3"),
        Case("\u{FEFF}{}", "J002@0"),
        Case("[1,]", "J007@2"),
        Case("{\"a\":1,}", "J007@6"),
        Case("[1 2]", "J006@3"),
        Case("[1,,2]", "J005@3"),
        Case("[,1]", "J005@1"),
        Case("{\"a\" 1}", "J008@5"),
        Case("{\"a\"=1}", "J008@4"),
        Case("{\"a\"}", "J008@4"),
        Case("{\"a\":}", "J005@5"),
        Case("{:1}", "J009@1"),
        Case("{a:1}", "J016@1"),
        Case("{'a':1}", "J015@1"),
        Case("['it''s']", "J015@1", "J006@5", "J015@5"),
        Case("[1", "J010@2"),
        Case("{\"a\":[1}", "J010@7"),
        Case("[1}]", "J011@2"),
        Case("[] x", "J012@3"),
        Case("[] // end", "J013@3"),
        Case("[1 /* one */, 2]", "J013@3"),
        Case("[True]", "J014@1"),
        Case("[NaN]", "J014@1"),
        Case("[nul]", "J014@1"),
        Case("\"abc", "J017@0"),
        Case("[\"a\tb\"]", "J018@3"),
        Case("[\"a\nb\"]", "J018@3"),
        Case("[\"\\x41\"]", "J019@2"),
        Case("[\"\\u12G4\"]", "J019@2"),
        Case("[\"\\uD800\"]", "J020@2"),
        Case("[\"\\uDC00\\uD800\"]", "J020@2", "J020@8"),
        Case("[01]", "J021@1"),
        Case("[+1]", "J021@1"),
        Case("[.5]", "J021@1"),
        Case("[1.]", "J021@1"),
        Case("[1e]", "J021@1"),
        Case("[-]", "J021@1"),
        Case("[0x1F]", "J021@1"),
        Case("[1.2.3]", "J021@1"),
        Case("[-Infinity]", "J021@1"),
        Case("[1, @]", "J004@4"),
        Case("[@1]", "J004@1"),
    ]

    @Test(arguments: single)
    func tellsWhatIsWrongAndWhere(_ testCase: Case) {
        #expect(findings(testCase.text) == testCase.findings)
    }

    static let several = [
        // A comma after the last element, a comment, an unquoted key and single quotes.
        Case("{\"a\": [1,], // c\n b: 'x'}", "J007@8", "J013@12", "J016@18", "J015@21"),
        // A string that isn't closed ends at its line's end.
        Case("{\"a\": \"x,\n\"b\": 01,\n\"c\": tru}", "J017@6", "J021@15", "J014@24"),
        // A key that isn't closed ends before its colon.
        Case("{\"a: [\"b\"], \"c\": 01}", "J017@1", "J021@17"),
        // A string whose opening quote is missing ends at the closing one.
        Case("{\"a\": b\", \"c\": 01}", "J017@6", "J021@15"),
        Case("{\"a\": [https://b.example/c\", \"d\"], \"e\": 01}", "J017@7", "J021@40"),
        Case("{\"a\": 1, b\": 2, \"c\": 01}", "J017@9", "J021@21"),
        Case("{\"a\": b, \"c\": 01}", "J014@6", "J021@14"),
        Case("{\"a\": b \"c\": 01}", "J014@6", "J006@8", "J021@13"),
        // A quote too many in a key.
        Case("{\"\"a\": \"b\", \"c\": 01}", "J008@1", "J021@17"),
        Case("{\"a\"b\": \"b\", \"c\": 01}", "J008@1", "J021@18"),
        Case("{\"a\"b\"c\": \"b\", \"d\": 01}", "J008@1", "J021@20"),
        // Apostrophes end no string.
        Case("{\"a\": “The Director’s Cut”, 'b': 'it's'}", "J015@6", "J015@34", "J015@39"),
        // Two missing commas in objects of an array.
        Case("[{\"a\":1 \"b\":2} {\"c\":3}]", "J006@8", "J006@15"),
        // An array left open in an object, and what follows is still looked at.
        Case("{\"a\": {\"b\": [1, 2}, \"c\": [3,]}", "J010@17", "J007@27"),
    ]

    @Test(arguments: several)
    func carriesOnAfterAnError(_ testCase: Case) {
        #expect(findings(testCase.text) == testCase.findings)
    }

    @Test func invalidUTF8IsRefusedWhereItStands() {
        let bytes: [[UInt8]] = [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xFF], [0xE2, 0x82],
        ]
        for sequence in bytes {
            #expect(findings(Array("[\"".utf8) + sequence + Array("\"]".utf8)) == ["J003@2"], "\(sequence)")
        }
    }

    /// Strings are looked at eight bytes at a time: what matters is found at every place in and after such a block.
    @Test(arguments: [
        (0x00 as UInt8, "J018"), (0x0F, "J018"), (0x10, "J018"), (0x1F, "J018"), (0x80, "J003"), (0xFF, "J003"),
    ])
    func badBytesAreFoundAtEveryPlaceInAString(_ byte: UInt8, _ id: String) {
        for offset in 0..<24 {
            var text = Array(repeating: UInt8(ascii: "a"), count: 24)
            text[offset] = byte
            #expect(findings([UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]) == ["\(id)@\(offset + 1)"])
        }
    }

    @Test func whatIsPlainIsPlainAtEveryPlaceInAString() throws {
        for byte in (0x20 as UInt8)...0x7F where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
            let text = Array(repeating: byte, count: 19)
            let document = try JSONDocument([UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")], name: "x")
            #expect(document.root.string == String(decoding: text, as: UTF8.self))
        }
        for offset in 0..<24 {
            let text = String(repeating: "a", count: offset) + "\\n" + String(repeating: "b", count: 24 - offset)
            let document = try JSONDocument(Array("[\"\(text)\", 1]".utf8), name: "x")
            #expect(document.root.elements.first { _ in true }?.string?.utf8.count == 25)
        }
    }

    @Test func unclosedBracketsAreNotedWhereTheyWereOpened() throws {
        let error = try #require(syntaxError("{\"a\": [1, {\"b\": 2"))
        #expect(error.diagnostics.map(\.id) == ["J010"])
        #expect(error.diagnostics[0].notes.map(\.range.start) == [10, 6, 0])
    }

    /// Where an object of a list isn't closed, the next one tells so: one finding, and not one for each object that follows.
    @Test(arguments: [
        ("[{\"a\": 1, {\"b\": 2}, {\"c\": 3}]", ["J010@8"]),
        ("[{\"a\": 1 {\"b\": 2}, {\"c\": 3}]", ["J010@8", "J006@9"]),
        ("[{ {\"a\": 1}}]", ["J009@3"]), ("{\"a\": 1, {\"b\": 2}}", ["J009@9"]),
    ])
    func anObjectThatIsLeftOpenInAListIsToldOnce(_ text: String, _ expected: [String]) {
        #expect(findings(text) == expected)
    }

    @Test(arguments: [
        ("{\"a\": \"The \"Big\" One\", \"b\": 1}", ["J006@6"]), ("[\"an 8\"disc\" here\"\n]", ["J006@1"]),
        ("{\"a\": \"x\"b, \"c\": \"d\"}", ["J006@9", "J016@9", "J008@10"]),
    ])
    func quotesWithinATextAreToldAsSuch(_ text: String, _ expected: [String]) {
        #expect(findings(text) == expected)
    }

    @Test func depthHasALimit() throws {
        let limits = JSONLimits(depth: 3)
        _ = try JSONDocument(Array("[[[]]]".utf8), name: "x", limits: limits)
        #expect(findings("[[[[]]]]", limits: limits) == ["J022@3"])
        // Far below what would need a stack.
        #expect(findings(String(repeating: "[", count: 1_000_000)) == ["J022@256"])
    }

    @Test func sizeHasALimit() {
        #expect(findings("[1, 2]", limits: JSONLimits(textBytes: 5)) == ["J023@0"])
        #expect(findings("[1, 2]", limits: JSONLimits(nodes: 3)) == [])
        #expect(findings("[1, 2, 3, 4]", limits: JSONLimits(nodes: 3)) == ["J023@8"])
    }

    @Test func parsingStopsAfterManyErrors() throws {
        let error = try #require(
            syntaxError("[" + String(repeating: "x,", count: 100_000), limits: JSONLimits(errors: 20)))
        #expect(error.diagnostics.count == 21)
        #expect(error.diagnostics.last?.id == "J025")
    }

    @Test func errorDescribesItselfInOneLine() throws {
        let error = try #require(syntaxError("{\n  \"é\": 01,\n}"))
        #expect(
            error.description
                == "x:2:8: error[J021]: \"01\": a number may not begin with extra zeros (and 1 more)")
    }

    @Test func controlCharactersOfTheTextAreEscapedInMessages() throws {
        let error = try #require(syntaxError("[\u{1B}]"))
        #expect(error.diagnostics[0].message == "unexpected \"\\u{1B}\" where a value should be")
    }
}

private func syntaxError(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
    do {
        _ = try JSONDocument(SourceText(name: "x", text: text), limits: limits)
        return nil
    } catch {
        return error
    }
}

private func findings(_ text: String, limits: JSONLimits = JSONLimits()) -> [String] {
    findings(Array(text.utf8), limits: limits)
}

private func findings(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> [String] {
    do {
        _ = try JSONDocument(bytes, name: "x", limits: limits)
        return []
    } catch {
        return error.diagnostics.map { "\($0.id)@\($0.range.start)" }
    }
}
