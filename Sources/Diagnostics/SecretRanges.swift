/// The parts of a text that nobody should get to see: what findings name as secret, and logins in URLs, which are there too where a text is
/// too broken, or has too many findings, for each to be told.
struct SecretRanges: Sendable {
    private let source: SourceText
    /// In the order of the text.
    private let told: [SourceRange]

    /// A login is no longer than this; looking on would cost more than it finds.
    private static let longestLoginBytes = 1024

    /// - Parameter diagnostics: all that is known about the text: what one of them keeps secret may stand on the line of another.
    init(_ source: SourceText, _ diagnostics: [Diagnostic]) {
        self.source = source
        told = diagnostics.compactMap(\.secret).sorted { $0.start < $1.start }
    }

    /// Those in a part of the text, in order, and apart from each other.
    func ranges(in part: Range<Int>) -> [Range<Int>] {
        let named = told.lazy.filter { $0.end > part.lowerBound && $0.start < part.upperBound }.map {
            $0.start..<$0.end
        }
        var apart: [Range<Int>] = []
        for range in (named + logins(around: part)).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let start = max(range.lowerBound, apart.last?.upperBound ?? part.lowerBound)
            let end = min(range.upperBound, part.upperBound)
            if start < end { apart.append(start..<end) }
        }
        return apart
    }

    /// What stands between `//` and `@`.
    private func logins(around part: Range<Int>) -> [Range<Int>] {
        let bytes = source.bytes
        let end = min(part.upperBound + Self.longestLoginBytes, bytes.count)
        var found: [Range<Int>] = []
        var start: Int?
        for offset in max(part.lowerBound - Self.longestLoginBytes, 0)..<end {
            switch bytes[offset] {
            case UInt8(ascii: "/"):
                start = offset > 0 && bytes[offset - 1] == UInt8(ascii: "/") ? offset + 1 : nil
            case UInt8(ascii: "@"):
                guard let login = start, login < offset else { continue }
                // A password may have another @ in it.
                if found.last?.lowerBound == login { found.removeLast() }
                found.append(login..<offset)
            case UInt8(ascii: "\""), UInt8(ascii: "?"), UInt8(ascii: "#"), 0...0x20:
                start = nil
            default:
                continue
            }
        }
        return found
    }
}

extension SourceText {
    /// The bytes with stars in the place of what nobody should get to see, as many as there are bytes.
    /// - Parameter diagnostics: all that is known about the text.
    package func masked(_ diagnostics: [Diagnostic]) -> [UInt8] {
        var masked = bytes
        for range in SecretRanges(self, diagnostics).ranges(in: 0..<bytes.count) {
            for offset in range where bytes[offset] != UInt8(ascii: "\n") { masked[offset] = UInt8(ascii: "*") }
        }
        return masked
    }
}
