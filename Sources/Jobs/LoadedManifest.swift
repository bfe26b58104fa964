import BundleManifest
import ContentLibrary
import Diagnostics
import Downloads
import Glibc
import Platform
import Transfer

/// A manifest that was read and found valid, with the exact bytes it came as.
struct LoadedManifest: Sendable {
    let manifest: Manifest
    let id: ContentID
    let bytes: [UInt8]
    /// What relative URLs resolve against, in order; empty when there is nothing.
    let bases: [TransferURL]
}

extension LoadedManifest {
    /// A manifest of a million segments is half of this; more is nothing we would want in memory.
    private static let limitBytes = 256 << 20

    /// Reads and checks the manifest at `location`.
    /// - Parameter warn: told what is odd but no error, each with its place.
    /// - Throws: `RunProblem` with 66 when it can't be read, 65 when it isn't valid, 77 when it requires what we don't know.
    static func load(
        _ location: ManifestLocation, downloader: Downloader, redirects: RedirectPolicy, warn: (String) -> Void
    ) async throws(RunProblem) -> LoadedManifest {
        let bytes = try await read(location, downloader, redirects)
        let source = SourceText(name: location.description, bytes: bytes)
        let options = ManifestDecodingOptions(allowsFileURLs: location.allowsFileURLs)
        let (manifest, diagnostics) = Manifest.decode(source, options: options)
        let renderer = DiagnosticTextRenderer(LineIndex(source), of: diagnostics)
        guard let manifest else {
            let errors = diagnostics.filter { $0.severity == .error }
            let isRefusal = errors.allSatisfy { $0.id == ManifestRule.unknownRequirement.id } && !errors.isEmpty
            throw RunProblem(isRefusal ? .refused : .invalidManifest, findings: errors.map(renderer.block))
        }
        let id = try contentID(manifest.id.text, location)
        for bundle in manifest.bundles { _ = try contentID(bundle.id.text, location) }
        for warning in diagnostics { warn(renderer.line(warning)) }
        let mirrors = manifest.mirrors.compactMap { try? TransferURL($0.text) }
        let bases = mirrors.isEmpty ? [location.base].compactMap(\.self) : mirrors
        return LoadedManifest(manifest: manifest, id: id, bytes: bytes, bases: bases)
    }

    /// The library has its own mind about names, since they become paths.
    private static func contentID(_ text: String, _ location: ManifestLocation) throws(RunProblem) -> ContentID {
        guard let id = ContentID(text) else {
            throw RunProblem(
                .invalidManifest, "\(location): the library can't hold anything called '\(escapedText(text))'")
        }
        return id
    }

    private static func read(
        _ location: ManifestLocation, _ downloader: Downloader, _ redirects: RedirectPolicy
    ) async throws(RunProblem) -> [UInt8] {
        do {
            switch location {
            case .file(let path):
                return try await readAbandonably { () throws(SystemError) in
                    try OwnedDescriptor.open(path, flags: O_RDONLY).readAll(limitBytes: limitBytes)
                }
            case .standardInput:
                return try await readAbandonably { () throws(SystemError) in
                    // Ours for the moment only: the descriptor itself stays open.
                    let copy = OwnedDescriptor(adopting: dup(STDIN_FILENO), name: "standard input")
                    return try copy.readAll(limitBytes: limitBytes)
                }
            case .remote(let url):
                var request = DownloadRequest(url)
                request.budgetBytes = Int64(limitBytes)
                request.priority = .max
                request.redirects = redirects
                let file = try await downloader.download(request)
                return try file.bytes(limitBytes: limitBytes)
            }
        } catch let error as DownloadError where error.code == .cancelled {
            throw .stopped
        } catch is CancellationError {
            throw .stopped
        } catch let error as DownloadError where error.code == .noSpace {
            throw RunProblem(.noSpace, "\(location): there is no room for the manifest: \(error)")
        } catch {
            throw RunProblem(.unreadable, "\(location): the manifest can't be read: \(error)")
        }
    }

    /// The sources of some file in the order they are tried: by URL, each with every base.
    func sources(_ file: SourceFile) throws(BundleFailure) -> [TransferURL] {
        var result: [TransferURL] = []
        for reference in file.urls {
            do {
                if reference.isAbsolute {
                    result.append(try TransferURL(reference.text))
                } else {
                    result += try bases.map { base throws(TransferURLError) in try base.resolving(reference.text) }
                }
            } catch {
                throw BundleFailure(.unresolvableURL, "\(error)")
            }
        }
        guard !result.isEmpty else {
            throw BundleFailure(
                .unresolvableURL,
                "'\(escapedText(file.urls[0].text))' is relative, and the manifest has no place of its own; give it mirrors or use --base"
            )
        }
        return result
    }
}
