import Diagnostics
import Playlists
import TestSupport
import Testing

/// Every rule has a playlist that breaks it, one that doesn't, and the text that is printed about it.
@Suite struct PlaylistRuleFixtureTests {
    private static let rules = "/" + #filePath.split(separator: "/Tests/")[0] + "/Tests/Corpus/rules/"

    @Test(arguments: PlaylistRule.allCases)
    func aBrokenRuleIsToldAsRecorded(_ rule: PlaylistRule) throws {
        let bytes = try readFile("\(Self.rules)\(rule.id)/reject.m3u8")
        let found = PlaylistParser.parse(bytes, .init(url: "https://a.example/reject.m3u8")).diagnostics
        #expect(found.contains { $0.id == rule.id && $0.severity == rule.severity })
        let source = SourceText(name: "reject.m3u8", bytes: bytes)
        let renderer = DiagnosticTextRenderer(LineIndex(source), of: found)
        let text = found.map(renderer.block).joined(separator: "\n\n") + "\n"
        let path = "\(Self.rules)\(rule.id)/expected.txt"
        #expect(try recorded(path, unless: text) == text, "`make record` writes \(path) anew")
    }

    @Test(arguments: PlaylistRule.allCases)
    func aKeptRuleIsNotTold(_ rule: PlaylistRule) throws {
        let bytes = try readFile("\(Self.rules)\(rule.id)/accept.m3u8")
        let outcome = PlaylistParser.parse(bytes, .init(url: "https://a.example/accept.m3u8"))
        #expect(outcome.diagnostics.isEmpty && outcome.playlist != nil, "\(outcome.diagnostics)")
    }
}
