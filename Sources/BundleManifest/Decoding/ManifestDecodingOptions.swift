import JSONSyntax
import Platform

/// What decoding has to know besides the text.
package struct ManifestDecodingOptions: Sendable {
    /// Whether the manifest was read from a local path: only then may it name `file` URLs.
    package var allowsFileURLs: Bool
    /// Whether relative URLs have something to be resolved against where the manifest names no mirrors.
    package var hasBase = true
    /// The time that a manifest must not have expired by; nil for whoever refuses expired ones later on.
    package var now: Timestamp?
    /// Whether findings are wanted that are no faults.
    package var tellsNotes = false
    package var jsonLimits: JSONLimits
    /// Whether a manifest is to be made, and not only to be checked.
    var keepsBundles = false

    package init(allowsFileURLs: Bool = false, jsonLimits: JSONLimits = JSONLimits()) {
        self.allowsFileURLs = allowsFileURLs
        self.jsonLimits = jsonLimits
    }
}
