/// Which renditions go with the variants that are kept (RFC 8216 §4.3.4.2.1).
struct RenditionChoice {
    private let selection: VariantSelection
    private let played: Set<RenditionGroup>
    /// Of each group what a player takes unless it is told otherwise.
    private let defaults: [RenditionGroup: Rendition]

    init(of variants: [Variant], in master: MasterPlaylist, by selection: VariantSelection) {
        self.selection = selection
        played = Set(variants.flatMap(\.groups))
        defaults = Dictionary(master.renditions.map { ($0.group, $0) }) { first, second in
            Self.preference(second) > Self.preference(first) ? second : first
        }
    }

    /// The default one, or else what a player may take by itself, or else the first.
    private static func preference(_ rendition: Rendition) -> Int {
        rendition.isDefault ? 2 : rendition.isAutoselected ? 1 : 0
    }

    func keeps(_ rendition: Rendition) -> Bool {
        if selection.takesAll { return true }
        guard played.contains(rendition.group) else { return false }
        switch rendition.kind {
        // They stand in the segments, and cost nothing.
        case .closedCaptions: return true
        case .audio where !selection.audio.isEmpty: return isWanted(rendition, selection.audio)
        case .subtitles where !selection.subtitles.isEmpty: return isWanted(rendition, selection.subtitles)
        case .subtitles: return rendition.isDefault
        case .audio, .video: return rendition == defaults[rendition.group]
        }
    }

    /// The first language that is wished for, and that nothing kept is in. Sound that has no group of its own is in the segments, and tells no
    /// language.
    func missingLanguage(_ kind: Rendition.Kind, _ languages: [String], among kept: [Rendition]) -> String? {
        guard kind != .audio || played.contains(where: { $0.kind == .audio }) else { return nil }
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
}
