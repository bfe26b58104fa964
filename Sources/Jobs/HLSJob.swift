import Archives
import BundleManifest
import ContentLibrary
import Diagnostics
import Platform
import Playlists

/// Copies an HLS presentation (RFC 8216) so that it plays from the disk: reads its playlists, chooses by `select`, fetches every resource once, and
/// writes playlists that name them there.
struct HLSJob: Sendable {
    let playlist: SourceFile
    let selection: VariantSelection
    let staging: Staging
    /// What runs that were cut short had brought.
    let salvage: Salvage?
    /// Content whose resources needn't be fetched.
    let previous: StoredContent?
    let fetcher: SourceFetcher
    let placing: JobQueue
    let slots: RequestSlots
    let warn: @Sendable (String) -> Void

    /// What is fetched, and from where: first the playlists, then what they name.
    struct Copy: Sendable {
        let digests: [RelativePath: SHA256Digest]
        let sources: [Receipt.Source]
    }

    /// A playlist of a million short segments is less than this.
    static let playlistBytes = 128 << 20
    /// Of all playlists of a presentation.
    private static let maximumSegments = 2_000_000

    // MARK: What is known already

    /// Whether every playlist that the content was made of is what it was. What they name isn't asked for then.
    func isUnchanged(since receipt: Receipt) async throws(BundleFailure) -> Bool {
        let playlists = receipt.sources.prefix(receipt.playlistCount)
        guard !playlists.isEmpty else { return false }
        for (index, known) in playlists.enumerated() {
            let condition = known.validator.map { SourceFetcher.Condition.unless(validator: $0) } ?? .none
            let source = index == 0 ? playlist : SourceFile(url: known.url)
            do throws(BundleFailure) {
                guard let file = try await fetcher.fetch(source, condition) else { continue }
                file.discard()
                if file.digest != known.sha256 { return false }
            } catch {
                // Another mirror may have what this one hasn't.
                guard error.code != .paused else { throw error }
                return false
            }
        }
        return true
    }

    // MARK: The copy

    /// - Throws: after what was begun has ended; what came stays in staging, noted there.
    func run() async throws(BundleFailure) -> Copy {
        let (plan, playlists) = try await plan()
        let ranged = RangedFiles(plan.resources)
        let whole = plan.resources.filter { $0.byteRange == nil }
        let sources =
            whole.map { BundleSource(path: $0.path, file: SourceFile(url: $0.url)) } + ranged.sources
        let placed = try await FileSetJob(
            sources: sources, staging: staging, salvage: salvage, previous: previous,
            fetcher: fetcher, placing: placing, slots: slots
        ).run()
        let digests = try await placing.attempt { () throws(BundleFailure) in
            var digests = try ranged.slice(plan.resources, in: staging, fetcher)
            for (file, _) in zip(placed, whole) { digests[file.path] = file.digest }
            for playlist in plan.playlists {
                let text = Array(PlaylistWriter.text(of: playlist.content).utf8)
                let path = try path(playlist.path)
                do throws(SystemError) {
                    try staging.directory.replaceFile(path, with: text, flush: false)
                } catch {
                    throw BundleFailure(error)
                }
                digests[path] = SHA256.digest(of: text)
            }
            do throws(PlaylistVerdict.Fault) {
                try PlaylistVerdict(of: plan, in: staging.directory, warn: warn).check()
            } catch {
                // Nobody may take for right what would not play: the next run asks for it anew.
                for path in error.paths { try? staging.directory.remove(path) }
                throw error.failure
            }
            try ranged.discardWholes(in: staging)
            return digests
        }
        return Copy(digests: digests, sources: playlists + placed.map(\.source))
    }

    // MARK: Playlists

    private struct Document: Sendable {
        /// Where it came from, after redirects.
        let url: String
        let bytes: [UInt8]
        let source: Receipt.Source
    }

    private func plan() async throws(BundleFailure) -> (OfflinePlan, [Receipt.Source]) {
        let entry = try await read(playlist)
        let address = PlaylistAddress(url: entry.url)
        switch try await parse(entry, variables: nil) {
        case .media(let media):
            let source = OfflinePlan.Source(playlist: media, address: address, url: entry.source.url)
            return (try refusing(entry.url) { () throws(PlanRefusal) in try OfflinePlan(source) }, [entry.source])
        case .master(let master):
            return try await plan(master, at: address, entry)
        }
    }

