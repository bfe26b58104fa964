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
}

extension String {
    /// `ID NAME` to `ID $.bundles[0].headers.NAME`.
    fileprivate func plainPath() -> String {
        contains("$") ? self : replacing(" ", with: " $.bundles[0].headers.")
    }
}
