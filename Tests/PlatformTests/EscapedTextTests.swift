import Testing

@testable import Platform

@Suite struct EscapedTextTests {
    @Test(arguments: [
        ("plain ü 漢", "plain ü 漢"), ("a\nb\u{1b}[2J", "a\\nb\\u{1B}[2J"), ("\u{7f}\u{9b}", "\\u{7F}\\u{9B}"),
        ("\u{202e}txt", "\\u{202E}txt"), ("\u{2066}\u{200f}", "\\u{2066}\\u{200F}"),
    ])
    func whatATerminalWouldObeyIsSpelledOut(text: String, escaped: String) {
        #expect(escapedText(text) == escaped)
        #expect(escapedText(Array(text.utf8)) == escaped)
    }

    @Test func bytesThatAreNoTextAreSpelledOut() {
        #expect(escapedText([0x61, 0xff, 0x0a, 0xc3]) == "a\\xff\\x0a\\xc3")
    }
}
