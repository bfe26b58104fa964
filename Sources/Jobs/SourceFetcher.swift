import BundleManifest
import ContentLibrary
import Downloads
import Platform
import Playlists
import Transfer

/// Brings one file of a bundle here, from the first of its sources that has it.
struct SourceFetcher: Sendable {
    let manifest: LoadedManifest
    let bundle: Bundle
    let downloader: Downloader
    /// Where copies of local files lie until they are placed.
    let scratch: Directory
    let copying: JobQueue
    let control: RunControl
    let limits: RunLimits
    /// Who isn't asked.
    let distrust: Distrust
    let redirects: RedirectPolicy
    let bodyBudgetBytes: Int64?
    let emit: TransferReporter.Emit
    /// Who is asked before any of its sources.
    var couriers = Couriers.none
    /// How often a failed source is asked again; nil: as the run's settings say.
    var retries: Int?

    /// What the servers are told of the content that is here already.
    enum Condition: Sendable {
        case none
        /// Nothing is fetched when a server still has what this validator stands for there.
        /// - Parameter server: one of the sources; nil: the first server among them.
        case unless(validator: String, at: TransferURL? = nil)

        init(validator: String?) { self = validator.map { .unless(validator: $0) } ?? .none }
    }

    /// - Parameters:
    ///   - part: what of the file is wanted; more may come, where a source has nothing but the whole to give.
    ///   - limitBytes: how long the file may be; it is cut off there, however long its server goes on.
    ///   - preferred: the server that is asked before all others; nil: the first one.
    ///   - unusable: sources that aren't asked: what they have is no good.
    ///   - arriving: told of a download's bytes while they arrive.
    /// - Returns: nil when the source still has what the condition names.
    /// - Throws: why no source brought the file.
    func fetch(
        _ source: SourceFile, _ condition: Condition = .none, part: ByteRange? = nil, limitBytes: Int? = nil,
        of preferred: TransferURL? = nil, besides unusable: Set<TransferURL> = [], arriving: ArrivingBytes? = nil
    ) async throws(BundleFailure) -> FetchedFile? {
        if case .none = condition, part == nil, let file = try await couriers.fetch(source, for: self) { return file }
        var failure: BundleFailure?
        var sources = try manifest.sources(source)
        // Whose validators receipts hold, and whom they are shown.
        let firstServer = sources.first { !$0.isLocal }
        if let preferred, let own = sources.firstIndex(of: preferred),
            let first = sources.firstIndex(where: { !$0.isLocal && !unusable.contains($0) })
        {
            sources.insert(sources.remove(at: own), at: min(first, own))
        }
        let askable = try askable(sources.filter { !unusable.contains($0) }, source)
        for (number, urls) in askable.groupedByReach.flatMap(groupedByHeaders).enumerated() {
            // What comes next is something else. How the last of them ended, the caller judges.
            if number > 0 { arriving?.abandon() }
            do throws(BundleFailure) {
                if urls[0].isLocal { return try await copy(urls[0], source) }
                let mirrors = Array(urls.dropFirst())
                do throws(BundleFailure) {
                    return try await download(
                        urls[0], mirrors: mirrors, source, condition, part: part, limitBytes: limitBytes,
                        firstServer: firstServer, arriving: arriving)
                } catch  where error.isRangeIgnored {
                    return try await download(
                        urls[0], mirrors: mirrors, source, condition, part: nil, limitBytes: limitBytes,
                        firstServer: firstServer, arriving: arriving)
                }
            } catch {
                guard error.code != .paused else { throw error }
                failure = error
            }
        }
        throw failure ?? BundleFailure(.unresolvableURL, "there is no source")
    }

    /// Brings a file whose digest and length are known from somebody whom the manifest doesn't name: who is told nothing of what it says.
    func fetch(_ source: SourceFile, fromNeighbour url: TransferURL) async throws(BundleFailure) -> FetchedFile {
        var request = DownloadRequest(url, mirrors: [], of: source, in: bundle, redirects: .sameOrigin(limit: 3))
        request.headers = HeaderFields()
        request.budgetBytes = bodyBudgetBytes
        request.retries = 0
        request.failsWithoutNetwork = true
        let reporter = TransferReporter(url: "\(url)", received: limits.note(written:), emit: emit)
        do throws(BundleFailure) {
            let file = try await proven(request, reporter)
            let fetched = try FetchedFile(file, url: reporter.url, validator: nil)
            reporter.finished(bytes: file.sizeBytes)
            return fetched
        } catch {
            reporter.failed(error)
            throw error
        }
    }

