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
    let fetcher: SourceFetcher
    let placing: JobQueue
    let warn: @Sendable (String) -> Void

    /// A playlist of a million short segments is less than this.
    static let playlistBytes = 128 << 20
    /// Of all playlists of a presentation.
    static let maximumSegments = 2_000_000
    /// Of a playlist; those behind them aren't read.
    private static let maximumMirrors = 3

    struct Document: Sendable {
        /// Where it came from, after redirects.
        let url: String
        let bytes: [UInt8]
        let source: Receipt.Source
    }

    func read() async throws(BundleFailure) -> ReadPresentation {
        let entry = try await document(playlist)
        let address = PlaylistAddress(url: entry.url)
        switch try await parse(entry, variables: nil) {
        case .media(let media):
            let source = OfflinePlan.Source(playlist: media, address: address, url: entry.source.url)
            let lone = ReadPresentation.Media(
                source: source, file: playlist, variables: nil, validator: entry.source.validator)
            return ReadPresentation(
                url: entry.url, master: nil, media: [ReadPresentation.lone: lone], receipts: [entry.source])
        case .master(let master):
            return try await read(master, at: address, entry)
        }
    }

    private func read(
        _ playlist: MasterPlaylist, at address: PlaylistAddress, _ entry: Document
    ) async throws(BundleFailure) -> ReadPresentation {
        let choice: PlaylistChoice
        do throws(ChoiceProblem) { choice = try PlaylistChoice(from: playlist, by: selection) } catch {
            throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(entry.url))
        }
        // Variants that say the same of themselves are sources of the same.
        var wanted = choice.variants.map { [$0.variant.uri] + $0.mirrors.map(\.uri) }
        wanted += choice.renditions.compactMap { $0.uri.map { [$0] } }
        var media: [String: ReadPresentation.Media] = [:]
        var fetched = [entry.source]
        var segmentCount = 0
        for uris in wanted where media[uris[0]] == nil {
            let (found, document) = try await readFirst(
                of: uris, playlist, at: address, room: Self.maximumSegments - segmentCount)
            media[uris[0]] = found
            segmentCount += ([found.source] + found.source.mirrors).reduce(0) { $0 + $1.playlist.segments.count }
            guard segmentCount <= Self.maximumSegments else {
                throw BundleFailure(
                    .playlistRefused, "its playlists have more than \(Self.maximumSegments) segments together",
                    url: shownURL(entry.url))
            }
            if !fetched.contains(where: { $0.url == document.source.url }) { fetched.append(document.source) }
        }
        return ReadPresentation(
            url: entry.url,
            master: ReadPresentation.Master(playlist: playlist, address: address, choice: choice), media: media,
            receipts: fetched)
    }

    /// The media playlist at the first of these URIs that has one; those at the others are its mirrors.
    /// - Parameter room: how many segments all of them may have together. Mirrors that have more are left out.
    private func readFirst(
        of uris: [String], _ master: MasterPlaylist, at address: PlaylistAddress, room: Int
    ) async throws(BundleFailure) -> (ReadPresentation.Media, Document) {
        var failure: BundleFailure?
        for (number, uri) in uris.enumerated() {
            do throws(BundleFailure) {
                var (media, document) = try await readMedia(uri, master, at: address)
                var room = room - media.source.playlist.segments.count
                for other in uris.dropFirst(number + 1).prefix(Self.maximumMirrors)
                where media.source.playlist.isComplete {
                    // A mirror that can't be read is none.
                    guard let mirror = try? await readMedia(other, master, at: address),
                        mirror.0.source.playlist.segments.count <= room
                    else { continue }
                    room -= mirror.0.source.playlist.segments.count
                    media.source.mirrors.append(mirror.0.source)
                }
                return (media, document)
            } catch {
                if error.code == .paused { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? BundleFailure(.playlistRefused, "the master playlist names no playlist")
    }

    private func readMedia(
        _ uri: String, _ master: MasterPlaylist, at address: PlaylistAddress
    ) async throws(BundleFailure) -> (ReadPresentation.Media, Document) {
        let url: String
        do throws(AddressProblem) { url = try address.resolve(uri) } catch {
            throw BundleFailure(.playlistRefused, "\(error)")
        }
        let file = mirrors.source(url)
        let document = try await document(file)
        guard case .media(let playlist) = try await parse(document, variables: master.variables) else {
            throw BundleFailure(
                .playlistRefused, "it is a master playlist where a media playlist was expected",
                url: shownURL(document.url))
        }
        let source = OfflinePlan.Source(playlist: playlist, address: address.naming(url: document.url), url: url)
        let media = ReadPresentation.Media(
            source: source, file: file, variables: master.variables, validator: document.source.validator)
        return (media, document)
    }

    /// Reads a media playlist once more.
    /// - Parameter limit: how long that may take: the one after it is soon due.
    /// - Returns: nil when it is what it was.
    func reload(
        _ media: ReadPresentation.Media, within limit: Duration
    ) async throws(BundleFailure) -> ReadPresentation.Media? {
        let reading = Task { await outcome { () throws(BundleFailure) in try await reload(media) } }
        let timer = Task { if (try? await Task.sleep(for: limit)) != nil { reading.cancel() } }
        defer { timer.cancel() }
        do throws(BundleFailure) { return try await reading.value.get() } catch {
            guard reading.isCancelled, error.code == .paused, fetcher.control.reason == nil else { throw error }
            throw BundleFailure(.timedOut, "it didn't come within \(limit.components.seconds) s", url: error.url)
        }
    }

    private func reload(_ media: ReadPresentation.Media) async throws(BundleFailure) -> ReadPresentation.Media? {
        let condition = media.validator.map { SourceFetcher.Condition.unless(validator: $0) } ?? .none
        guard let document = try await document(media.file, condition) else { return nil }
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
        guard let document = try await document(source, .none) else {
            throw BundleFailure(.downloadFailed, "the server says that nothing changed without having been asked")
        }
        return document
    }

    private func document(
        _ source: SourceFile, _ condition: SourceFetcher.Condition
    ) async throws(BundleFailure) -> Document? {
        guard let file = try await fetcher.fetch(source, condition, limitBytes: Self.playlistBytes) else { return nil }
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

    private func parse(
        _ document: Document, variables: [String: String]?, isRepeated: Bool = false
    ) async throws(BundleFailure) -> Playlist {
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
            for warning in outcome.diagnostics where warning.severity == .warning && !isRepeated {
                warn(renderer.line(warning))
            }
            return playlist
        }
    }
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
