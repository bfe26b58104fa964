import Diagnostics

extension PlaylistReader {
    /// What an `EXT-X-KEY` or `EXT-X-SESSION-KEY` says: `.success(nil)` for `METHOD=NONE` (RFC 8216 §4.3.2.4).
    mutating func key(_ attributes: TagAttributes, of tag: PlaylistTag) -> Result<MediaKey?, ToldProblem> {
        guard let method = attributes.required("METHOD", of: tag, &self) else { return .failure(ToldProblem()) }
        if method == "NONE" {
            if attributes.value("URI") != nil {
                report(.looseAttribute, "METHOD=NONE stands with a URI, which counts for nothing", at: attributes.range)
            }
            return .success(nil)
        }
        guard let uri = attributes.required("URI", of: tag, &self),
            case .success(let vector) = initializationVector(attributes)
        else { return .failure(ToldProblem()) }
        return .success(
            MediaKey(
                method: method == MediaKey.Method.aes128.name ? .aes128 : .other(method), uri: uri,
                initializationVector: vector, format: attributes.value("KEYFORMAT") ?? MediaKey.identityFormat,
                formatVersions: attributes.value("KEYFORMATVERSIONS")))
    }

    private mutating func initializationVector(
        _ attributes: TagAttributes
    ) -> Result<InitializationVector?, ToldProblem> {
        guard let entry = attributes.entry("IV") else { return .success(nil) }
        let value = entry.attribute.value
        guard value.hasPrefix("0x") || value.hasPrefix("0X"),
            let vector = InitializationVector(hexDigits: value.utf8.dropFirst(2))
        else {
            report(
                .badValue, "\(value.quotedForMessage()) is no initialization vector", at: entry.range,
                hint: "write 0x and 32 hexadecimal digits")
            return .failure(ToldProblem())
        }
        if value.utf8.count != 34 {
            report(
                .looseValue, "the IV has \(value.utf8.count - 2) digits, and not 32: it counts as a number",
                at: entry.range)
        }
        return .success(vector)
    }
}