    /// Brings a file of which nothing is here, or nothing that would be of use.
    func fetchUnasked(
        _ source: SourceFile, part: ByteRange? = nil, limitBytes: Int? = nil
    ) async throws(BundleFailure) -> FetchedFile {
        guard let file = try await fetch(source, part: part, limitBytes: limitBytes) else {
            throw BundleFailure(.downloadFailed, "the server says that nothing changed without having been asked")
        }
        return file
    }

    /// One request has one set of headers: who may have them isn't asked together with who may not.
    private func groupedByHeaders(_ urls: [TransferURL]) -> [[TransferURL]] {
        bundle.headers.isEmpty ? [urls] : urls.grouped { mayHaveHeaders($0) == mayHaveHeaders($1) }
    }

    /// Whether there is a source beside those that are no good.
    func hasSource(of source: SourceFile, besides unusable: Set<TransferURL>) -> Bool {
        (try? manifest.sources(source))?.contains { !unusable.contains($0) } ?? false
    }

    /// The sources that may be asked by now.
    /// - Throws: where that is none of them.
    private func askable(_ urls: [TransferURL], _ source: SourceFile) throws(BundleFailure) -> [TransferURL] {
        let waits = urls.map { distrust.nextTry($0, for: source.digest) }
        let askable = zip(urls, waits).filter { $0.1 == nil }.map(\.0)
        guard askable.isEmpty, let next = waits.compactMap(\.self).min() else { return askable }
        throw BundleFailure(
            .digestMismatch,
            "it sent other bytes than the ones asked for, and isn't asked again before \(next.rfc3339); sync asks at once",
            url: urls.first.map { "\($0)" })
    }

    /// Whether a server is sent the bundle's headers: only the origins that the manifest lists are, whatever a playlist names.
    private func mayHaveHeaders(_ url: TransferURL) -> Bool {
        guard case .hls(let presentation) = bundle.content, !bundle.headers.isEmpty else { return true }
        return (try? manifest.sources(presentation.playlist))?.contains { $0.origin == url.origin } ?? false
    }

    /// What receipts call a source: by its first server's URL, so that a relative reference isn't taken for the same one on another mirror; where it has no
    /// server, by its first file's, which tells where the manifest lay.
    func name(of source: SourceFile) -> String { Receipt.Source.name(ofURL: fullURL(of: source)) }

    /// The first server's URL, or else the first one at all; for a source that leads nowhere, what the manifest says.
    func fullURL(of source: SourceFile) -> String {
        (firstServer(of: source) ?? (try? manifest.sources(source))?.first)?.text ?? source.urls[0].text
    }

    /// What receipts call what is stored of a source: a part, or what it decrypts to, has a name of its own.
    func name(of source: BundleSource) -> String {
        var name = name(of: source.file)
        if source.isVerbatim { return name }
        // No URL that is asked for has a fragment.
        name += "#"
        if let range = source.byteRange { name += "bytes=\(range.offset)-\(range.end - 1)" }
        if let encryption = source.encryption { name += "&aes-128=\(encryption.vector),\(encryption.keyURL)" }
        return Receipt.Source.name(ofURL: name)
    }

    /// What the receipt says of a source that was fetched.
    func receiptSource(_ source: SourceFile, _ file: FetchedFile) -> Receipt.Source {
        Receipt.Source(
            url: name(of: source), sizeBytes: file.sizeBytes, sha256: file.digest, validator: file.validator)
    }

    /// The same, and who else has sent it: so that no later run has to have it from somebody else's damaged copy first.
    func receiptSource(of package: SourceFile, _ file: FetchedFile) -> Receipt.Source {
        var delivery: Receipt.Delivery?
        if package.digest == nil, let sender = file.source, sender != firstServer(of: package),
            let validator = file.sendersValidator
        {
            delivery = Receipt.Delivery(url: sender.text, validator: validator)
        }
        return Receipt.Source(
            url: name(of: package), sizeBytes: file.sizeBytes, sha256: file.digest, validator: file.validator,
            delivery: delivery)
    }

    /// Where a source's servers may still have what the receipt says: whom to ask, and by which validator; nil where nothing tells.
    func sender(of kept: Receipt.Source, _ source: SourceFile) -> (server: TransferURL, validator: String)? {
        let servers = servers(of: source)
        if let validator = kept.validator, let first = servers.first, kept.url == name(of: source) {
            return (first, validator)
        }
        guard let delivery = kept.delivery,
            let server = servers.first(where: { Receipt.Source.name(ofURL: $0.text) == delivery.url })
        else { return nil }
        return (server, delivery.validator)
    }

    /// In the order in which they are asked.
    func servers(of source: SourceFile) -> [TransferURL] {
        ((try? manifest.sources(source)) ?? []).filter { !$0.isLocal }
    }

