import Diagnostics
import JSONSyntax

/// What was read of a manifest's text, and all that was found in it.
package struct DecodedManifest: Sendable {
    package let source: SourceText
    /// In the order of the text.
    package let diagnostics: [Diagnostic]
    private let options: ManifestDecodingOptions
    /// Nil where an error among the diagnostics leaves no manifest to follow.
    private let valid: (document: JSONDocument, id: BundleID, mirrors: [URLReference], manifest: Manifest?)?

    /// As ``Manifest/decode(_:options:)`` does, but for the manifest itself: it is made when it is asked for.
    package init(_ source: SourceText, options: ManifestDecodingOptions = ManifestDecodingOptions()) {
        self.source = source
        self.options = options
        do {
            let document = try JSONDocument(source, limits: options.jsonLimits)
            let outcome = Self.decode(document, options)
            diagnostics = outcome.diagnostics
            valid = outcome.draft.flatMap { draft in draft.id.map { (document, $0, draft.mirrors, outcome.manifest) } }
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
    package var id: BundleID? { valid?.id }

    /// The manifest's, as they are written; none where it isn't valid.
    package var mirrors: [URLReference] { valid?.mirrors ?? [] }

    /// What an element of the list of bundles describes; nil where it describes none. For one after the other: all of them may take more memory
    /// than the text.
    package func bundle(at place: JSONValue) -> Bundle? {
        var context = DecodingContext(options: options)
        return BundleDraft.table.decode(place, &context).bundle
    }

    /// Nil where it isn't valid. Decoded anew by each call, unless it was wanted from the start.
    package var manifest: Manifest? {
        guard let valid, valid.manifest == nil else { return valid?.manifest }
        var options = options
        options.keepsBundles = true
        return Self.decode(valid.document, options).manifest
    }

    /// - Returns: what was read of a manifest that can be followed, and that itself where it is wanted.
    private static func decode(
        _ document: JSONDocument, _ options: ManifestDecodingOptions
    ) -> (draft: ManifestDraft?, manifest: Manifest?, diagnostics: [Diagnostic]) {
        var context = DecodingContext(options: options)
        let draft = ValueType.object(ManifestDraft.table).decode(document.root, &context)
        draft?.check(document, &context)
        if context.mayHaveRepeatedKeys {
            document.forEachRepeatedKey { first, again in
                context.report(
                    json: .duplicateKey, again.repeatedKeyMessage, at: again, notes: [first.repeatedKeyNote])
            }
        }
        let diagnostics = context.diagnostics(of: document).sortedByPosition()
        guard !context.hasErrors, let draft else { return (nil, nil, diagnostics) }
        return (draft, options.keepsBundles ? draft.manifest(context.bundles) : nil, diagnostics)
    }
}
