import BundleManifest
import Diagnostics
import JSONSyntax

/// The entry point for libFuzzer: the bytes are read as a manifest.
///
/// Whatever they are, every finding has a place in the text and can be shown, and what the fixes make of it is no worse: what could be read
/// can still be read, with no more errors in its JSON, and nothing is left that another round would change.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let text = SourceText(name: "input", bytes: Array(UnsafeBufferPointer(start: data, count: size)))
    let before = check(text)
    let fixed = SourceText(name: "input", bytes: ManifestFixes.apply(before.diagnostics, to: text, options: options))
    guard fixed.bytes != text.bytes else { return 0 }
    let after = check(fixed)
    if before.isRead { precondition(after.isRead, "a fix broke what could be read") }
    precondition(after.syntaxErrors <= before.syntaxErrors, "fixes left more errors in the JSON than there were")
    return 0
}

private let options: ManifestDecodingOptions = {
    var options = ManifestDecodingOptions(jsonLimits: JSONLimits(depth: 32))
    options.tellsNotes = true
    return options
}()

private func check(_ text: SourceText) -> (diagnostics: [Diagnostic], isRead: Bool, syntaxErrors: Int) {
    let (manifest, diagnostics) = Manifest.decode(text, options: options)
    // Some errors fail one bundle each, and leave a manifest.
    let failsOneBundle: Set = ["D001", "D003", "D004", "U014"]
    precondition((manifest == nil) == diagnostics.contains { $0.severity == .error && !failsOneBundle.contains($0.id) })
    let renderer = DiagnosticTextRenderer(LineIndex(text), of: diagnostics)
    for diagnostic in diagnostics {
        let ranges = [diagnostic.range] + diagnostic.notes.map(\.range) + diagnostic.fix.map(\.range)
        precondition(ranges.allSatisfy { 0 <= $0.start && $0.start <= $0.end && $0.end <= text.bytes.count })
        // Showing a thousand of them takes longer than finding them.
        if diagnostic.id.utf8.count + diagnostics.count < 40 { precondition(!renderer.block(diagnostic).isEmpty) }
    }
    precondition(text.masked(diagnostics).count == text.bytes.count)
    let isJSON = (try? JSONDocument(text, limits: options.jsonLimits)) != nil
    let syntaxErrors = isJSON ? 0 : diagnostics.count { $0.id.hasPrefix("J") }
    return (diagnostics, manifest != nil, syntaxErrors)
}
