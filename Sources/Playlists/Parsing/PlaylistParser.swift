import Diagnostics

/// Reads a playlist (RFC 8216, draft-pantos-hls-rfc8216bis) line by line, in one pass.
package struct PlaylistParser {
    /// What a playlist depends on beside its text.
    package struct Context: Sendable {
        /// Where it was read from, after redirects: `EXT-X-DEFINE:QUERYPARAM` looks there.
        package var url: String
        /// The variables of the master playlist that named it; nil for a playlist that none named.
        package var importableVariables: [String: String]?
        package var limits = PlaylistLimits()

        package init(url: String, importableVariables: [String: String]? = nil) {
            self.url = url
            self.importableVariables = importableVariables
        }
    }

    /// What became of a text.
    package struct Outcome: Sendable {
        /// Nil when a finding is an error.
        package let playlist: Playlist?
        /// In the order of the text.
        package let diagnostics: [Diagnostic]
    }

    private let context: Context
    private var reader: PlaylistReader
    private var media = MediaPlaylistBuilder()
    private var master = MasterPlaylistBuilder()
    /// Known from the first tag that only one kind has.
    private var owner = PlaylistTag.Owner.either
    private var isMixed = false
    private var version: Int?
    private var hasIndependentSegments = false
    private var start: StartPoint?

    private init(_ bytes: [UInt8], _ context: Context) {
        self.context = context
        reader = PlaylistReader(bytes, limits: context.limits)
    }

    package static func parse(_ bytes: [UInt8], _ context: Context) -> Outcome {
        var parser = PlaylistParser(bytes, context)
        let playlist = parser.parse()
        let diagnostics = parser.reader.findings.diagnostics.sortedByPosition()
        return Outcome(playlist: diagnostics.hasErrors ? nil : playlist, diagnostics: diagnostics)
    }

    private mutating func parse() -> Playlist? {
        let text = reader.text
        let end = text.bytes.count
        guard end <= context.limits.textBytes else {
            reader.report(.tooLarge, "the playlist is larger than \(context.limits.textBytes) bytes", at: 0..<0)
            return nil
        }
        guard let beginning = skipHeader() else { return nil }
        if let control = text.firstControlCharacter() {
            let what = text.bytes[control] == 0x0D ? "a CR that no LF follows" : "a control character"
            reader.report(.controlCharacter, "\(what) can't stand in a playlist", at: control..<control + 1)
            return nil
        }
        var lines = PlaylistLines(text, from: beginning)
        while let line = lines.next() { take(line) }
        return finish(at: end)
    }

    // MARK: Lines

    private mutating func take(_ line: Range<Int>) {
        let content = reader.text.trimmed(line)
        guard !content.isEmpty else {
            if content != line { reader.report(.blanks, "the line has nothing but blanks", at: line) }
            return
        }
        guard content.count <= context.limits.lineBytes else {
            reader.report(.tooLarge, "the line is longer than \(context.limits.lineBytes) bytes", at: line)
            return
        }
        let isHash = reader.text.bytes[content.lowerBound] == UInt8(ascii: "#")
        if content.lowerBound != line.lowerBound || (!isHash && content != line) {
            reader.report(.blanks, "blanks around the line are left out", at: line)
        }
        if isHash { takeTag(content) } else { takeURI(content) }
    }

    private mutating func takeTag(_ line: Range<Int>) {
        guard reader.text.hasPrefix("#EXT", in: line) else { return }
        let colon = reader.text.first(UInt8(ascii: ":"), in: line)
        let name = line.lowerBound + 1..<(colon ?? line.upperBound)
        guard let tag = tag(name) else { return }
        let value = (colon.map { $0 + 1 } ?? line.upperBound)..<line.upperBound
        guard belongs(tag, line) else { return }
        switch tag.owner {
        case .media: media.take(tag, value, &reader)
        case .master: master.take(tag, value, &reader)
        case .either: takeBasicTag(tag, value)
        }
    }

    private func tag(_ name: Range<Int>) -> PlaylistTag? {
        // Most lines are of this one.
        if name.count == 6, reader.text.hasPrefix("EXTINF", in: name) { return .segmentDuration }
        return PlaylistTag.byName[reader.text.text(name)]
    }

    /// A playlist is of one kind (RFC 8216 §4.1).
    private mutating func belongs(_ tag: PlaylistTag, _ line: Range<Int>) -> Bool {
        guard tag.owner != .either, tag.owner != owner else { return true }
        if owner == .either {
            owner = tag.owner
            return true
        }
        if !isMixed {
            reader.report(.mixedKinds, "#\(tag.rawValue) belongs into a playlist of the other kind", at: line)
        }
        isMixed = true
        return false
    }

    private mutating func takeURI(_ line: Range<Int>) {
        switch owner {
        case .master: master.takeURI(line, &reader)
        case .media, .either: media.takeURI(line, &reader)
        }
    }

    // MARK: Tags of both kinds

    private mutating func takeBasicTag(_ tag: PlaylistTag, _ value: Range<Int>) {
        switch tag {
        case .version: takeVersion(value)
        case .independentSegments: hasIndependentSegments = true
        case .start: takeStart(value)
        case .define: takeDefinition(value)
        default: break
        }
    }

    private mutating func takeVersion(_ value: Range<Int>) {
        guard let number = reader.text.decimal(reader.text.trimmed(value)), let number = Int(exactly: number) else {
            reader.report(.looseValue, "the version is no whole number, and counts for nothing", at: value)
            return
        }
        version = number
    }

    private mutating func takeStart(_ value: Range<Int>) {
        guard let attributes = reader.attributes(value) else { return }
        guard let entry = attributes.entry("TIME-OFFSET"), let offset = reader.text.seconds(entry.range) else {
            reader.report(.looseValue, "the start has no TIME-OFFSET in seconds, and counts for nothing", at: value)
            return
        }
        start = StartPoint(offset: offset, isPrecise: attributes.flag("PRECISE", &reader))
    }

    /// `NAME` with `VALUE`, `IMPORT` or `QUERYPARAM` (draft-pantos-hls-rfc8216bis §4.4.2.3).
    private mutating func takeDefinition(_ value: Range<Int>) {
        guard let attributes = reader.attributes(value) else { return }
        let sources = ["NAME", "IMPORT", "QUERYPARAM"].filter { attributes.entry($0) != nil }
        guard sources.count == 1, let source = sources.first, let name = attributes.value(source),
            VariableTable.isName(name)
        else {
            reader.report(.badDefinition, "a definition has one of NAME, IMPORT and QUERYPARAM, with a name", at: value)
            return
        }
        guard let content = definedValue(name, from: source, attributes) else { return }
        guard reader.variables.values.count < context.limits.variables else {
            reader.report(.tooLarge, "there are more than \(context.limits.variables) variables", at: value)
            return
        }
        if !reader.variables.define(name, as: content) {
            reader.report(.badDefinition, "the variable \(name.quotedForMessage()) is defined already", at: value)
        }
    }

    private mutating func definedValue(_ name: String, from source: String, _ attributes: TagAttributes) -> String? {
        switch source {
        case "NAME":
            if let value = attributes.value("VALUE") { return value }
            reader.report(.badDefinition, "the variable \(name.quotedForMessage()) has no VALUE", at: attributes.range)
        case "IMPORT":
            if let value = context.importableVariables?[name] { return value }
            reader.report(
                .badDefinition, "the master playlist doesn't define \(name.quotedForMessage())", at: attributes.range)
        default:
            if let value = VariableTable.queryParameter(name, of: context.url) { return value }
            reader.report(
                .badDefinition, "the playlist's URL has no usable parameter \(name.quotedForMessage())",
                at: attributes.range)
        }
        return nil
    }

    // MARK: Beginning and end

    /// Where the first line after `#EXTM3U` begins (RFC 8216 §4.3.1.1); nil, and told, where there is none.
    private mutating func skipHeader() -> Int? {
        let text = reader.text
        if text.bytes.starts(with: [0x1F, 0x8B]) {
            reader.report(.compressed, "the text is compressed with gzip", at: 0..<2)
            return nil
        }
        var start = 0
        if text.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            reader.report(.byteOrderMark, "the text begins with a byte order mark", at: 0..<3)
            start = 3
        }
        var lines = PlaylistLines(text, from: start)
        while let line = lines.next() {
            let content = text.trimmed(line)
            if content.count == 7, text.hasPrefix("#EXTM3U", in: content) {
                if line.lowerBound != start {
                    reader.report(.lateHeader, "something stands before #EXTM3U", at: start..<line.lowerBound)
                }
                return lines.position
            }
            let isComment = text.hasPrefix("#", in: content) && !text.hasPrefix("#EXT", in: content)
            guard content.isEmpty || isComment else { break }
        }
        let isBareCR = text.hasPrefix("#EXTM3U\r", in: start..<text.bytes.count)
        reader.report(
            isBareCR ? .controlCharacter : .noHeader,
            isBareCR
                ? "a CR that no LF follows ends no line" : "the text is no playlist: it doesn't begin with #EXTM3U",
            at: start..<min(start + 7, text.bytes.count))
        return nil
    }

    private mutating func finish(at end: Int) -> Playlist? {
        switch owner {
        case .master:
            var playlist = master.finish(&reader)
            playlist.version = version
            playlist.hasIndependentSegments = hasIndependentSegments
            playlist.start = start
            playlist.variables = reader.variables.values
            return .master(playlist)
        case .media:
            var playlist = media.finish(at: end, &reader)
            playlist.version = version
            playlist.hasIndependentSegments = hasIndependentSegments
            playlist.start = start
            return .media(playlist)
        case .either:
            reader.report(.noContent, "the playlist has neither variants nor segments", at: end..<end)
            return nil
        }
    }
}
