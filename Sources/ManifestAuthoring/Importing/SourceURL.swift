import BundleManifest
import Platform

/// Whether a URL that a list names can be one of a manifest.
enum SourceURL {
    struct Refusal: Error {
        let why: String
        var isPassword = false
    }

    /// - Parameter takesRelative: whether there is something to resolve relative references against.
    /// - Returns: the URL without a fragment, which is never sent, and with what can't stand in a URL percent-encoded (RFC 3987 §3.1).
    static func usable(_ text: String, takesRelative: Bool) throws(Refusal) -> String {
        guard let encoded = URLCharacters.percentEncoded(withoutFragment(text)) else {
            throw Refusal(why: "\(shownURL(text)) has a backslash or control characters")
        }
        let isAbsolute: Bool
        do throws(Problem) { isAbsolute = try URLRules.check(encoded, allowsFileURLs: false).isAbsolute } catch {
            let isPassword = URLParts(encoded).authority?.contains("@") == true
            throw Refusal(why: "\(shownURL(text)): \(error.message)", isPassword: isPassword)
        }
        guard isAbsolute || takesRelative else {
            throw Refusal(why: "\(shownURL(text)) is no http or https URL; --base says what relative ones belong to")
        }
        return encoded
    }

    /// Why a word of a list of lines is no URL that somebody wrote there on purpose; nil where it may be.
    static func whiteSpace(in text: String) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { return nil }
        let shown = shownURL(text)
        return (shown.isEmpty ? "a word" : shown)
            + " has white space in it: in a URL that is %20, and a remark has a line of its own"
    }

    /// The last component of the path, decoded; empty where that names a folder.
    static func name(in url: String) -> String {
        let path = URLParts(url).path
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return String(decoding: percentDecoded(path[start...].utf8), as: UTF8.self)
    }

    /// Whether it names what is fetched from peers, and not the file: a magnet link or a torrent.
    static func isForPeers(_ text: String) -> Bool {
        let parts = URLParts(text)
        return parts.scheme?.lowercased() == "magnet" || parts.path.suffix(8).lowercased() == ".torrent"
    }

    private static func withoutFragment(_ text: String) -> String {
        text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[..<$0]) } ?? text
    }
}
