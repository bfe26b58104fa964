import BundleManifest
import Diagnostics
import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// Every rule has a manifest that breaks it, one that doesn't, and the text that is printed about it.
@Suite struct RuleFixtureTests {
    /// A text of a gibibyte is no fixture; see `JSONDocumentTests`. Rules about what a manifest names need servers and files, which
    /// `ContentRuleFixtureTests` has.
    static let rules = ManifestRule.catalogue.filter { rule in
        rule.id != JSONRule.tooLarge.id && ContentRule(rawValue: rule.id) == nil
    }

    static let root = String(#filePath.split(separator: "/Tests/")[0]) + "/"
    static func folder(_ rule: RuleDescription) -> String { "/\(root)Tests/Corpus/rules/\(rule.id)/" }

    @Test func everyRuleHasAnIDOfItsOwnAndAnExplanation() {
        let rules = ManifestRule.catalogue
        #expect(Set(rules.map(\.id)).count == rules.count)
        #expect(rules.count >= 60)
        #expect(
            rules.filter { $0.explanation.count < 20 || !$0.explanation.hasSuffix(".") || $0.title.hasSuffix(".") }.map(
                \.id) == [])
    }

    @Test(arguments: rules)
    func aBrokenRuleIsToldAsRecorded(_ rule: RuleDescription) throws {
        let source = try source("reject.json", of: rule)
        let diagnostics = try diagnostics(source, of: rule)
        #expect(diagnostics.contains { $0.id == rule.id && $0.severity == rule.severity })
        let renderer = DiagnosticTextRenderer(LineIndex(source), of: diagnostics)
        // Of many like findings the last ones say it all.
        let text = diagnostics.suffix(4).map(renderer.block).joined(separator: "\n\n") + "\n"
        try compare(text, withRecord: Self.folder(rule) + "expected.txt")
    }

    @Test(arguments: rules)
    func aKeptRuleIsNotTold(_ rule: RuleDescription) throws {
        let diagnostics = try diagnostics(source("accept.json", of: rule), of: rule)
        #expect(!diagnostics.contains { $0.id == rule.id })
        #expect(!diagnostics.hasErrors, "\(diagnostics)")
    }

    @Test func theArticleIsMadeFromTheTable() throws {
        try compare(RuleArticle.text, withRecord: "/\(Self.root)Sources/BundleManifest/BundleManifest.docc/Rules.md")
    }

    private func source(_ name: String, of rule: RuleDescription) throws -> SourceText {
        SourceText(name: name, bytes: try contents(of: Self.folder(rule) + name))
    }

    private func diagnostics(_ source: SourceText, of rule: RuleDescription) throws -> [Diagnostic] {
        var options = ManifestDecodingOptions(allowsFileURLs: rule.id != ManifestRule.fileURL.id)
        options.now = Timestamp(rfc3339: "2026-11-30T00:00:00Z")
        options.tellsNotes = true
        options.hasBase = rule.id != ManifestRule.nothingToResolve.id
        let (manifest, diagnostics) = Manifest.decode(source, options: options)
        guard rule.id.hasPrefix("V") else { return diagnostics }
        let oldSource = try self.source("old.json", of: rule)
        let old = try #require(Manifest.decode(oldSource).manifest)
        let new = try #require(manifest)
        return (diagnostics + ManifestComparison.diagnostics(of: new, source, since: old, oldSource))
            .sortedByPosition()
    }
}

/// Compares with a file, or writes that file anew where `LARDER_RECORD` is set, so that a change can be looked at.
func compare(_ text: String, withRecord path: String) throws {
    #expect(try recorded(path, unless: text) == text, "`make record` writes \(path) anew")
}

func contents(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"), "\(path)")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}
