import Transfer

/// The version of an asset that a caller has already (RFC 9110 §13.1): while the source still has it, nothing is fetched, and the answer is
/// `DownloadError.Code.notModified`.
public struct DownloadCondition: Hashable, Sendable {
    /// An entity tag, weak or strong, or a modification date, as `DownloadedFile.validator` gives it.
    public let validator: String
    /// Who sent the validator, as `DownloadedFile.sourceURL` gives it. To no other source it means anything, so no other is told.
    public let sourceURL: TransferURL

    /// The version that `validator` stands for at `sourceURL`.
    public init(validator: String, of sourceURL: TransferURL) {
        self.validator = validator
        self.sourceURL = sourceURL
    }

    /// The field that carries the validator: `If-None-Match` (§13.1.2) a tag, `If-Modified-Since` (§13.1.3) a date.
    var fieldName: String {
        validator.hasPrefix("\"") || validator.hasPrefix("W/") ? "If-None-Match" : "If-Modified-Since"
    }
}
