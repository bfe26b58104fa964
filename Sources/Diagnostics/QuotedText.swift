import Platform

extension StringProtocol {
    /// The text in double quotes for a message: made safe to print, and cut after `maximumScalars`.
    package func quotedForMessage(maximumScalars: Int = 80) -> String {
        let kept = unicodeScalars.prefix(maximumScalars)
        let ellipsis = kept.endIndex < unicodeScalars.endIndex ? "…" : ""
        return "\"" + escapedText(String(String.UnicodeScalarView(kept))) + ellipsis + "\""
    }
}
