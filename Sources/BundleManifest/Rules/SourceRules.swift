import Diagnostics
import JSONSyntax

/// What the sources of all bundles tell together.
struct SourceRules {
    private let facts: SourceFacts
    private let mirrorCount: Int
    private let bundleCount: Int

    init(_ manifest: ManifestDraft, _ facts: SourceFacts) {
        self.facts = facts
        mirrorCount = manifest.mirrors.count
        bundleCount = manifest.bundles.count
    }

    /// - Parameter document: what the sources were read from.
    func check(_ document: JSONDocument, _ context: inout DecodingContext) {
        checkDigests(document, &context)
        checkBases(&context)
        tellSingleSources(&context)
    }

    private func checkDigests(_ document: JSONDocument, _ context: inout DecodingContext) {
        let sized = facts.sized
        var digests = OrdinalTable(expecting: sized.count)
        for (ordinal, source) in sized.enumerated() {
            let hash = source.digestHash
            let known = digests.insert(ordinal, hash: hash) { sized[$0].digestHash == hash }
            guard let first = known.map({ sized[$0] }), first.sizeBytes != source.sizeBytes else { continue }
            let (earlier, place) = (document.value(at: first.place), document.value(at: source.place))
            // Equal hashes make nothing certain.
            guard earlier["sha256"]?.string == place["sha256"]?.string else { continue }
            context.report(
                .digestWithTwoSizes,
                "the same digest has the size \(source.sizeBytes) here and \(first.sizeBytes) elsewhere; one of them is wrong",
                at: place["size"] ?? place,
                notes: [
                    Diagnostic.Note("it is \(first.sizeBytes) here", at: (earlier["size"] ?? earlier).markedRange)
                ])
        }
    }

    private func checkBases(_ context: inout DecodingContext) {
        guard !context.options.hasBase, mirrorCount == 0, let place = facts.bundlesWithRelativeURLs.first else {
            return
        }
        context.report(
            .nothingToResolve, "this bundle has relative URLs, and the manifest neither mirrors nor a place of its own",
            at: place, hint: "add \"mirrors\", or give --base URL")
    }

    /// A relative URL is as many as there are mirrors; without any, one beside the manifest.
    private func tellSingleSources(_ context: inout DecodingContext) {
        let single = mirrorCount < 2 ? facts.bundlesWithSingleURLs : facts.bundlesWithSingleAbsoluteURLs
        guard let place = single.first else { return }
        context.report(
            .singleSource,
            "\(single.count) of \(bundleCount) bundles can be had from one place only; this is the first",
            at: place, hint: "a second URL, or a second mirror, helps while a server is down")
    }
}
