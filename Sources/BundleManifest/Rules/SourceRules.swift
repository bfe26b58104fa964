import Diagnostics
import JSONSyntax
import Platform

/// What the sources of all bundles tell together.
struct SourceRules {
    private let facts: SourceFacts
    private let mirrorCount: Int
    private let bundleCount: Int

    private static let digestOfNothing = SHA256Digest(
        lowercaseHex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")

    init(_ manifest: ManifestDraft, _ facts: SourceFacts) {
        self.facts = facts
        mirrorCount = manifest.mirrors.count
        bundleCount = manifest.bundles.count
    }

    func check(_ context: inout DecodingContext) {
        checkDigests(&context)
        checkBases(&context)
        tellSingleSources(&context)
    }

    private func checkDigests(_ context: inout DecodingContext) {
        let sized = facts.sized
        var digests = OrdinalTable(expecting: sized.count)
        for (ordinal, source) in sized.enumerated() {
            if source.digest == Self.digestOfNothing, source.sizeBytes > 0 {
                context.report(
                    .digestOfNothing, "this is the digest of an empty file, and the size is \(source.sizeBytes)",
                    at: source.place["sha256"] ?? source.place, hint: "take the digest again: sha256sum FILE")
            }
            let known = digests.insert(ordinal, hash: source.digest.hashValue) { sized[$0].digest == source.digest }
            guard let first = known.map({ sized[$0] }), first.sizeBytes != source.sizeBytes else { continue }
            context.report(
                .digestWithTwoSizes,
                "the same digest has the size \(source.sizeBytes) here and \(first.sizeBytes) elsewhere; one of them is wrong",
                at: source.place["size"] ?? source.place,
                notes: [
                    Diagnostic.Note(
                        "it is \(first.sizeBytes) here", at: (first.place["size"] ?? first.place).markedRange)
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
