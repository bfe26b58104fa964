import Diagnostics
import JSONSyntax

extension Manifest {
    /// Reads and checks a manifest. Everything that its text alone can tell is found in one run.
    ///
    /// Where the JSON itself is broken, more is told only as far as there is no doubt about its structure. A finding with the rule `unknownRequirement` is a refusal of its own kind (exit 77).
    /// - Returns: the manifest, or nil when there is an error among the diagnostics; these are in the order of the text.
    package static func decode(
        _ source: SourceText, options: ManifestDecodingOptions = ManifestDecodingOptions()
    ) -> (manifest: Manifest?, diagnostics: [Diagnostic]) {
        do {
            let document = try JSONDocument(source, limits: options.jsonLimits)
            let (draft, diagnostics, hasErrors) = decode(document, options)
            return (hasErrors ? nil : draft?.manifest(), diagnostics)
        } catch {
            guard let recovered = RecoveredJSON(error, limits: options.jsonLimits) else {
                return (nil, error.diagnostics)
            }
            let further = recovered.findings(decode(recovered.document, options).diagnostics)
            return (nil, (error.diagnostics + further).sortedByPosition())
        }
    }

    private static func decode(
        _ document: JSONDocument, _ options: ManifestDecodingOptions
    ) -> (draft: ManifestDraft?, diagnostics: [Diagnostic], hasErrors: Bool) {
        var context = DecodingContext(options: options)
        let draft = ValueType.object(ManifestDraft.table).decode(document.root, &context)
        draft?.check(&context)
        let diagnostics = document.duplicateKeys() + context.diagnostics(of: document)
        return (draft, diagnostics.sortedByPosition(), diagnostics.hasErrors || context.hasErrors)
    }
}

extension ManifestDraft {
    /// The rules that look at the manifest as a whole.
    func check(_ context: inout DecodingContext) {
        if let created, let expires, let moment = expires.value, moment <= created {
            context.report(.expiresBeforeCreated, "the manifest expires before it was created", at: expires.place)
        }
        if let now = context.options.now, let expires, let moment = expires.value, moment <= now {
            context.report(
                .expired, "the manifest has expired, and sync refuses it", at: expires.place,
                hint: "raise \"expires\" and \"serial\"")
        }
        let order = BundleOrder(bundles, &context)
        order.checkPredecessors(&context)
        order.checkCycles(&context)
        var sources = SourceRules(self)
        sources.check(&context)
    }

    func manifest() -> Manifest? {
        guard let id else { return nil }
        return Manifest(
            id: id, serial: serial, created: created, expires: expires?.value, mirrors: mirrors,
            requirements: requirements, bundles: bundles.compactMap { $0.bundle() })
    }
}
