import BundleManifest
import Diagnostics
import JSONSyntax

/// What was found in a manifest's content, with the places in its text.
struct Findings: Sendable {
    private var found: [(place: JSONValue, diagnostic: Diagnostic)] = []

    mutating func report(
        _ rule: ContentRule, _ message: String, at place: JSONValue, notes: [Diagnostic.Note] = [],
        hint: String? = nil
    ) {
        append(Diagnostic(rule, message, at: place.markedRange, notes: notes, hint: hint), at: place)
    }

    mutating func append(_ diagnostic: Diagnostic, at place: JSONValue) { found.append((place, diagnostic)) }

    mutating func append(_ other: Findings) { found += other.found }

    /// With their paths, in the order of the text.
    func diagnostics(of document: JSONDocument) -> [Diagnostic] {
        var paths = JSONPathFinder(document)
        return found.sorted { $0.place.range.start < $1.place.range.start }.map { place, diagnostic in
            var diagnostic = diagnostic
            diagnostic.path = paths.path(to: place)
            return diagnostic
        }
    }
}
