import BundleManifest
import ContentLibrary
import Platform
import Playlists

/// Copies an HLS presentation (RFC 8216) so that it plays from the disk: reads its playlists, chooses by `select`, fetches every resource once, and
/// writes playlists that name them there.
struct HLSJob: Sendable {
    let presentation: Presentation
    /// What a recording that was cut short is known by: everything that it depends on.
    let recordingName: String
    let staging: Staging
    /// What runs that were cut short had brought.
    let salvage: Salvage?
    /// Content whose resources needn't be fetched.
    let previous: StoredContent?
    /// Whether these are taken unasked.
    var trustsPrevious = false
    let fetcher: SourceFetcher
    let placing: JobQueue
    let slots: RequestSlots
    let clock: RunClock
    let progress: SegmentProgress
    var warn: @Sendable (String) -> Void

    /// What is fetched, and from where: first the playlists, then what they name.
    struct Copy: Sendable {
        let digests: [RelativePath: SHA256Digest]
        let sources: [Receipt.Source]
    }

    var mirrors: PresentationMirrors { PresentationMirrors(fetcher.manifest, presentation.playlist) }

    var reader: PresentationReader {
        PresentationReader(
            playlist: presentation.playlist, selection: VariantSelection(presentation.selection), mirrors: mirrors,
            fetcher: fetcher, placing: placing, warn: warn)
    }

    var planOptions: OfflinePlan.Options {
        var options = OfflinePlan.Options()
        options.decrypts = presentation.isDecrypted
        return options
    }

    // MARK: What is known already

    /// Whether every playlist that the content was made of is what it was. What they name isn't asked for then.
    func isUnchanged(since receipt: Receipt) async throws(BundleFailure) -> Bool {
        let playlists = receipt.sources.prefix(receipt.playlistCount)
        guard !playlists.isEmpty else { return false }
        // By a name that hides a query nobody can be asked: what leads there is read.
        if playlists.dropFirst().contains(where: { Receipt.Source.hidesQuery($0.url) }) {
            return try await readsAsBefore(playlists)
        }
        for (index, known) in playlists.enumerated() {
            let condition = SourceFetcher.Condition(validator: known.validator)
            let source = index == 0 ? presentation.playlist : mirrors.source(known.url)
            do throws(BundleFailure) {
                let answer = try await fetcher.fetch(source, condition, limitBytes: PresentationReader.playlistBytes)
                guard let file = answer else { continue }
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

    private func readsAsBefore(_ playlists: ArraySlice<Receipt.Source>) async throws(BundleFailure) -> Bool {
        var quiet = self
        quiet.warn = { _ in }
        do throws(BundleFailure) {
            return try await quiet.reader.read().receipts.map(\.sha256) == playlists.map(\.sha256)
        } catch {
            guard error.code != .paused else { throw error }
            return false
        }
    }

    // MARK: The copy

    /// - Throws: after what was begun has ended; what came stays in staging, noted there.
    func run() async throws(BundleFailure) -> Copy {
        let read = try await reader.read()
        if read.isLive, let limits = presentation.recording { return try await record(read, limits) }
        let plan = try read.plan(planOptions)
        progress.expect(plan.resources)
        let placed = try await files(plan.resources, keys: keyRing(), salvage).run()
        return try await finish(plan, placed, read.receipts)
    }

    /// What brings resources into staging.
    func files(_ resources: [PlannedResource], keys: KeyRing, _ salvage: Salvage?) -> FileSetJob {
        let mirrors = mirrors
        let sources = resources.map { resource in
            BundleSource(
                path: resource.path, file: mirrors.source(resource.url, resource.mirrors),
                byteRange: resource.byteRange, encryption: resource.encryption, duration: resource.duration)
        }
        return FileSetJob(
            sources: sources, staging: staging, salvage: salvage, previous: previous, trustsPrevious: trustsPrevious,
            fetcher: fetcher, placing: placing, slots: slots, keys: keys, progress: progress)
    }

    func keyRing() -> KeyRing {
        let mirrors = mirrors
        return KeyRing(fetcher, placing: placing) { mirrors.source($0) }
    }

    /// Writes the playlists, and looks whether all of it can be played.
    /// - Parameter playlists: of what was read.
    func finish(
        _ plan: OfflinePlan, _ placed: [FileSetJob.Placed], _ playlists: [Receipt.Source]
    ) async throws(BundleFailure) -> Copy {
        let digests = try await placing.attempt { () throws(BundleFailure) in
            var digests = Dictionary(placed.map { ($0.path, $0.digest) }, uniquingKeysWith: { first, _ in first })
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
                try PlaylistVerdict.check(plan, asWrittenIn: staging.directory, warn: warn)
            } catch {
                // Nobody may take for right what would not play: the next run asks for it anew.
                for path in error.paths { try? staging.directory.remove(path) }
                throw error.failure
            }
            return digests
        }
        return Copy(digests: digests, sources: playlists + placed.map(\.source))
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
