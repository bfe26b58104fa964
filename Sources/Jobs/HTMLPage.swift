/// A page for people, which some networks and servers send in the place of anything else, with status 200.
package enum HTMLPage {
    /// What is told of one.
    /// - Parameter due: what should have come.
    static func found(insteadOf due: String) -> String {
        "an HTML page came instead of \(due): the network may want a login (a captive portal), or the URL may be wrong"
    }

    /// How much of a beginning is looked at.
    package static let headBytes = 512

    /// Whether a page is what a file of this name should be.
    package static func isDue(for name: String) -> Bool {
        [".html", ".htm", ".xhtml"].contains(where: name.lowercased().hasSuffix)
    }

    /// Whether a file that begins like this is such a page.
    package static func begins(_ head: [UInt8]) -> Bool {
        let text = String(decoding: head, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }
}
