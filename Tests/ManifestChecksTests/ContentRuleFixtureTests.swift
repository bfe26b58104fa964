import BundleManifest
import Diagnostics
import Jobs
import ManifestChecks
import TestSupport
import Testing

/// Every rule about what a manifest names has a manifest that breaks it, one that doesn't, and the text that is printed about it; the servers and
/// files that they name are made for each test.
@Suite struct ContentRuleFixtureTests {
    private static let rules = "/" + #filePath.split(separator: "/Tests/")[0] + "/Tests/Corpus/rules/"

    @Test func everyRuleHasAnIDOfItsOwnAndAnExplanation() {
        let rules = RuleCatalogue.all
        #expect(Set(rules.map(\.id)).count == rules.count)
        #expect(rules.count >= 175)
        #expect(
            rules.filter { $0.explanation.count < 20 || !$0.explanation.hasSuffix(".") || $0.title.hasSuffix(".") }.map(
                \.id) == [])
    }

    @Test func theArticleIsMadeFromTheTables() throws {
        let path =
            "/" + #filePath.split(separator: "/Tests/")[0] + "/Sources/LarderCommand/LarderCommand.docc/Rules.md"
        let text = RuleArticle.text
        #expect(try recorded(path, unless: text) == text, "`make record` writes \(path) anew")
    }

    @Test(arguments: ContentRule.allCases)
    func aBrokenRuleIsToldAsRecorded(_ rule: ContentRule) async throws {
        let (checked, cleaned) = try await checked("reject.json", of: rule)
        #expect(checked.diagnostics.contains { $0.id == rule.id && $0.severity == rule.severity })
        let renderer = DiagnosticTextRenderer(LineIndex(checked.source), of: checked.diagnostics)
        let shown = checked.contentFindings.map(\.withoutSystemsWords)
        let text = cleaned(shown.map(renderer.block).joined(separator: "\n\n")) + "\n"
        let path = "\(Self.rules)\(rule.id)/expected.txt"
        #expect(try recorded(path, unless: text) == text, "`make record` writes \(path) anew")
    }

    @Test(arguments: ContentRule.allCases)
    func aKeptRuleIsNotTold(_ rule: ContentRule) async throws {
        let (checked, _) = try await checked("accept.json", of: rule)
        #expect(!checked.diagnostics.contains { $0.id == rule.id })
        #expect(!checked.diagnostics.hasErrors, "\(checked.diagnostics)")
    }

    /// - Returns: the manifest with its findings, and what takes ports and folders of this test out of a text.
    private func checked(
        _ name: String, of rule: ContentRule
    ) async throws -> (ValidatedManifest, @Sendable (String) -> String) {
        let text = String(decoding: try readFile("\(Self.rules)\(rule.id)/\(name)"), as: UTF8.self)
        if rule.id.hasPrefix("O") {
            let world = try await OnlineWorld(hasTLS: rule == .insecure)
            let main = try #require(world.main)
            let checked = try await askedOnline(world.entering(text), base: main.url("/")) { limits in
                limits.exchangesPerOrigin = 1
                limits.idleTimeout = .milliseconds(200)
                limits.patience = 2
            }
            return (checked, { world.leaving($0).replacing("standard input:", with: "\(name):") })
        }
        let world = try DeepWorld()
        let library = rule == .copyUnplayable ? try await world.publishedLibrary() : nil
        let checked = try await openedDeeply(text, in: world.directory, library: library)
        return (
            checked,
            {
                $0.replacing("\(world.directory.path)/manifest.json:", with: "\(name):")
                    .replacing(world.directory.path, with: "/manifests")
            }
        )
    }
}

extension Diagnostic {
    /// Without what libcurl or the kernel say, each version in its own way.
    fileprivate var withoutSystemsWords: Diagnostic {
        let foreign: [ContentRule] = [.unreachable, .insecure, .invalidReply, .unusableURL, .localFileMissing]
        guard let rule = foreign.first(where: { $0.id == id }), let end = message.firstRange(of: ": ") else {
            return self
        }
        return Diagnostic(rule, message[..<end.upperBound] + "…", at: range, path: path, hint: hint)
    }
}