    /// The source whose validators receipts hold, and whom they are shown.
    func firstServer(of source: SourceFile) -> TransferURL? {
        servers(of: source).first
    }

    private func copy(_ url: TransferURL, _ source: SourceFile) async throws(BundleFailure) -> FetchedFile {
        let copy = try await copying.attempt { [scratch, control, limits] () throws(BundleFailure) in
            try LocalCopy(
                of: url, sizeBytes: source.sizeBytes.map(Int64.init), in: scratch,
                isStopped: { control.reason != nil }, didWrite: limits.note(written:))
        }
        if let digest = source.digest, digest != copy.digest {
            throw BundleFailure(
                .digestMismatch, "the file's SHA-256 is \(copy.digest) where \(digest) was asked for", url: "\(url)"
            )
        }
        emit(.fileCopied(bytes: copy.sizeBytes), "\(url)", nil)
        return FetchedFile(copy, url: "\(url)", source: url)
    }

    private func download(
        _ url: TransferURL, mirrors: [TransferURL], _ source: SourceFile, _ condition: Condition, part: ByteRange?,
        limitBytes: Int?, firstServer: TransferURL?, arriving: ArrivingBytes?
    ) async throws(BundleFailure) -> FetchedFile? {
        var request = DownloadRequest(url, mirrors: mirrors, of: source, in: bundle, redirects: redirects)
        if !mayHaveHeaders(url) { request.headers = HeaderFields() }
        request.budgetBytes = [bodyBudgetBytes, limitBytes.map(Int64.init)].compactMap(\.self).min()
        request.retries = retries
        request.arriving = arriving
        request.byteRange = part.map { $0.offset..<$0.end }
        if case .unless(let validator, let server) = condition, let server = server ?? firstServer {
            request.condition = DownloadCondition(validator: validator, of: server)
        }
        let reporter = TransferReporter(url: "\(url)", received: limits.note(written:), emit: emit)
        do throws(BundleFailure) {
            let file = try await proven(request, reporter)
            let fetched = try FetchedFile(
                file, url: reporter.url, validator: file.sourceURL == firstServer ? file.validator : nil,
                part: part)
            reporter.finished(bytes: file.sizeBytes)
            return fetched
        } catch {
            if case .unless = condition, error.isNotModified {
                reporter.finished(bytes: 0)
                return nil
            }
            // The whole is asked for next.
            if !error.isRangeIgnored { reporter.failed(error) }
            throw error
        }
    }

    /// Whether all of its bytes came in an earlier run, so that nobody has to be asked.
    private func isHere(_ request: DownloadRequest) -> Bool {
        guard let size = request.sizeBytes else { return false }
        return ResumeStore(directory: scratch).heldBytes(of: request) == size
    }

    private func proven(
        _ request: DownloadRequest, _ reporter: TransferReporter
    ) async throws(BundleFailure) -> DownloadedFile {
        guard request.condition != nil || isHere(request) || limits.allowsFetch() else {
            throw BundleFailure(.paused, "no more bytes may be received", url: reporter.url)
        }
        let file: DownloadedFile
        do throws(DownloadError) {
            file = try await downloader.download(request, events: reporter.report)
        } catch {
            if error.code == .creditSpent {
                limits.noteSpent()
                emit(.notice("\(error.message): it isn't begun"), reporter.url, nil)
            }
            throw BundleFailure(error, url: reporter.url)
        }
        // An archive proves itself when it is unpacked; for anything else nobody could tell it from one that was cut.
        guard file.isProvenComplete || bundle.isUnpacked else {
            throw BundleFailure(
                .incomplete,
                "the server closed the connection without saying how long the file is; give its size or sha256 in the manifest",
                url: reporter.url)
        }
        return file
    }
}

extension TransferURL {
    fileprivate var isLocal: Bool { scheme == "file" }
}

extension [TransferURL] {
    /// In the same order: each local file by itself, and servers that stand side by side together, since a download turns from one to the next.
    var groupedByReach: [[TransferURL]] { grouped { !$0.isLocal && !$1.isLocal } }

    /// In the same order, those together that stand side by side and belong together.
    fileprivate func grouped(by belongTogether: (TransferURL, TransferURL) -> Bool) -> [[TransferURL]] {
        reduce(into: []) { groups, url in
            if let last = groups.last, belongTogether(last[0], url) {
                groups[groups.count - 1].append(url)
            } else {
                groups.append([url])
            }
        }
    }

    /// The groups of servers, each of which a download turns from one to the next in.
    var serversByReach: [[TransferURL]] { groupedByReach.filter { !$0[0].isLocal } }
}
