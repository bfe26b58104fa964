import Testing

@testable import Platform

/// URLs, and texts that were meant to be some, as messages show them.
@Suite struct ShownURLTests {
    @Test(
        arguments: [
            ("https://a.example/x/y.zip", "https://a.example/x/y.zip"),
            ("https://a.example/x?sig=secret#part", "https://a.example/x?…"),
            ("https://me:secret@a.example:8443/x", "https://a.example:8443/x"),
            ("https://secret@a.example/x", "https://a.example/x"),
            ("https://a.example/@scope/x@2.zip", "https://a.example/@scope/x@2.zip"),
            ("https://me@a.example@b.example/x", "https://b.example/x"),
            ("https://me:secret@[::1]:80/x", "https://[::1]:80/x"),
            ("me:secret@a.example/x", "…@a.example/x"), ("secret@a.example", "…@a.example"),
            ("http:me:secret@a.example/x", "…@a.example/x"), ("//me:secret@a.example/x", "//a.example/x"),
            ("http://me:sec/ret@a.example/x", "http://…@a.example/x"),
            ("http://me:sec?ret@a.example/x", "http://…?…"), ("http://me:sec#ret@a.example/x", "http://…"),
            ("http://a.example:port/x", "http://a.example:port/x"), ("media/1.ts", "media/1.ts"),
            ("images/logo@2x.png", "images/logo@2x.png"), ("me:sec/ret@a.example", "…@a.example"),
            ("http://a/\u{1B}[31m", "http://a/\\u{1B}[31m"),
        ])
    func nothingSecretIsShown(_ text: String, _ shown: String) { #expect(shownURL(text) == shown) }
}
