import Diagnostics
import JSONSyntax

/// What was read of a manifest's text, and all that was found in it.
package struct DecodedManifest: Sendable {
    package let source: SourceText
    /// In the order of the text.
    package let diagnostics: [Diagnostic]
    /// Nil where an error among the diagnostics leaves no manifest to follow.
    private let valid: (document: JSONDocument, draft: ManifestDraft)?

    /// As ``Manifest/decode(_:options:)`` does, but for the manifest itself: it is made when it is asked for.
    package init(_ source: SourceText, options: ManifestDecodingOptions = ManifestDecodingOptions()) {
        self.source = source
        do {
            let document = try JSONDocument(source, limits: options.jsonLimits)
            let (draft, diagnostics, hasErrors) = Self.decode(document, options)
            self.diagnostics = diagnostics
            valid = hasErrors ? nil : draft.map { (document, $0) }
        } catch {
            valid = nil
            guard let recovered = RecoveredJSON(error, limits: options.jsonLimits) else {
                diagnostics = error.diagnostics
                return
            }
            let further = recovered.findings(Self.decode(recovered.document, options).diagnostics)
            diagnostics = (error.diagnostics + further).sortedByPosition()
        }
    }

    /// Whether there is a manifest that can be followed: no error among the diagnostics, or only such as fail one bundle each.
    package var isValid: Bool { valid != nil }

    /// What the text says, for findings with a place; nil where it isn't valid.
    package var document: JSONDocument? { valid?.document }

    /// The manifest's; nil where it isn't valid.
    package var id: BundleID? { valid?.draft.id }

    /// Nil where it isn't valid. Made anew by each call, with a bundle for each that the text has.
    package var manifest: Manifest? { valid?.draft.manifest() }

    private static func decode(
        _ document: JSONDocument, _ options: ManifestDecodingOptions
    ) -> (draft: ManifestDraft?, diagnostics: [Diagnostic], hasErrors: Bool) {
        var context = DecodingContext(options: options)
        let draft = ValueType.object(ManifestDraft.table).decode(document.root, &context)
        draft?.check(&context)
        document.forEachRepeatedKey { first, again in
            context.report(
                json: .duplicateKey, again.repeatedKeyMessage, at: again, notes: [first.repeatedKeyNote])
        }
        return (draft, context.diagnostics(of: document).sortedByPosition(), context.hasErrors)
    }
}