    private func plan(
        _ master: MasterPlaylist, at address: PlaylistAddress, _ entry: Document
    ) async throws(BundleFailure) -> (OfflinePlan, [Receipt.Source]) {
        let choice: PlaylistChoice
        do throws(ChoiceProblem) { choice = try PlaylistChoice(from: master, by: selection) } catch {
            throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(entry.url))
        }
        // Variants that say the same of themselves are sources of the same.
        var wanted = choice.variants.map { [$0.variant.uri] + $0.mirrors.map(\.uri) }
        wanted += choice.renditions.compactMap { $0.uri.map { [$0] } }
        var sources: [String: OfflinePlan.Source] = [:]
        var fetched = [entry.source]
        var segmentCount = 0
        for uris in wanted where sources[uris[0]] == nil {
            let (source, document) = try await readMedia(uris, of: master, at: address)
            sources[uris[0]] = source
            segmentCount += source.playlist.segments.count
            guard segmentCount <= Self.maximumSegments else {
                throw BundleFailure(
                    .playlistRefused, "its playlists have more than \(Self.maximumSegments) segments together",
                    url: shownURL(entry.url))
            }
            if !fetched.contains(where: { $0.url == document.source.url }) { fetched.append(document.source) }
        }
        let plan = try refusing(entry.url) { [sources] () throws(PlanRefusal) in
            try OfflinePlan(master, at: address, choice: choice, sources: sources)
        }
        return (plan, fetched)
    }

    /// The media playlist at the first of these URIs that has one.
    private func readMedia(
        _ uris: [String], of master: MasterPlaylist, at address: PlaylistAddress
    ) async throws(BundleFailure) -> (OfflinePlan.Source, Document) {
        var failure: BundleFailure?
        for uri in uris {
            do throws(BundleFailure) {
                let url: String
                do throws(AddressProblem) { url = try address.resolve(uri) } catch {
                    throw BundleFailure(.playlistRefused, "\(error)")
                }
                let document = try await read(SourceFile(url: url))
                guard case .media(let media) = try await parse(document, variables: master.variables) else {
                    throw BundleFailure(
                        .playlistRefused, "it is a master playlist where a media playlist was expected",
                        url: shownURL(document.url))
                }
                let source = OfflinePlan.Source(playlist: media, address: address.naming(url: document.url), url: url)
                return (source, document)
            } catch {
                if error.code == .paused { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? BundleFailure(.playlistRefused, "the master playlist names no playlist")
    }

    private func read(_ source: SourceFile) async throws(BundleFailure) -> Document {
        guard let file = try await fetcher.fetch(source) else {
            throw BundleFailure(.downloadFailed, "the server says that nothing changed without having been asked")
        }
        return try await placing.attempt { [fetcher, warn] () throws(BundleFailure) in
            defer { file.discard() }
            var bytes = try file.bytes(limitBytes: Self.playlistBytes)
            if bytes.starts(with: [0x1f, 0x8b]) {
                do throws(ArchiveError) { bytes = try gunzipped(bytes, limitBytes: Self.playlistBytes) } catch {
                    throw BundleFailure(.playlistRefused, "it looks like gzip: \(error)", url: file.url)
                }
                warn("\(file.url): the playlist is compressed, and the server doesn't say so")
            }
            return Document(url: file.finalURL, bytes: bytes, source: fetcher.receiptSource(source, file))
        }
    }

    private func parse(_ document: Document, variables: [String: String]?) async throws(BundleFailure) -> Playlist {
        try await placing.attempt { [warn] () throws(BundleFailure) in
            let outcome = PlaylistParser.parse(
                document.bytes, PlaylistParser.Context(url: document.url, importableVariables: variables))
            let text = SourceText(name: shownURL(document.source.url), bytes: document.bytes)
            // Most playlists have nothing to tell, and then nobody has to know where their lines begin.
            lazy var renderer = DiagnosticTextRenderer(LineIndex(text), of: outcome.diagnostics)
            guard let playlist = outcome.playlist else {
                let error = outcome.diagnostics.first { $0.severity == .error }
                throw BundleFailure(.playlistRefused, error.map(renderer.line) ?? "it is no playlist")
            }
            for warning in outcome.diagnostics where warning.severity == .warning { warn(renderer.line(warning)) }
            return playlist
        }
    }

    private func refusing(
        _ url: String, _ body: () throws(PlanRefusal) -> OfflinePlan
    ) throws(BundleFailure) -> OfflinePlan {
        do throws(PlanRefusal) { return try body() } catch {
            throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(url))
        }
    }
}

extension Receipt {
    /// How many of the sources are playlists; they are the first ones. Each has been made into one at the top of the content.
    fileprivate var playlistCount: Int {
        let copies = entries.count { entry in
            !entry.path.bytes.contains(UInt8(ascii: "/")) && entry.path.bytes.suffix(5).elementsEqual(".m3u8".utf8)
        }
        return min(copies, sources.count)
    }
}

extension SourceFile {
    /// What a playlist names: nothing is known of it but where it is.
    init(url: String) { self.init(urls: [URLReference(absolute: url)], sizeBytes: nil, digest: nil) }
}

extension VariantSelection {
    /// What a manifest's `select` asks for.
    package init(_ selection: Selection) {
        self.init()
        minBandwidth = selection.minBandwidth.flatMap { UInt64(exactly: $0) }
        maxBandwidth = selection.maxBandwidth.flatMap { UInt64(exactly: $0) }
        largestPicture = selection.resolution.map { PictureSize(width: $0.width, height: $0.height) }
        codecs = selection.codecs
        highestFrameRate = selection.frameRate
        audio = selection.audio
        subtitles = selection.subtitles
        takesAll = selection.takesAll
    }
}
