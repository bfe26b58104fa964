import Diagnostics
import JSONSyntax

extension Manifest {
    /// Reads and checks a manifest. Everything that its text alone can tell is found in one run.
    ///
    /// Where the JSON itself is broken, more is told only as far as there is no doubt about its structure. A finding with the rule `unknownRequirement` is a refusal of its own kind (exit 77).
    /// - Returns: the manifest, or nil when an error among the diagnostics leaves none to follow; these are in the order of the text.
    package static func decode(
        _ source: SourceText, options: ManifestDecodingOptions = ManifestDecodingOptions()
    ) -> (manifest: Manifest?, diagnostics: [Diagnostic]) {
        var options = options
        options.keepsBundles = true
        let decoded = DecodedManifest(source, options: options)
        return (decoded.manifest, decoded.diagnostics)
    }
}

extension ManifestDraft {
    /// The rules that look at the manifest as a whole.
    /// - Parameter document: what it was read from.
    func check(_ document: JSONDocument, _ context: inout DecodingContext) {
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
        SourceRules(self, context.takeSources()).check(document, &context)
    }

    func manifest(_ bundles: [Bundle]) -> Manifest? {
        guard let id else { return nil }
        return Manifest(
            id: id, serial: serial, created: created, expires: expires?.value, mirrors: mirrors,
            bundles: bundles)
    }
}
