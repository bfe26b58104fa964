import BundleManifest
import ContentLibrary
import Downloads
import JSONSyntax
import Platform
import Transfer

/// A library, or a folder that `larder export` wrote, that a web server on the same network serves.
///
/// Of what it says only where something may be is believed: its published manifests name the files of its bundles, and each is taken for what its
/// digest says. Its listings are not read, nor are links anywhere else followed.
final class Neighbour: Sendable {
    let url: TransferURL
    private let urls: [SHA256Digest: TransferURL]
    private let hasDigestNames: Bool
    private let failures = Locked(0)

    /// After so many failures in a row nothing more is asked of it in this run.
    private static let patience = 3
    private static let manifestBytes = 64 << 20
    private static let markBytes = 64 << 10

    /// Asks what it has.
    /// - Parameters:
    ///   - manifests: whose published versions may name what is wanted.
    ///   - wanted: what is remembered of all that they name.
    /// - Throws: when nothing can be learnt from it.
    init(
        _ url: TransferURL, manifests: [ContentID], wanted: Set<SHA256Digest>, downloader: Downloader
    ) async throws(DownloadError) {
        self.url = url
        var found: [SHA256Digest: TransferURL] = [:]
        var mark: [UInt8]?
        do throws(DownloadError) {
            mark = try await Self.read("\(CourierLayout.mark)", limitBytes: Self.markBytes, at: url, downloader)
        } catch {
            guard error.isReply else { throw error }
        }
        if let mark,
            (try? JSONDocument(mark, name: "courier"))?.root["format"]?.string == CourierLayout.format
        {
            hasDigestNames = true
        } else {
            hasDigestNames = false
            var problem: DownloadError?
            for id in manifests {
                do throws(DownloadError) {
                    let bytes = try await Self.read(
                        "current/\(id)/.manifest.json", limitBytes: Self.manifestBytes, at: url, downloader)
                    for (digest, path) in Self.files(of: bytes, id) where wanted.contains(digest) {
                        found[digest] = try? url.resolving(path.percentEncodedPath)
                    }
                } catch {
                    problem = problem ?? error
                    // Each attempt to reach one that doesn't answer takes its time.
                    if !error.isReply { break }
                }
            }
            if found.isEmpty, let problem { throw problem }
        }
        urls = found
    }

    /// Where the file of a digest may be; nil where it isn't here, or the neighbour doesn't answer any more.
    func source(of digest: SHA256Digest) -> TransferURL? {
        guard failures.withLock({ $0 < Self.patience }) else { return nil }
        return hasDigestNames ? try? url.resolving("\(CourierLayout.path(of: digest))") : urls[digest]
    }

    func note(isSuccess: Bool) { failures.withLock { $0 = isSuccess ? 0 : $0 + 1 } }

    private static func read(
        _ path: String, limitBytes: Int, at url: TransferURL, _ downloader: Downloader
    ) async throws(DownloadError) -> [UInt8] {
        // An id has nothing in it that a URL couldn't.
        guard let address = try? url.resolving(path) else { return [] }
        var request = DownloadRequest(address)
        request.budgetBytes = Int64(limitBytes)
        request.redirects = .sameOrigin(limit: 3)
        request.retries = 0
        request.failsWithoutNetwork = true
        return try await downloader.download(request).bytes(limitBytes: limitBytes)
    }

    /// The files that a published manifest names one by one, and where they are in its library.
    private static func files(of bytes: [UInt8], _ id: ContentID) -> [(SHA256Digest, String)] {
        guard let manifest = Manifest.published(bytes, as: id) else { return [] }
        return manifest.bundles.flatMap { bundle -> [(SHA256Digest, String)] in
            if case .segments(let list) = bundle.content, list.join != nil { return [] }
            return bundle.sources.compactMap { source in
                guard let digest = source.file.digest,
                    let path = source.path ?? (bundle.isUnpacked ? nil : bundle.package?.keptName)
                else { return nil }
                return (digest, "current/\(id)/\(bundle.id.text)/\(path)")
            }
        }
    }
}

extension DownloadError {
    /// Whether somebody answered, whatever it was.
    fileprivate var isReply: Bool {
        switch code {
        case .transportFailure, .timedOut, .cancelled: false
        default: true
        }
    }
}
