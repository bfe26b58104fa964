import Platform
import Playlists

/// What was seen of a live presentation, as text that a later run goes on with: lines of its own, and playlists. It is written down in pieces, each of
/// which tells what is new: a presentation that is followed for days has no line written twice.
struct RecordedPresentation: Sendable, Equatable {
    struct Media: Sendable, Equatable {
        var followed: FollowedPlaylist
        /// When something new was listed last.
        var lastNews: Timestamp
    }

    /// A resource of which the copy has one file.
    struct ResourceName: Hashable, Sendable {
        let url: String
        let range: ByteRange?
    }

    /// By names that last longer than the playlists' URIs.
    var media: [String: Media]
    /// Names that stand for a later segment as well, as long as nobody has been told that it is the same.
    var repeated: Set<ResourceName>
    /// Whether nothing was missing when the recording came to its end.
    var isWhole: Bool

    private static let head = "#LARDER-RECORDING:"
    private static let repetition = "#LARDER-REPEATED:"
    private static let separator = "#LARDER-FOLLOWED:"

    init(media: [String: Media], repeated: Set<ResourceName>, isWhole: Bool) {
        (self.media, self.repeated, self.isWhole) = (media, repeated, isWhole)
    }

    /// How many segments one piece tells of at most.
    static let pieceSegments = 4_096

    /// What tells the difference to what was known before, in pieces that are as long as may be: each tells the difference to what those before it tell,
    /// and each alone leaves something that can be gone on with.
    /// - Parameter write: given each; they are made one at a time.
    func writePieces<Failure: Error>(
        since earlier: RecordedPresentation?, segments count: Int = pieceSegments,
        to write: (String) async throws(Failure) -> Void
    ) async throws(Failure) {
        var told = RecordedPresentation(media: earlier?.media ?? [:], repeated: repeated, isWhole: false)
        for (name, media) in media.sorted(by: { $0.key < $1.key }) {
            let known = told.media[name]?.followed.playlist.segments ?? []
            var end = media.followed.playlist.segments.commonPrefixCount(known)
            while media.followed.playlist.segments.count - end > count {
                end += count
                let before = told
                told.media[name] = Media(followed: media.followed.head(count: end), lastNews: media.lastNews)
                try await write(told.text(since: before))
            }
        }
        if self != told || earlier == nil { try await write(text(since: told.media.isEmpty ? nil : told)) }
    }

    /// What tells the difference to what was known before: of each playlist, what follows the segments that are the same.
    /// - Parameter earlier: nil: tells all of it.
    func text(since earlier: RecordedPresentation?) -> String {
        var text = Self.head + (isWhole ? "whole\n" : "unfinished\n")
        for name in repeated.sorted(by: { $0.url < $1.url }) {
            let range = name.range.map { "\($0.offset)+\($0.lengthBytes)" } ?? ""
            text += "\(Self.repetition)\(range) \(name.url)\n"
        }
        for (name, media) in media.sorted(by: { $0.key < $1.key }) {
            let known = earlier?.media[name]
            guard media != known else { continue }
            let count = media.followed.playlist.segments.commonPrefixCount(known?.followed.playlist.segments ?? [])
            text += "\(Self.separator)\(media.lastNews.seconds) \(name)\n"
            text += PlaylistWriter.text(of: .media(media.followed.tail(after: count)))
        }
        return text
    }

    /// Nil for what no run had written.
    /// - Parameter texts: each with the difference to what those before it tell.
    init?(_ texts: [String]) {
        (media, repeated, isWhole) = ([:], [], false)
        for text in texts where !take(text) { return nil }
        if media.isEmpty { return nil }
    }

    private mutating func take(_ text: String) -> Bool {
        let start = text.firstRange(of: Self.separator)?.lowerBound ?? text.endIndex
        let lines = text[..<start].split(separator: "\n")
        guard let first = lines.first, first.hasPrefix(Self.head) else { return false }
        isWhole = first == Self.head + "whole"
        repeated = []
        for line in lines.dropFirst() {
            guard let name = ResourceName(line.dropFirst(Self.repetition.count)) else { return false }
            repeated.insert(name)
        }
        for part in text[start...].components(startingWith: Self.separator) where !takeMedia(part) { return false }
        return true
    }

    private mutating func takeMedia(_ part: Substring) -> Bool {
        guard let lineEnd = part.firstIndex(of: "\n"), let space = part[..<lineEnd].firstIndex(of: " "),
            let seconds = Int64(part[..<space])
        else { return false }
        let bytes = Array(part[part.index(after: lineEnd)...].utf8)
        let context = PlaylistParser.Context(url: "", importableVariables: nil)
        guard case .media(let tail)? = PlaylistParser.parse(bytes, context).playlist else { return false }
        let name = String(part[part.index(after: space)..<lineEnd])
        let lastNews = Timestamp(seconds: seconds)
        guard var known = media.removeValue(forKey: name) else {
            media[name] = Media(followed: FollowedPlaylist(recorded: tail), lastNews: lastNews)
            return true
        }
        known.lastNews = lastNews
        guard known.followed.replaceTail(with: tail) else { return false }
        media[name] = known
        return true
    }
}

extension [MediaSegment] {
    /// How many of the first ones are the same.
    fileprivate func commonPrefixCount(_ other: [MediaSegment]) -> Int {
        zip(self, other).prefix { $0 == $1 }.count
    }
}

extension RecordedPresentation.ResourceName {
    /// - Parameter text: a range, if any, and behind a blank the URL.
    fileprivate init?(_ text: Substring) {
        guard let space = text.firstIndex(of: " ") else { return nil }
        url = String(text[text.index(after: space)...])
        guard space > text.startIndex else {
            range = nil
            return
        }
        let numbers = text[..<space].split(separator: "+").compactMap { Int64($0) }
        guard numbers.count == 2, let known = ByteRange(offset: numbers[0], lengthBytes: numbers[1]) else { return nil }
        range = known
    }
}

extension Substring {
    /// What follows each line that begins so, up to the next.
    fileprivate func components(startingWith mark: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self
        while rest.hasPrefix(mark) {
            rest = rest.dropFirst(mark.count)
            let end = rest.firstRange(of: "\n" + mark).map { rest.index(after: $0.lowerBound) } ?? rest.endIndex
            parts.append(rest[..<end])
            rest = rest[end...]
        }
        return parts
    }
}
