import JSONSyntax
import Testing

@Suite struct JSONWriterTests {
    @Test func writesCompactJSONInTheOrderOfTheCalls() {
        var writer = JSONWriter()
        sample(&writer)
        #expect(
            writer.text
                == #"{"z":1,"a":[true,null,-2.5,"x"],"o":{},"e":[],"n":null,"u":18446744073709551615,"l":["p","q"]}"#)
    }

    @Test func writesPrettyJSON() {
        var writer = JSONWriter(.pretty)
        writer.object { object in
            object.member("a", 1)
            object.array("b") { array in
                array.value("x")
                array.object { $0.member("c", false) }
            }
            object.object("d") { _ in }
        }
        #expect(
            writer.text == """
                {
                  "a": 1,
                  "b": [
                    "x",
                    {
                      "c": false
                    }
                  ],
                  "d": {}
                }
                """)
    }

    @Test(arguments: [
        "plain", "", "\"\\/", "\u{0}\u{1F}\u{8}\u{C}\n\r\t", "é€𝄞\u{2028}", "\u{7F}", "a\u{1B}[31mb",
    ])
    func stringsReadBackAsTheyWere(_ text: String) throws {
        var writer = JSONWriter()
        writer.object { $0.member(text, text) }
        #expect(!writer.bytes.contains { $0 < 0x20 || $0 == 0x7F })
        let member = try #require(try JSONDocument(writer.bytes, name: "x").root.members.first { _ in true })
        #expect(member.key.string == text)
        #expect(member.value.string == text)
    }

    /// Else a name could move the cursor of a terminal that shows a line of JSON, or turn round what is read there.
    @Test func whatATerminalWouldFollowIsEscaped() {
        var writer = JSONWriter()
        writer.string("a\u{85}\u{9B}\u{61C}\u{200E}\u{202E}\u{2069}\u{FEFF}é€𝄞\u{A0}")
        #expect(writer.text == #""a\u0085\u009b\u061c\u200e\u202e\u2069\ufeffé€𝄞"# + "\u{A0}\"")
    }

    @Test(arguments: [0, -0.0, 1.0, 0.1, -2.5, 1e300, .leastNonzeroMagnitude, 123_456_789.125, 1e16])
    func doublesReadBackExactly(_ number: Double) throws {
        var writer = JSONWriter()
        writer.double(number)
        #expect(try JSONDocument(writer.bytes, name: "x").root.double == number)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func whatIsNoNumberBecomesNull(_ number: Double) {
        var writer = JSONWriter()
        writer.double(number)
        #expect(writer.text == "null")
    }

    private func sample(_ writer: inout JSONWriter) {
        writer.object { object in
            object.member("z", 1)
            object.array("a") { array in
                array.value(true)
                array.null()
                array.value(-2.5)
                array.value("x")
            }
            object.object("o") { _ in }
            object.array("e") { _ in }
            object.member("n", Int?.none)
            object.member("u", UInt64.max)
            object.member("l", ["p", "q"])
        }
    }
}
