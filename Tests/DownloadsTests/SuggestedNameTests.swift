import Testing

@testable import Downloads
@testable import Transfer

/// Names that servers suggest, made safe.
@Suite struct SuggestedNameTests {
    @Test(
        arguments: [
            ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a b;c.txt\"; x=y", "a b;c.txt"),
            ("inline; FILENAME=\"q\\\"uote\"", "q\"uote"), ("attachment; filename=\"/etc/passwd\"", "passwd"),
            ("attachment; filename=\"..\\\\..\\\\boot.ini\"", "boot.ini"), ("attachment; filename=\"..\"", nil),
            ("attachment; filename=\".bashrc\"", "bashrc"), ("attachment; filename=\"\"", nil), ("attachment", nil),
            ("attachment; filename*=UTF-8'de'%e2%82%ac.txt", "€.txt"),
            ("attachment; filename*=latin1''x%ff; filename=b", "b"),
            ("attachment; filename*=UTF-8''%ff; filename=b", "b"),
            ("attachment; filename=a\u{202e}txt.exe", "atxt.exe"),
            ("attachment; filename=\"a\u{9b}b\"", "ab"), ("attachment; filename", nil), ("; = ; filename=x", "x"),
        ] as [(String, String?)])
    func suggestedNamesAreSafe(_ field: String, _ name: String?) throws {
        let response = TransferResponse(
            status: 200, headers: ["Content-Disposition": field], url: try TransferURL("http://a.example/"),
            redirectCount: 0, framing: .length)
        #expect(response.suggestedName == name)
    }

    @Test func longNamesAreCut() {
        let name = safeFileName(String(repeating: "ä", count: 300))
        #expect(name?.utf8.count == 254)
    }
}
