import BundleManifest
import Diagnostics

/// The article that lists every rule, in DocC's Markdown; a test keeps the file equal to it.
package enum RuleArticle {
    private static let families: [(letter: Character, title: String)] = [
        ("J", "Syntax"), ("S", "Structure"), ("P", "Paths"), ("U", "URLs"), ("D", "Digests and sizes"),
        ("L", "Segment lists"), ("H", "Headers"), ("V", "Compared with an older version"),
        ("O", "Sources that were asked (`--online`)"), ("F", "Files that were opened (`--deep`)"),
        ("M", "Playlists of presentations (`--online`)"),
    ]

    package static var text: String {
        let introduction = """
            # Rules

            What `larder validate` finds in manifests.

            ## Overview

            `larder validate --explain ID` prints what is said of a rule here. An error of `J`, `S`, `P`, `U` or `H` makes `sync` refuse the
            manifest, too; one of `D`, or U014, makes it fail the bundle that has it, and one of `O`, `F` or `M` may. `validate` exits with 1 for any error, and with `--deny-warnings` for a warning as well; a note is nothing wrong. The
            meaning of an id never changes.

            The JSON Schema that `larder validate --schema` prints sees every error but those of the JSON itself, those with `O`, `F` and `M`, and \
            \(unseenIDs).

            """
        return introduction + families.map(section).joined()
    }

    private static var unseenIDs: String {
        let ids = ManifestSchema.unseen.map(\.id).sorted().map { "`\($0)`" }
        return ids.dropLast().joined(separator: ", ") + ids.suffix(1).map { " and \($0)" }.joined()
    }

    private static func section(_ letter: Character, _ title: String) -> String {
        let rules = RuleCatalogue.all.filter { $0.id.first == letter }
        let rows = rules.map { "\n### \($0.id): \($0.title)\n\n*\($0.severity.rawValue)* · \($0.explanation)\n" }
        return "\n## \(letter): \(title)\n" + rows.joined()
    }
}
