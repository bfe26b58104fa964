import BundleManifest
import Diagnostics
import JSONSyntax
import TestSupport
import Testing

/// The JSON Schema and the rules are of one mind, as far as a schema can see; PyPI's check-jsonschema is the judge.
@Suite struct SchemaTests {
    private static let path = "/\(RuleFixtureTests.root)Manifests/larder-1.schema.json"

    @Test func theSchemaIsMadeFromTheTables() throws {
        try compare(ManifestSchema.text, withRecord: Self.path)
    }

    @Test func schemaAndRulesAgreeAboutEveryFixture() async throws {
        var expected: [String: Bool] = ["/\(RuleFixtureTests.root)Manifests/demo.json": true]
        for rule in RuleFixtureTests.rules {
            let folder = RuleFixtureTests.folder(rule)
            expected[folder + "accept.json"] = true
            // What isn't JSON, or takes a thousand errors, is no matter of a schema.
            guard let manifestRule = ManifestRule(rawValue: rule.id) else { continue }
            expected[folder + "reject.json"] = rule.severity != .error || ManifestSchema.unseen.contains(manifestRule)
        }
        let refused = try await refusedBySchema(expected.keys.sorted())
        for (file, isAccepted) in expected {
            #expect(refused[file] == nil || !isAccepted, "\(file): \(refused[file] ?? "")")
            #expect(refused[file] != nil || isAccepted, "\(file) should be refused by the schema, too")
        }
    }

    @Test func theSchemaIsOneItself() async throws {
        let result = try await ChildProcess.run(
            try Tool.python("check-jsonschema"), ["--check-metaschema", Self.path])
        #expect(result.status == .exited(0), "\(result)")
    }

    /// - Returns: what is said of each file that is refused.
    private func refusedBySchema(_ files: [String]) async throws -> [String: String] {
        let result = try await ChildProcess.run(
            try Tool.python("check-jsonschema"),
            ["--schemafile", Self.path, "--output-format", "json"] + files)
        let report = try JSONDocument(result.output, name: "check-jsonschema: \(result)").root
        #expect(report["parse_errors"]?.elements.map { "\($0["filename"]?.string ?? "")" } == [])
        let errors = (report["errors"]?.elements).map(Array.init) ?? []
        return Dictionary(
            errors.map { ($0["filename"]?.string ?? "", $0["message"]?.string ?? "") }, uniquingKeysWith: { $0 + $1 })
    }
}
