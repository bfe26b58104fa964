import Diagnostics
import Platform

/// The part of a presentation that is kept.
package struct PlaylistChoice: Equatable, Sendable {
    /// A variant and those that say the same of themselves: sources of one thing.
    package struct ChosenVariant: Equatable, Sendable {
        package let variant: Variant
        package let mirrors: [Variant]
    }

    package enum Reason: String, Sendable {
        case bandwidthTooHigh = "its bandwidth is above maxBandwidth"
        case bandwidthTooLow = "its bandwidth is below minBandwidth"
        case pictureTooLarge = "its picture is larger than resolution"
        case frameRateTooHigh = "its frame rate is above frameRate"
        case codecNotWanted = "one of its codecs is not among codecs"
    }

    /// A variant that is not among those to choose from.
    package struct LeftOut: Equatable, Sendable {
        package let uri: String
        package let reason: Reason
    }

    package let variants: [ChosenVariant]
    /// Each once, in the order of the master playlist.
    package let renditions: [Rendition]

    /// Chooses by `selection`.
    package init(from master: MasterPlaylist, by selection: VariantSelection) throws(ChoiceProblem) {
        let variants = try Self.variants(of: Self.merged(master.variants), by: selection)
        let played = RenditionChoice(of: variants.map(\.variant), in: master, by: selection)
        let renditions = master.renditions.filter(played.keeps)
        for (kind, languages) in [(Rendition.Kind.audio, selection.audio), (.subtitles, selection.subtitles)]
        where !selection.takesAll {
            if let missing = played.missingLanguage(kind, languages, among: renditions) {
                throw .noSuchLanguage(missing, kind)
            }
        }
        self.variants = variants
        self.renditions = renditions
    }

    private static func variants(
        of offered: [ChosenVariant], by selection: VariantSelection
    ) throws(ChoiceProblem) -> [ChosenVariant] {
        if selection.takesAll, !offered.isEmpty { return offered }
        var fitting: [ChosenVariant] = []
        var leftOut: [LeftOut] = []
        for chosen in offered {
            if let reason = selection.objection(to: chosen.variant) {
                leftOut.append(LeftOut(uri: chosen.variant.uri, reason: reason))
            } else {
                fitting.append(chosen)
            }
        }
        // Of several with the same bandwidth the first: it is the author's preference.
        let highest = fitting.map(\.variant.bandwidth).max()
        guard let best = fitting.first(where: { $0.variant.bandwidth == highest }) else { throw .nothingFits(leftOut) }
        return [best]
    }

    /// Variants with equal attributes are the same from another place (RFC 8216 §6.2.4).
    private static func merged(_ variants: [Variant]) -> [ChosenVariant] {
        var order: [[String]] = []
        var members: [[String]: [Variant]] = [:]
        for variant in variants {
            let signature = variant.signature
            if members[signature] == nil { order.append(signature) }
            members[signature, default: []].append(variant)
        }
        return order.compactMap { signature in
            guard let all = members[signature], let first = all.first else { return nil }
            return ChosenVariant(variant: first, mirrors: Array(all.dropFirst()))
        }
    }
}

extension Variant {
    /// What it says of itself but for where it is. The pathways of content steering have groups of their own.
    fileprivate var signature: [String] {
        var ignored: Set = ["PATHWAY-ID", "STABLE-VARIANT-ID"]
        if attributes["PATHWAY-ID"] != nil { ignored.formUnion(Rendition.Kind.allCases.map(\.rawValue)) }
        return attributes.attributes.filter { !ignored.contains($0.name) }.map { "\($0.name)=\($0.value)" }.sorted()
    }
}

/// Why nothing of a presentation can be kept.
package enum ChoiceProblem: Error, Equatable, CustomStringConvertible {
    case nothingFits([PlaylistChoice.LeftOut])
    case noSuchLanguage(String, Rendition.Kind)

    package var description: String {
        switch self {
        case .nothingFits(let leftOut) where leftOut.isEmpty: "the master playlist has no variants"
        case .nothingFits(let leftOut):
            "no variant fits what select asks for: "
                + leftOut.prefix(5).map { "\(shownURL($0.uri).quotedForMessage()): \($0.reason.rawValue)" }.joined(
                    separator: "; ")
        case .noSuchLanguage(let language, let kind):
            "no \(kind.rawValue.lowercased()) are there in \(language.quotedForMessage()) for the variant that is kept"
        }
    }
}
