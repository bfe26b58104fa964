import BundleManifest
import Diagnostics
import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// Every rule has a manifest that breaks it, one that doesn't, and the text that is printed about it.
@Suite struct RuleFixtureTests {
    /// A text of a gibibyte is no fixture; see `JSONDocumentTests`.
    static let rules =
        JSONRule.allCases.filter { $0 != .tooLarge }.map(RuleDescription.init)
        + ManifestRule.allCases.map(RuleDescription.init)

    static let root = String(#filePath.split(separator: "/Tests/")[0]) + "/"
    static func folder(_ rule: RuleDescription) -> String { "/\(root)Tests/Corpus/rules/\(rule.id)/" }

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

    private func source(_ name: String, of rule: RuleDescription) throws -> SourceText {
        SourceText(name: name, bytes: try contents(of: Self.folder(rule) + name))
    }

    private func diagnostics(_ source: SourceText, of rule: RuleDescription) throws -> [Diagnostic] {
        var options = ManifestDecodingOptions(allowsFileURLs: rule.id != ManifestRule.fileURL.id)
        options.now = Timestamp(rfc3339: "2026-11-30T00:00:00Z")
        options.tellsNotes = true
        options.hasBase = rule.id != ManifestRule.nothingToResolve.id
        let new = DecodedManifest(source, options: options)
        guard rule.id.hasPrefix("V") else { return new.diagnostics }
        let old = DecodedManifest(try self.source("old.json", of: rule))
        #expect(new.isValid && old.isValid)
        return (new.diagnostics + ManifestComparison.diagnostics(of: new, since: old)).sortedByPosition()
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
