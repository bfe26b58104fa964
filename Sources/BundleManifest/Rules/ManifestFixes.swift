import Diagnostics
import JSONSyntax

/// What becomes of a manifest's text when everything in it is mended that can be mended without its author.
package enum ManifestFixes {
    /// What is wrong with the manifest may be found only once its JSON is whole: each round mends what the one before couldn't see.
    private static let mostRounds = 8

    /// - Parameter diagnostics: what was found in the text.
    /// - Returns: the text with every fix applied that the findings offer, and then those of what is found after that.
    package static func apply(
        _ diagnostics: [Diagnostic], to source: SourceText, options: ManifestDecodingOptions
    ) -> [UInt8] {
        var (source, diagnostics) = (source, diagnostics)
        for _ in 0..<mostRounds where !isStructureGuessed(diagnostics) {
            let bytes = source.bytes.applying(diagnostics.map(\.fix))
            if bytes == source.bytes { break }
            source = SourceText(name: source.name, bytes: bytes)
            diagnostics = DecodedManifest(source, options: options).diagnostics
        }
        return source.bytes
    }

    /// Whether brackets or quotes don't match: what belongs to what is only guessed then, and a fix might take away what its author meant.
    private static func isStructureGuessed(_ diagnostics: [Diagnostic]) -> Bool {
        let guessed = [JSONRule.mismatchedBracket, .unclosedBracket, .textAfterValue, .unterminatedString].map(
            \.rawValue)
        return diagnostics.contains { guessed.contains($0.id) }
    }
}
