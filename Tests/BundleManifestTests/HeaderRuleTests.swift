import BundleManifest
import Testing

@Suite struct HeaderRuleTests {
    @Test(arguments: [
        ("{\"X-Site\": \"a b\\tc\", \"accept\": \"*/*\"}", [String]()),
        ("{\"X-Site\": \"a\\r\\nHost: evil\"}", ["H002 X-Site"]),
        ("{\"X-Site\": \"a\\u0000\"}", ["H002 X-Site"]),
        ("{\"X-Site\": \"a\\u007f\"}", ["H002 X-Site"]),
        ("{\"X-Site\": 1}", ["S001 X-Site"]),
        ("{\"\": \"a\"}", ["H001 [\"\"]"]),
        ("{\"X Site\": \"a\"}", ["H001 [\"X Site\"]"]),
        ("{\"X:\": \"a\"}", ["H001 [\"X:\"]"]),
        ("{\"X\\r\\nY\": \"a\"}", ["H001 [\"X\\r\\nY\"]"]),
        ("{\"Host\": \"a\"}", ["H003 Host"]),
        ("{\"transfer-encoding\": \"chunked\"}", ["H003 transfer-encoding"]),
        ("{\"Range\": \"bytes=0-\"}", ["H003 Range"]),
        ("{\"A\": \"1\", \"a\": \"2\"}", ["H004 a"]),
        ("{\"Authorization\": \"Bearer x\"}", ["H005 Authorization"]),
        ("{\"Cookie\": \"x\"}", ["H005 Cookie"]),
    ])
    func headersThatCouldSplitOrTakeOverARequestAreRefused(_ headers: String, _ expected: [String]) {
        let found = findings(manifest(bundles: "[\(ebook(", \"headers\": \(headers)"))]"))
        #expect(found == expected.map { $0.replacing(" [", with: " $.bundles[0].headers[").plainPath() })
    }

    @Test func theFirstOfLikeHeadersIsNoted() {
        let text = manifest(bundles: "[\(ebook(", \"headers\": {\"AB\": \"1\", \"Ab\": \"2\", \"ab\": \"3\"}"))]")
        let notes = decode(text).diagnostics.flatMap(\.notes).map { note in
            String(decoding: Array(text.utf8)[note.range.start..<note.range.end], as: UTF8.self)
        }
        #expect(notes == ["\"AB\"", "\"AB\""])
    }
}

extension String {
    /// `ID NAME` to `ID $.bundles[0].headers.NAME`.
    fileprivate func plainPath() -> String {
        contains("$") ? self : replacing(" ", with: " $.bundles[0].headers.")
    }
}
