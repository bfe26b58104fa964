/// Writes playlists: what `PlaylistParser` reads of the text is what was written.
package struct PlaylistWriter {
    var text = "#EXTM3U\n"

    /// The text of a playlist. I-frame streams and session keys are written as well; variables aren't, as all of them are replaced.
    package static func text(of playlist: Playlist) -> String {
        var writer = PlaylistWriter()
        switch playlist {
        case .master(let playlist): writer.write(playlist)
        case .media(let playlist): writer.write(playlist)
        }
        return writer.text
    }

    mutating func line(_ tag: PlaylistTag, _ value: String? = nil) {
        text += "#" + tag.rawValue
        if let value { text += ":" + value }
        text += "\n"
    }

    mutating func line(_ tag: PlaylistTag, _ attributes: AttributeList, uri: String? = nil) {
        var all = attributes.attributes
        if let uri { all.append(.init("URI", uri, isQuoted: true)) }
        line(tag, all.map { $0.name + "=" + ($0.isQuoted ? "\"\($0.value)\"" : $0.value) }.joined(separator: ","))
    }

    mutating func writeBasics(version: Int?, hasIndependentSegments: Bool, start: StartPoint?) {
        if let version { line(.version, String(version)) }
        if hasIndependentSegments { line(.independentSegments) }
        if let start {
            line(
                .start, "TIME-OFFSET=" + Self.seconds(start.offset) + (start.isPrecise ? ",PRECISE=YES" : ""))
        }
    }

    /// A decimal-floating-point number, exact.
    package static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let sign = duration < .zero ? "-" : ""
        guard attoseconds != 0 else { return sign + String(seconds.magnitude) }
        var digits = String(attoseconds.magnitude)
        digits = String(repeating: "0", count: 18 - digits.utf8.count) + digits
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        return "\(sign)\(seconds.magnitude).\(digits)"
    }

    static func attributes(of key: MediaKey) -> AttributeList {
        var attributes: [AttributeList.Attribute] = [
            .init("METHOD", key.method.name, isQuoted: false), .init("URI", key.uri, isQuoted: true),
        ]
        if let vector = key.initializationVector { attributes.append(.init("IV", "\(vector)", isQuoted: false)) }
        if key.format != MediaKey.identityFormat { attributes.append(.init("KEYFORMAT", key.format, isQuoted: true)) }
        if let versions = key.formatVersions {
            attributes.append(.init("KEYFORMATVERSIONS", versions, isQuoted: true))
        }
        return AttributeList(attributes)
    }
}
