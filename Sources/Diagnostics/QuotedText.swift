import Platform

extension StringProtocol {
    /// The text in double quotes for a message: made safe to print, cut after `maximumScalars`, and without the secrets of a URL, which may
    /// stand where nobody expects one.
    package func quotedForMessage(maximumScalars: Int = 80) -> String {
        let shown = String(
            String.UnicodeScalarView(unicodeScalars.prefix(maximumScalars + SecretRanges.longestSecretBytes))
        )
        .withoutSecrets.unicodeScalars
        let kept = shown.prefix(maximumScalars)
        let ellipsis = kept.endIndex < shown.endIndex ? "…" : ""
        return "\"" + escapedText(String(String.UnicodeScalarView(kept))) + ellipsis + "\""
    }
}

extension String {
    /// With three stars for each secret that its text gives away.
    fileprivate var withoutSecrets: String {
        guard utf8.contains(where: { "@=".utf8.contains($0) }) else { return self }
        let bytes = Array(utf8)
        let ranges = SecretRanges(SourceText(name: "", bytes: bytes), []).ranges(in: 0..<bytes.count)
        var result: [UInt8] = []
        var offset = 0
        for range in ranges {
            result += bytes[offset..<range.lowerBound] + Array("***".utf8)
            offset = range.upperBound
        }
        return String(decoding: result + bytes[offset...], as: UTF8.self)
    }
}
