import BundleManifest
import Diagnostics
import Testing

@Suite struct URLRuleTests {
    @Test(arguments: [
        "a.zip", "a/b%20c.zip", "./a:b.zip", "../x", "/x", "//h.example/x", "?q", "http://h",
        "https://h.example:8443/a?b=c",
        "HTTP://h/", "http://[::1]:80/", "http://[fe80::1%25eth0]/", "http://h%C3%B6h/", "http://a_b~c./",
        "http://h:/x", "http://127.0.0.1/~a/(b)!$&'*+,;=:@",
    ])
    func urlsThatAreFine(_ url: String) {
        #expect(findings(withURL(url)).isEmpty)
    }

    @Test(arguments: [
        ("", "U001"), ("a b", "U002"), ("a\\nb", "U002"), ("a\\u0000b", "U002"), ("a\\\\b", "U002"), ("é", "U002"),
        ("a<b", "U002"),
        ("http://h/%", "U003"), ("http://h/%4", "U003"), ("http://h/%zz", "U003"), ("ftp://h/x", "U004"),
        ("a:b.zip", "U004"),
        ("javascript:1", "U004"), ("file:///x", "U005"), ("http:///x", "U006"), ("http:x", "U006"),
        ("https://:80/", "U006"),
        ("http://[::1/", "U006"), ("http://a]b/", "U006"), ("http://[::1]x/", "U006"), ("http://[]/", "U006"),
        ("http://[zz]/", "U006"), ("http://[[::1]/", "U006"),
        ("http://a,b/", "U006"), ("//a(b)/", "U006"), ("http://a%20b/", "U006"), ("http://u:secret@h/", "U007"),
        ("//u@h/x", "U007"), ("http://u:secret %@h/", "U007"),
        ("http://h:0/", "U008"), ("http://h:65536/", "U008"), ("http://h:8x/", "U008"),
    ])
    func urlsThatAreRefused(_ url: String, _ id: String) {
        #expect(findings(withURL(url)) == ["\(id) $.bundles[0].urls[0]"])
        #expect(!decode(withURL(url)).diagnostics.contains { $0.message.contains("secret") })
    }

    /// A blank that came along when the URL was copied is no part of it: encoded, it would name another file.
    @Test(arguments: [("b.epub ", "leave it out"), (" b.epub", "leave it out"), ("b\\t.epub", "leave it out")])
    func aStrayBlankIsNotEncoded(_ url: String, _ hint: String) {
        let diagnostics = decode(withURL(url)).diagnostics
        #expect(diagnostics.map(\.hint) == [hint] && diagnostics.allSatisfy(\.fix.isEmpty), "\(diagnostics)")
        #expect(decode(withURL("a b")).diagnostics.first?.fix.map(\.replacement) == ["\"a%20b\""])
    }

    /// Encoded, these would be other URLs than were meant.
    @Test(arguments: [
        ("http://a b/c", "leave it out"), ("http://\u{F6}.example/c d", "a host is called in ASCII: xn--…"),
        ("h ttp://a/b", "leave it out"), ("http:{//a/b", "leave it out"), ("100% sure", "percent-encode it as %20"),
    ])
    func onlyWhatStaysTheSameURLIsEncoded(_ url: String, _ hint: String) {
        let diagnostics = decode(withURL(url)).diagnostics
        #expect(diagnostics.map(\.id) == ["U002"] && diagnostics.map(\.hint) == [hint], "\(diagnostics)")
        #expect(diagnostics.allSatisfy { $0.fix.isEmpty })
        #expect(
            decode(withURL("http://a/\u{F6}?b c")).diagnostics.first?.fix.map(\.replacement) == [
                "\"http://a/%C3%B6?b%20c\""
            ])
    }

    @Test func credentialsAreNeverShown() {
        let bundles =
            "[\(ebook(", \"urls2\": 1, \"headers\": {\"Cookie\": \"hidden\"}").replacing("b.epub", with: "http://u:hidden@h/"))]"
        let source = SourceText(name: "m.json", text: manifest(bundles: bundles))
        let diagnostics = Manifest.decode(source).diagnostics
        #expect(Set(diagnostics.map(\.id)) == ["U007", "S003", "H005"])
        let renderer = DiagnosticTextRenderer(LineIndex(source), of: diagnostics)
        #expect(diagnostics.allSatisfy { !renderer.block($0).contains("hidden") })
    }

    @Test(arguments: [
        ("file:///x", [String]()), ("file:/x", []), ("file://localhost/x", []), ("FILE:///x", []),
        ("file://h/x", ["U006 $.bundles[0].urls[0]"]),
        ("file:x", ["U006 $.bundles[0].urls[0]"]),
    ])
    func fileURLsNeedALocalManifest(_ url: String, _ expected: [String]) {
        #expect(findings(withURL(url), ManifestDecodingOptions(allowsFileURLs: true)) == expected)
    }

    @Test func mirrorsAreAbsoluteAndEndWithASlash() {
        let text = manifest(more: ", \"mirrors\": [\"https://h/a/\", \"https://h/a\", \"a/\", \"ftp://h/\"]")
        #expect(findings(text) == ["U010 $.mirrors[1]", "U009 $.mirrors[2]", "U004 $.mirrors[3]"])
    }

    /// What stands behind the last slash of its path is dropped (RFC 3986, section 5.2.3), and nothing of a path that is empty.
    @Test func aMirrorsPathEndsWithASlash() {
        let text = manifest(
            more: ", \"mirrors\": [\"https://h\", \"https://h/?a\", \"https://h/a?b/\", \"https://h/a/?b\"]")
        #expect(findings(text) == ["U010 $.mirrors[2]"])
    }

    /// RFC 3986, section 5.4, and a few more.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("http://x/y", "http://x/y"),
    ])
    func referencesResolveAsInRFC3986(_ reference: String, _ expected: String) throws {
        let bundle = try #require(decode(withURL(reference)).manifest?.bundles.first)
        guard case .ebook(let file) = bundle.content else { return }
        #expect(file.source.urls[0].resolved(against: "http://a/b/c/d;p?q") == expected)
        #expect(file.source.urls[0].isAbsolute == (reference == "http://x/y"))
    }

    private func withURL(_ url: String) -> String {
        manifest(bundles: "[\(ebook().replacing("b.epub", with: url))]")
    }
}
