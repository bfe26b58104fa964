/// Which renditions go with the variants that are kept (RFC 8216 §4.3.4.2.1).
struct RenditionChoice {
    let variants: [Variant]
    let selection: VariantSelection

    /// Why a rendition is not kept; nil when it is.
    func objection(to rendition: Rendition, in master: MasterPlaylist) -> PlaylistChoice.Reason? {
        if selection.takesAll { return nil }
        guard variants.contains(where: { $0.group(rendition.kind) == rendition.groupID }) else {
            return .groupNotPlayed
        }
        switch rendition.kind {
        // They stand in the segments, and cost nothing.
        case .closedCaptions: return nil
        case .audio where !selection.audio.isEmpty:
            return isWanted(rendition, selection.audio) ? nil : .languageNotWanted
        case .subtitles where !selection.subtitles.isEmpty:
            return isWanted(rendition, selection.subtitles) ? nil : .languageNotWanted
        case .subtitles: return rendition.isDefault ? nil : .notDefault
        case .audio, .video: return rendition == Self.default(of: rendition, in: master) ? nil : .notDefault
        }
    }

    /// The first language that is wished for, and that nothing kept is in. Sound that has no group of its own is in the segments, and tells no
    /// language.
    func missingLanguage(_ kind: Rendition.Kind, _ languages: [String], among kept: [Rendition]) -> String? {
        guard kind != .audio || variants.contains(where: { $0.group(.audio) != nil }) else { return nil }
        return languages.first { language in !kept.contains { $0.kind == kind && isWanted($0, [language]) } }
    }

    /// `en` takes `en` and `en-US`, but not `enm` (RFC 4647 §3.3.1).
    private func isWanted(_ rendition: Rendition, _ languages: [String]) -> Bool {
        guard let language = rendition.language?.lowercased() else { return false }
        return languages.contains { range in
            let range = range.lowercased()
            return language == range || language.hasPrefix(range + "-")
        }
    }

    /// Of the group that a rendition belongs to: the default one, or else what a player may take by itself, or else the first.
    private static func `default`(of rendition: Rendition, in master: MasterPlaylist) -> Rendition? {
        let group = master.renditions.filter { $0.kind == rendition.kind && $0.groupID == rendition.groupID }
        return group.first(where: \.isDefault) ?? group.first(where: \.isAutoselected) ?? group.first
    }
}
