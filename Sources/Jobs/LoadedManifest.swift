import BundleManifest
import ContentLibrary
import Diagnostics
import Downloads
import Platform
import Transfer

/// A manifest that was read and found valid, with the exact bytes it came as.
struct LoadedManifest: Sendable {
    let manifest: Manifest
    let id: ContentID
    let bytes: [UInt8]
    /// What relative URLs resolve against.
    let bases: SourceBases
    /// What stands for the place it was read from, and what the server there says of these bytes.
    var source: SHA256Digest?
    var validator: String?
    /// By whose key it is signed; nil where nobody asked.
    var signer: MinisignPublicKey?
    /// What proves that, as it lies beside the manifest; nil where nobody asked.
    var signature: [UInt8]?
    /// Whether a pin keeps it from being published: then nothing is done for it, but for a run that only mends what is published.
    var isHeld = false
    /// Whether files of this machine that it names itself are taken without a digest, too: only where it was read from this machine just now.
    var takesFilesUnproven = true
}

extension LoadedManifest {
    /// Reads and checks the manifest at `location`.
    /// - Parameter warn: told what is odd but no error, each with its place.
    /// - Throws: `RunProblem` with 66 when it can't be read, 65 when it isn't valid, 77 when it requires what we don't know.
    static func load(
        _ location: ManifestLocation, downloader: Downloader, redirects: RedirectPolicy, warn: (String) -> Void
    ) async throws(RunProblem) -> LoadedManifest {
        try LoadedManifest(location, await location.read(downloader, redirects), warn: warn)
    }

    /// Checks a manifest that was read from `location`.
    /// - Parameter tellsBriefly: whether all that is wrong with it is told in one line.
    init(
        _ location: ManifestLocation, _ reply: ManifestReply, tellsBriefly: Bool = false, warn: (String) -> Void
    ) throws(RunProblem) {
        let source = SourceText(name: location.description, bytes: reply.bytes)
        let options = ManifestDecodingOptions(allowsFileURLs: location.allowsFileURLs)
        let (manifest, diagnostics) = Manifest.decode(source, options: options)
        // Most manifests have nothing to tell, and then nobody has to know where their lines begin.
        lazy var renderer = DiagnosticTextRenderer(LineIndex(source), of: diagnostics)
        guard let manifest else {
            let errors = diagnostics.filter { $0.severity == .error }
            let isRefusal = errors.allSatisfy { $0.id == ManifestRule.unknownRequirement.id } && !errors.isEmpty
            let findings = tellsBriefly ? Self.brief(errors, renderer, location) : errors.map(renderer.block)
            throw RunProblem(isRefusal ? .refused : .invalidManifest, findings: findings)
        }
        let id = try Self.contentID(manifest.id.text, location)
        for bundle in manifest.bundles { _ = try Self.contentID(bundle.id.text, location) }
        // Errors among these fail one bundle each.
        for finding in diagnostics where finding.severity.isAtLeast(.warning) { warn(renderer.line(finding)) }
        self.init(
            manifest: manifest, id: id, bytes: reply.bytes, bases: SourceBases(manifest.mirrors, readFrom: location),
            source: location.recordKey, validator: reply.validator)
    }

    /// The first finding, and how many there are.
    private static func brief(
        _ errors: [Diagnostic], _ renderer: DiagnosticTextRenderer, _ location: ManifestLocation
    ) -> [String] {
        guard let first = errors.first else { return [] }
        let more = errors.count > 1 ? "; and \(errors.count - 1) more: larder validate \(location)" : ""
        return [renderer.line(first) + more]
    }

    /// The library has its own mind about names, since they become paths.
    private static func contentID(_ text: String, _ location: ManifestLocation) throws(RunProblem) -> ContentID {
        guard let id = ContentID(text) else {
            throw RunProblem(
                .invalidManifest, "\(location): the library can't hold anything called '\(escapedText(text))'")
        }
        return id
    }

    /// The sources of some file in the order they are tried: by URL, each with every base.
    func sources(_ file: SourceFile) throws(BundleFailure) -> [TransferURL] {
        var result: [TransferURL] = []
        let urls = takesFilesUnproven || file.digest != nil ? file.urls : file.urls.filter { !$0.isFile }
        guard !urls.isEmpty else {
            throw BundleFailure(
                .unresolvableURL,
                "'\(escapedText(file.urls[0].text))' is a file of this machine, and has no digest that would prove it; sync the manifest again"
            )
        }
        for reference in urls {
            do throws(TransferURLError) { result += try bases.urls(of: reference) } catch {
                throw BundleFailure(.unresolvableURL, "\(error)")
            }
        }
        guard !result.isEmpty else {
            throw BundleFailure(
                .unresolvableURL,
                "'\(escapedText(urls[0].text))' is relative, and the manifest has no place of its own; give it mirrors or use --base"
            )
        }
        return result
    }
}

extension URLReference {
    fileprivate var isFile: Bool { isAbsolute && (try? TransferURL(text))?.scheme == "file" }
}
