import JSONSyntax

/// What decoding has to know besides the text.
package struct ManifestDecodingOptions: Sendable {
    /// Whether the manifest was read from a local path: only then may it name `file` URLs.
    package var allowsFileURLs: Bool
    /// Features that the reader knows, for `requires`.
    package var knownRequirements: Set<String>
    package var jsonLimits: JSONLimits

    package init(
        allowsFileURLs: Bool = false, knownRequirements: Set<String> = [], jsonLimits: JSONLimits = JSONLimits()
    ) {
        self.allowsFileURLs = allowsFileURLs
        self.knownRequirements = knownRequirements
        self.jsonLimits = jsonLimits
    }
}
