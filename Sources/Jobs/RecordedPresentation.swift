import Platform
import Playlists

/// What was seen of a live presentation, as a file that a later run goes on with: lines of its own, and the playlists.
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

    var text: String {
        var text = Self.head + (isWhole ? "whole\n" : "unfinished\n")
        for name in repeated.sorted(by: { $0.url < $1.url }) {
            let range = name.range.map { "\($0.offset)+\($0.lengthBytes)" } ?? ""
            text += "\(Self.repetition)\(range) \(name.url)\n"
        }
        for (name, media) in media.sorted(by: { $0.key < $1.key }) {
            text += "\(Self.separator)\(media.lastNews.seconds) \(name)\n"
            text += PlaylistWriter.text(of: .media(media.followed.playlist))
        }
        return text
    }

    init(media: [String: Media], repeated: Set<ResourceName>, isWhole: Bool) {
        (self.media, self.repeated, self.isWhole) = (media, repeated, isWhole)
    }

    /// Nil for what no run had written.
    init?(_ text: String) {
        guard text.hasPrefix(Self.head), let start = text.firstRange(of: Self.separator)?.lowerBound else { return nil }
        let lines = text[..<start].split(separator: "\n")
        isWhole = lines.first == Self.head + "whole"
        repeated = []
        for line in lines.dropFirst() {
            guard let name = ResourceName(line.dropFirst(Self.repetition.count)) else { return nil }
            repeated.insert(name)
        }
        media = [:]
        for part in text[start...].components(startingWith: Self.separator) {
            guard let lineEnd = part.firstIndex(of: "\n"), let space = part[..<lineEnd].firstIndex(of: " "),
                let seconds = Int64(part[..<space])
            else { return nil }
            let bytes = Array(part[part.index(after: lineEnd)...].utf8)
            let context = PlaylistParser.Context(url: "", importableVariables: nil)
            guard case .media(let playlist)? = PlaylistParser.parse(bytes, context).playlist else { return nil }
            media[String(part[part.index(after: space)..<lineEnd])] = Media(
                followed: FollowedPlaylist(recorded: playlist), lastNews: Timestamp(seconds: seconds))
        }
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
