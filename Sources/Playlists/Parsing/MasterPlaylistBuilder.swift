import Diagnostics
import Platform

/// Makes a master playlist of its tags, one after the other.
struct MasterPlaylistBuilder {
    private(set) var playlist = MasterPlaylist()
    /// A variant whose URI is the next line.
    private var pending: (attributes: TagAttributes, place: Range<Int>)?

    mutating func take(_ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout PlaylistReader) {
        guard let attributes = reader.attributes(value) else { return }
        switch tag {
        case .streamInformation:
            reportVariantWithoutURI(&reader)
            pending = (attributes, value)
        case .iFrameStream:
            guard let uri = attributes.required("URI", of: tag, &reader) else { return }
            append(variant(uri, attributes, &reader), to: \.iFrameStreams, value, &reader)
        case .media: takeRendition(attributes, value, &reader)
        case .sessionData: takeSessionData(attributes, value, &reader)
        case .sessionKey:
            guard case .success(.some(let key)) = reader.key(attributes, of: tag) else { return }
            append(key, to: \.sessionKeys, value, &reader)
        default: break
        }
    }

    mutating func takeURI(_ range: Range<Int>, _ reader: inout PlaylistReader) {
        guard let (attributes, _) = pending else {
            reader.report(
                .uriWithoutVariant, "no #EXT-X-STREAM-INF stands before the URI: it counts for nothing", at: range)
            return
        }
        pending = nil
        guard let uri = reader.lineURI(range) else { return }
        append(variant(uri, attributes, &reader), to: \.variants, range, &reader)
    }

    private mutating func append<Choice>(
        _ choice: Choice, to list: WritableKeyPath<MasterPlaylist, [Choice]>, _ place: Range<Int>,
        _ reader: inout PlaylistReader
    ) {
        let limit = reader.limits.choices
        guard playlist[keyPath: list].count < limit else {
            reader.report(.tooLarge, "there are more than \(limit) choices", at: place)
            return
        }
        playlist[keyPath: list].append(choice)
    }

    private func variant(_ uri: String, _ attributes: TagAttributes, _ reader: inout PlaylistReader) -> Variant {
        let bandwidth = attributes.number("BANDWIDTH", &reader)
        if bandwidth == nil { reader.report(.incompleteVariant, "the variant has no BANDWIDTH", at: attributes.range) }
        let size = attributes.entry("RESOLUTION")
        let pictureSize = size.flatMap { PictureSize($0.attribute.value) }
        if let size, pictureSize == nil {
            reader.report(
                .looseValue, "the resolution is not written as WIDTHxHEIGHT, and counts for nothing", at: size.range)
        }
        let codecs = (attributes.value("CODECS") ?? "").split(separator: ",").map(Self.withoutBlanks)
        return Variant(
            uri: uri, attributes: attributes.list.without("URI"), bandwidth: bandwidth ?? 0,
            codecs: codecs, pictureSize: pictureSize, frameRate: frameRate(attributes, &reader))
    }

    private static func withoutBlanks(_ text: Substring) -> String { text.filter { $0 != " " } }

    private func frameRate(_ attributes: TagAttributes, _ reader: inout PlaylistReader) -> Double? {
        guard let entry = attributes.entry("FRAME-RATE") else { return nil }
        guard let rate = reader.text.seconds(entry.range), rate > .zero else {
            reader.report(.looseValue, "the frame rate is no number, and counts for nothing", at: entry.range)
            return nil
        }
        return rate / .seconds(1)
    }

    private mutating func takeRendition(
        _ attributes: TagAttributes, _ place: Range<Int>, _ reader: inout PlaylistReader
    ) {
        guard let type = attributes.required("TYPE", of: .media, &reader),
            let group = attributes.required("GROUP-ID", of: .media, &reader)
        else { return }
        guard let kind = Rendition.Kind(rawValue: type) else {
            reader.report(
                .looseValue, "\(type.quotedForMessage()) is no type of rendition: it counts for nothing", at: place)
            return
        }
        if attributes.value("NAME") == nil {
            reader.report(.incompleteVariant, "the rendition has no NAME", at: attributes.range)
        }
        let isDefault = attributes.flag("DEFAULT", &reader)
        let rendition = Rendition(
            group: RenditionGroup(kind: kind, name: group), name: attributes.value("NAME") ?? "",
            language: attributes.value("LANGUAGE"),
            isDefault: isDefault, isAutoselected: attributes.flag("AUTOSELECT", &reader) || isDefault,
            uri: attributes.value("URI"), attributes: attributes.list.without("URI"))
        append(rendition, to: \.renditions, place, &reader)
    }

    private mutating func takeSessionData(
        _ attributes: TagAttributes, _ place: Range<Int>, _ reader: inout PlaylistReader
    ) {
        guard attributes.required("DATA-ID", of: .sessionData, &reader) != nil else { return }
        let uri = attributes.value("URI")
        guard (attributes.value("VALUE") == nil) != (uri == nil) else {
            reader.report(.badAttributes, "session data has either a VALUE or a URI", at: place)
            return
        }
        let data = SessionData(uri: uri, attributes: attributes.list.without("URI"))
        append(data, to: \.sessionData, place, &reader)
    }

    private func reportVariantWithoutURI(_ reader: inout PlaylistReader) {
        guard let (_, place) = pending else { return }
        reader.report(
            .variantWithoutURI, "no URI follows this #EXT-X-STREAM-INF: the variant is left out", at: place)
    }

    mutating func finish(_ reader: inout PlaylistReader) -> MasterPlaylist {
        reportVariantWithoutURI(&reader)
        let groups = Set(playlist.renditions.map(\.group))
        for group in playlist.variants.flatMap(\.groups) where !groups.contains(group) {
            reader.report(
                .missingGroup,
                "the \(group.kind.rawValue) group \(group.name.quotedForMessage()) of a variant has no renditions",
                at: 0..<0)
        }
        return playlist
    }
}
