import Archives
import BundleManifest
import ContentLibrary
import Diagnostics
import Platform
import Playlists

/// Reads the playlists of a presentation that are kept of it.
struct PresentationReader: Sendable {
    let playlist: SourceFile
    let selection: VariantSelection
    let mirrors: PresentationMirrors
    var fetcher: SourceFetcher
    let placing: JobQueue
    let warn: @Sendable (String) -> Void

    /// A playlist of a million short segments is less than this.
    static let playlistBytes = 128 << 20
    /// Of all playlists of a presentation, those of mirrors among them.
    static let maximumSegments = 2_000_000
    /// How many redundant variants of one are read: each costs a request that most presentations could do without.
    private static let maximumMirrors = 2

    struct Document: Sendable {
        /// What was asked for, and where it came from, after redirects.
        let askedURL: String
        let url: String
        let bytes: [UInt8]
        let source: Receipt.Source
    }

    func read() async throws(BundleFailure) -> ReadPresentation {
        let entry = try await document(playlist)
        let first = try await parse(entry, variables: nil)
        let outline: PresentationOutline
        do throws(ChoiceProblem) {
            outline = try PresentationOutline(first, url: entry.askedURL, from: entry.url, by: selection)
        } catch {
            throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(entry.url))
        }
        var media: [String: ReadPresentation.Media] = [:]
        var fetched = [entry.source]
        if let source = outline.lone {
            media[PresentationOutline.loneURI] = ReadPresentation.Media(
                source: source, file: playlist, variables: nil, validator: entry.source.validator)
        }
        var segmentsLeft = Self.maximumSegments
        for uris in outline.wanted {
            let (found, document) = try await readFirst(of: uris, outline, &segmentsLeft)
            guard segmentsLeft >= 0 else {
                throw BundleFailure(
                    .playlistRefused, "its playlists have more than \(Self.maximumSegments) segments together",
                    url: shownURL(entry.url))
            }
            media[uris[0]] = found
            if !fetched.contains(where: { $0.url == document.source.url }) { fetched.append(document.source) }
        }
        return ReadPresentation(url: entry.url, outline: outline, media: media, receipts: fetched)
    }

    /// The media playlist at the first of these URIs that has one; the next ones are its mirrors.
    /// - Parameter segmentsLeft: how many segments there may be.
    private func readFirst(
        of uris: [String], _ outline: PresentationOutline, _ segmentsLeft: inout Int
    ) async throws(BundleFailure) -> (ReadPresentation.Media, Document) {
        var failure: BundleFailure?
        for (number, uri) in uris.enumerated() {
            let found: (media: ReadPresentation.Media, document: Document)
            do throws(BundleFailure) { found = try await readMedia(uri, outline) } catch {
                if error.code == .paused { throw error }
                failure = failure ?? error
                continue
            }
            var media = found.media
            segmentsLeft -= media.source.playlist.segments.count
            await readMirrors(uris.dropFirst(number + 1), of: &media.source, outline, &segmentsLeft)
            return (media, found.document)
        }
        throw failure ?? BundleFailure(.playlistRefused, "the master playlist names no playlist")
    }

    /// Reads where else the segments may be had. Nothing is lost where a mirror can't be read, so each is asked once.
    private func readMirrors(
        _ uris: ArraySlice<String>, of source: inout OfflinePlan.Source, _ outline: PresentationOutline,
        _ segmentsLeft: inout Int
    ) async {
        guard source.playlist.isComplete else { return }
        var reader = self
        reader.fetcher.retries = 0
        for uri in uris.prefix(Self.maximumMirrors) where source.playlist.segments.count <= segmentsLeft {
            guard let (mirror, _) = try? await reader.readMedia(uri, outline), source.addMirror(mirror.source) else {
                continue
            }
            segmentsLeft -= source.playlist.segments.count
        }
    }

    private func readMedia(
        _ uri: String, _ outline: PresentationOutline
    ) async throws(BundleFailure) -> (ReadPresentation.Media, Document) {
        let url: String
        do throws(AddressProblem) { url = try outline.url(of: uri) } catch {
            throw BundleFailure(.playlistRefused, "\(error)")
        }
        let file = mirrors.source(url)
        let document = try await document(file)
        let variables = outline.master?.variables
        let playlist = try await parse(document, variables: variables)
        let source: OfflinePlan.Source
        do throws(NestedMasterPlaylist) { source = try outline.source(playlist, url: url, from: document.url) } catch {
            throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(document.url))
        }
        let media = ReadPresentation.Media(
            source: source, file: file, variables: variables, validator: document.source.validator)
        return (media, document)
    }

    /// Reads a media playlist once more.
    /// - Parameter limit: how long that may take: the next time to ask is soon.
    /// - Returns: nil when it is what it was.
    func reload(
        _ media: ReadPresentation.Media, within limit: Duration
    ) async throws(BundleFailure) -> ReadPresentation.Media? {
        let answer = await outcome(within: limit) { () throws(BundleFailure) in try await reload(media) }
        if let answer { return try answer.get() }
        let url = shownURL(media.source.url)
        if Task.isCancelled || fetcher.control.reason != nil { throw BundleFailure(.paused, "stopped", url: url) }
        throw BundleFailure(.timedOut, "it didn't come within \(SegmentIndex.seconds(limit)) s", url: url)
    }

    private func reload(_ media: ReadPresentation.Media) async throws(BundleFailure) -> ReadPresentation.Media? {
        let condition = SourceFetcher.Condition(validator: media.validator)
        let answer = try await fetcher.fetch(media.file, condition, limitBytes: Self.playlistBytes)
        guard let file = answer else { return nil }
        let document = try await document(media.file, in: file)
        // What is odd about it was told when it was first read.
        guard case .media(let playlist) = try await parse(document, variables: media.variables, isRepeated: true) else {
            throw BundleFailure(.playlistRefused, "it has become a master playlist", url: shownURL(document.url))
        }
        var media = media
        media.source = OfflinePlan.Source(
            playlist: playlist, address: PlaylistAddress(url: document.url), url: media.source.url)
        media.validator = document.source.validator
        return media
    }

    private func document(_ source: SourceFile) async throws(BundleFailure) -> Document {
        try await document(source, in: try await fetcher.fetchUnasked(source, limitBytes: Self.playlistBytes))
    }

    private func document(_ source: SourceFile, in file: FetchedFile) async throws(BundleFailure) -> Document {
        try await placing.attempt { [fetcher, warn] () throws(BundleFailure) in
            defer { file.discard() }
            var bytes = try file.bytes(limitBytes: Self.playlistBytes)
            if bytes.starts(with: [0x1f, 0x8b]) {
                do throws(ArchiveError) { bytes = try gunzipped(bytes, limitBytes: Self.playlistBytes) } catch {
                    throw BundleFailure(.playlistRefused, "it looks like gzip: \(error)", url: file.url)
                }
                warn("\(file.url): the playlist is compressed, and the server doesn't say so")
            }
            return Document(
                askedURL: fetcher.fullURL(of: source), url: file.finalURL, bytes: bytes,
                source: fetcher.receiptSource(source, file))
        }
    }

    private func parse(
        _ document: Document, variables: [String: String]?, isRepeated: Bool = false
    ) async throws(BundleFailure) -> Playlist {
        try await placing.attempt { [warn] () throws(BundleFailure) in
            let outcome = PlaylistParser.parse(
                document.bytes, PlaylistParser.Context(url: document.url, importableVariables: variables))
            let text = SourceText(name: shownURL(document.askedURL), bytes: document.bytes)
            // Most playlists have nothing to tell, and then nobody has to know where their lines begin.
            lazy var renderer = DiagnosticTextRenderer(LineIndex(text), of: outcome.diagnostics)
            guard let playlist = outcome.playlist else {
                let error = outcome.diagnostics.first { $0.severity == .error }
                throw BundleFailure(.playlistRefused, error.map(renderer.line) ?? "it is no playlist")
            }
            for warning in outcome.diagnostics where warning.severity == .warning && !isRepeated {
                warn(renderer.line(warning))
            }
            return playlist
        }
    }
}
