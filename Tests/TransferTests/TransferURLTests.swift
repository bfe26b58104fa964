import Platform
import Testing

@testable import Transfer

@Suite struct TransferURLTests {
    @Test(
        arguments: [
            ("http://A.example", "http", "a.example", 80, "/"),
            ("HTTPS://a.example:8443/x?y", "https", "a.example", 8443, "/x"),
            ("https://a.example/", "https", "a.example", 443, "/"), ("http://[::1]:8080/", "http", "[::1]", 8080, "/"),
            ("file:///a/b", "file", "", 0, "/a/b"),
        ])
    func readsItsParts(_ text: String, _ scheme: String, _ host: String, _ port: Int, _ path: String) throws {
        let url = try TransferURL(text)
        #expect(url.scheme == scheme)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
    }

    @Test(
        arguments: [
            "", " ", "a.example/x", "/x", "http://", "http://a b/", "http://a/\n", "http://a/\u{7f}",
            "http://a/\t",
            "http://a:99999/", "http://a:x/",
        ])
    func refusesWhatIsNoAbsoluteURL(_ text: String) { #expect(throws: TransferURLError.self) { try TransferURL(text) } }

    @Test(
        arguments: [
            ("c", "http://a.example/x/c"), ("/c", "http://a.example/c"), ("../c", "http://a.example/c"),
            ("./c?d", "http://a.example/x/c?d"), ("?q", "http://a.example/x/b?q"),
            ("//b.example/c", "http://b.example/c"),
            ("https://c.example", "https://c.example/"), ("#top", "http://a.example/x/b?p"),
            ("c#top", "http://a.example/x/c"),
        ])
    func resolvesReferences(_ reference: String, _ expected: String) throws {
        let resolved = try TransferURL("http://a.example/x/b?p").resolving(reference)
        #expect(resolved.text == expected)
    }

    @Test func aFragmentMakesNoOtherURL() throws {
        #expect(try TransferURL("http://a.example/x#one") == TransferURL("http://a.example/x#two"))
    }

    @Test(
        arguments: [
            "http://A.Example/x?y", "http://a.example:80/x?y", "HTTP://a.example/x?y", "http://a.example/./z/../x?y",
        ])
    func equivalentSpellingsAreEqual(_ text: String) throws {
        #expect(try TransferURL(text) == TransferURL("http://a.example/x?y"))
    }

    @Test func originsIgnoreCaseAndDefaultPorts() throws {
        #expect(try TransferURL("http://A.example/x").origin == TransferURL("http://a.example:80/y").origin)
        #expect(try TransferURL("http://a.example/").origin != TransferURL("https://a.example/").origin)
        #expect(try TransferURL("http://a.example/").origin != TransferURL("http://a.example:81/").origin)
    }

    @Test(
        arguments: [
            ("http://user:secret@a.example/x", "http://a.example/x"),
            ("https://a.example:8443/x?sig=secret", "https://a.example:8443/x?…"),
            ("http://a.example:80/", "http://a.example/"),
            ("file:///a/b", "file:///a/b"),
        ])
    func showsNoSecrets(_ text: String, _ shown: String) throws {
        #expect(try TransferURL(text).description == shown)
    }

    @Test(
        arguments: [
            "http://user:secret@a example/x", "http://a:port/x?sig=secret", "user:secret@a.example",
            "//user:secret@a.example", "http://a/x\u{1b}[31m?secret",
        ])
    func anErrorShowsNoSecretsEither(_ text: String) throws {
        let error = #expect(throws: TransferURLError.self) { try TransferURL(text) }
        let shown = try #require(error?.description)
        #expect(!shown.contains("secret"), "\(shown)")
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test(
        arguments: [
            ("http://a.example/x/a%20b.bin?y=/z", "a b.bin"), ("http://a.example/", ""), ("http://a.example/x/", ""),
            ("http://a.example/100%25%zz%4", "100%%zz%4"),
        ])
    func decodesTheLastComponent(_ text: String, _ name: String) throws {
        #expect(String(decoding: try TransferURL(text).lastPathComponent, as: UTF8.self) == name)
    }

    @Test(arguments: [
        ("", ""), ("%41", "A"), ("%4", "%4"), ("%", "%"), ("%%41", "%A"), ("%c3%A4", "ä"), ("%+1", "%+1"),
    ])
    func decodesPercentEncoding(_ encoded: String, _ decoded: String) {
        #expect(percentDecoded(encoded.utf8) == Array(decoded.utf8))
    }
}
