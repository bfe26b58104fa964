import BundleManifest
import Diagnostics
import Jobs
import ManifestChecks
import TestSupport
import Testing
import Transfer

/// A manifest with one bundle after the other.
func manifestText(_ bundles: String..., more: String = "") -> String {
    #"{"format": "larder/1", "id": "m", "serial": 1, \#(more)"bundles": [\#(bundles.joined(separator: ",\n"))]}"#
}

/// A bundle that is kept whole, from these URLs.
func book(_ urls: String..., more: String = #""sha256": "\#(String(repeating: "01234567", count: 8))""#) -> String {
    let list = urls.map { "\"\($0)\"" }.joined(separator: ", ")
    return #"{"id": "b", "kind": "ebook", "filename": "book.bin", "urls": [\#(list)], \#(more)}"#
}

/// A finding in short: its rule and the text it points at.
struct Told: Hashable, CustomStringConvertible {
    let id: String
    let code: String

    init(_ id: String, _ code: String) { (self.id, self.code) = (id, code) }

    var description: String { "\(id) at \(code)" }
}

extension ValidatedManifest {
    /// What was found beyond the text.
    var told: [Told] { contentFindings.map { Told($0.id, code(of: $0)) } }

    var contentFindings: [Diagnostic] { diagnostics.filter { "OFM".contains($0.id.prefix(1)) } }

    private func code(of diagnostic: Diagnostic) -> String {
        String(decoding: source.bytes[diagnostic.range.start..<diagnostic.range.end], as: UTF8.self)
    }
}

/// Asks the sources of a manifest that stands at `base`.
func askedOnline(
    _ text: String, base: String, _ configuration: SessionConfiguration = SessionConfiguration(),
    control: RunControl = RunControl(), limits change: (inout OnlineLimits) -> Void = { _ in }
) async throws -> ValidatedManifest {
    var limits = OnlineLimits()
    change(&limits)
    let online = OnlineCheck(configuration, redirects: .follow(limit: 5), limits: limits, control: control)
    let checks = ContentChecks(online: online, deep: nil)
    let validated = ValidatedManifest(.standardInput(base: try TransferURL(base)), Array(text.utf8))
    #expect(validated.decoded.isValid, "\(validated.diagnostics)")
    let checked = await checks.checked(validated)
    await checks.end()
    return checked
}

/// Opens what a manifest in `directory` names.
func openedDeeply(
    _ text: String, in directory: TemporaryDirectory, library: LibraryLook? = nil
) async throws -> ValidatedManifest {
    let path = try directory.write(text.utf8, to: "manifest.json")
    let checks = ContentChecks(online: nil, deep: DeepCheck(library: library, control: RunControl()))
    let validated = ValidatedManifest(.file(path: path), Array(text.utf8))
    #expect(validated.decoded.isValid, "\(validated.diagnostics)")
    return await checks.checked(validated)
}
