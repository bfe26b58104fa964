/// The parts of a text that nobody should get to see: what findings name as secret, and what looks like a login, a signature or a token.
package struct SecretRanges: Sendable {
    private let source: SourceText
    /// In the order of the text.
    private let told: [SourceRange]

    /// How far around a part is looked for what begins or ends there: signed URLs and tokens are long, and looking on would cost more than it
    /// finds.
    static let longestSecretBytes = 8192

    /// - Parameter diagnostics: all that is known about the text: what one of them keeps secret may stand on the line of another.
    package init(_ source: SourceText, _ diagnostics: [Diagnostic]) {
        self.source = source
        told = diagnostics.compactMap(\.secret).sorted { $0.start < $1.start }
    }

    /// Those in a part of the text, in order, and apart from each other.
    package func ranges(in part: Range<Int>) -> [Range<Int>] {
        let named = told.lazy.filter { $0.end > part.lowerBound && $0.start < part.upperBound }.map {
            $0.start..<$0.end
        }
        let start = max(part.lowerBound - Self.longestSecretBytes, 0)
        let scan = SecretScan(
            source.bytes, in: start..<min(part.upperBound + Self.longestSecretBytes, source.bytes.count))
        let found = scan.logins() + scan.signedQueries() + scan.headerValues()
        var apart: [Range<Int>] = []
        for range in (named + found).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let start = max(range.lowerBound, apart.last?.upperBound ?? part.lowerBound)
            let end = min(range.upperBound, part.upperBound)
            if start < end { apart.append(start..<end) }
        }
        return apart
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
