import BundleManifest
import ContentLibrary
import Diagnostics
import Platform
import Playlists

/// Live presentations: their playlists are read again and again (RFC 8216 §6.3.4), and what they name is fetched while it is there.
extension HLSJob {
    private static let folder = "recording"
    /// As much as is read of a playlist.
    private static let recordingBytes = PlaylistLimits().textBytes

    /// - Parameter read: what the playlists say now.
    func record(_ read: ReadPresentation, _ limits: Presentation.Recording) async throws(BundleFailure) -> Copy {
        guard !read.url.lowercased().hasPrefix("file:") else {
            throw BundleFailure(
                .playlistRefused, "it has no #EXT-X-ENDLIST, and nothing will be added to a file on this machine",
                url: shownURL(read.url))
        }
        var recording = try await begin(read, limits)
        let fetches = LiveFetches()
        do throws(BundleFailure) {
            try await follow(&recording, fetches)
        } catch {
            await fetches.cancel()
            throw error
        }
        let plan = try await playablePlan(&recording)
        for text in [recording.gapText, recording.unevenText].compactMap(\.self) { warn(text) }
        let placed = plan.resources.compactMap { recording.placed[$0.path] }
        let folder = try path(Self.folder)
        do throws(SystemError) { _ = try staging.directory.removeTree(folder) } catch { throw BundleFailure(error) }
        return try await finish(plan, placed, recording.receipts)
    }

    /// Until nothing more is looked for, and all that can be had is here.
    private func follow(_ recording: inout LiveRecording, _ fetches: LiveFetches) async throws(BundleFailure) {
        let keys = keyRing()
        var salvage = salvage
        while true {
            try await collect(&recording, fetches, keys, salvage)
            // It is taken once; what is left of it isn't wanted.
            salvage = nil
            if recording.isOver { return }
            try await waitForMore(recording)
            let isLast = recording.limits.end.map { clock.now() >= $0 } ?? false
            try await recording.reload(reader, isLast: isLast, clock)
        }
    }

    /// What would not play has come once, and can't be had any more: it is lost like what never came, and what was recorded besides is kept.
    private func playablePlan(_ recording: inout LiveRecording) async throws(BundleFailure) -> OfflinePlan {
        while true {
            let plan = try recording.plan(planOptions)
            let faults = await placing.run { [staging] in
                // What is odd is told when the copy is finished.
                PlaylistVerdict(of: plan, in: staging.directory) { _ in }.faults()
            }
            if faults.isEmpty { return plan }
            let resources = Dictionary(plan.resources.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
            for fault in faults {
                guard fault.failure.code == .implausibleMedia, let path = fault.paths.first,
                    let resource = resources[path.description]
                else { throw fault.failure }
                // The next run may ask for it anew.
                try? staging.directory.remove(path)
                if let text = try recording.note(fault.failure, of: resource) { warn(text) }
            }
        }
    }

    private func begin(
        _ read: ReadPresentation, _ limits: Presentation.Recording
    ) async throws(BundleFailure) -> LiveRecording {
        let recorded = try await placing.attempt {
            () throws(BundleFailure) -> [String: FollowedPlaylist]? in try self.recorded(read)
        }
        if let end = limits.end, clock.now() >= end {
            guard let recorded else {
                throw BundleFailure(
                    .playlistRefused,
                    "it is live, and the time until which it was to be followed (\(end.rfc3339)) has passed",
                    url: shownURL(read.url))
            }
            warn(
                "\(shownURL(read.url)): nobody was there when the recording was to end: it ends where the last run had come to"
            )
            return LiveRecording(read, ended: recorded, limits: limits)
        }
        return try LiveRecording(read, recorded: recorded ?? [:], limits: limits, at: clock.uptime())
    }

    /// Fetches what is listed and isn't here, and takes what has come. What takes longer than the next reload is left to come meanwhile.
    private func collect(
        _ recording: inout LiveRecording, _ fetches: LiveFetches, _ keys: KeyRing, _ salvage: Salvage?
    ) async throws(BundleFailure) {
        // Before it is fetched: nobody but this run may know then what the files were.
        try await keep(recording)
        let resources = try recording.resources(planOptions)
        let missing = resources.filter { recording.placed[$0.path] == nil && !fetches.has($0) }
        progress.expect(files: resources.count, duration: recording.limits.length)
        try await confirmRepeats(&recording, resources)
        if !missing.isEmpty {
            var job = files(missing, keys: keys, salvage)
            job.trustsSalvage = true
            fetches.begin(missing, by: job)
        }
        if recording.isOver { await waitForAll(fetches) } else { await fetches.wait(timeToNextLook(recording)) }
        for outcome in fetches.take() {
            switch outcome.result {
            case .success(let file)?: recording.placed[outcome.resource.path] = file
            case .failure(var error)?:
                if control.reason != nil { throw BundleFailure(.paused, "stopped") }
                if error.code == .paused { error = BundleFailure(.timedOut, "it didn't come in time", url: error.url) }
                // What can be mended here is no gap.
                if [.noSpace, .libraryFailed].contains(error.code) { throw error }
                if let text = try recording.note(error, of: outcome.resource) { warn(text) }
            case nil: break
            }
        }
        if control.reason != nil { throw BundleFailure(.paused, "stopped") }
    }

    /// Waits for the last of it, as long as there is any that comes.
    private func waitForAll(_ fetches: LiveFetches) async {
        while !fetches.isIdle {
            let count = progress.fileCount
            await fetches.wait(clock.lastWait)
            if progress.fileCount == count { await fetches.cancel() }
        }
    }

    /// A name that is used again must stand for the same bytes: the copy has one file for both.
    private func confirmRepeats(
        _ recording: inout LiveRecording, _ resources: [PlannedResource]
    ) async throws(BundleFailure) {
        guard !recording.repeated.isEmpty else { return }
        for resource in resources {
            guard let placed = recording.placed[resource.path],
                recording.repeated.remove(.init(url: resource.url, range: resource.byteRange)) != nil
            else { continue }
            let condition = placed.source.validator.map { SourceFetcher.Condition.unless(validator: $0) } ?? .none
            let answer = try await slots.withSlot { () throws(BundleFailure) in
                try await fetcher.fetch(mirrors.source(resource.url), condition, part: resource.byteRange)
            }
            guard let file = answer else { continue }
            defer { file.discard() }
            if resource.byteRange == nil, resource.encryption == nil, file.digest == placed.digest { continue }
            throw BundleFailure(
                .playlistRefused, "the live presentation uses this name again, for another segment", url: file.url)
        }
    }

    private func waitForMore(_ recording: LiveRecording) async throws(BundleFailure) {
        let duration = timeToNextLook(recording)
        if duration > .zero { await clock.wait(duration, control) }
        if control.reason != nil { throw BundleFailure(.paused, "stopped") }
    }

    private func timeToNextLook(_ recording: LiveRecording) -> Duration {
        let duration = recording.nextLook - clock.uptime()
        return recording.limits.end.map { min(duration, $0.since(clock.now())) } ?? duration
    }

    private var control: RunControl { fetcher.control }

    // MARK: What a later run goes on with

    /// Notes what was seen and is here, beside it.
    private func keep(_ recording: LiveRecording) async throws(BundleFailure) {
        let bytes = Array(recording.text.utf8)
        guard bytes.count <= Self.recordingBytes else {
            throw BundleFailure(
                .playlistRefused, "what the live presentation has listed by now is too long to be noted")
        }
        let digest = SHA256.digest(of: bytes)
        // A name of its own: until the journal tells of it, the one before counts.
        let path = try path("\(Self.folder)/\(digest)")
        do throws(SystemError) {
            try await placing.attempt { [staging, recordingName] () throws(SystemError) in
                let folder = try staging.directory.subdirectory(path.parent ?? path, create: true)
                let earlier = try folder.names()
                if earlier.map(\.description) == ["\(digest)"] { return }
                // URLs may hold secrets.
                try staging.directory.replaceFile(path, with: bytes, mode: 0o600, flush: false)
                try staging.note(
                    Receipt.Source(url: recordingName, sizeBytes: Int64(bytes.count), sha256: digest), at: path)
                for name in earlier where name.description != "\(digest)" { try folder.remove(name) }
            }
        } catch {
            throw BundleFailure(error)
        }
    }

    /// What a run that was cut short had seen; nil where there is nothing, or it is about other playlists.
    private func recorded(_ read: ReadPresentation) throws(BundleFailure) -> [String: FollowedPlaylist]? {
        guard let salvage, let held = salvage.sources.last(where: { $0.url == recordingName }) else { return nil }
        let path = try path("\(Self.folder)/\(held.sha256)")
        do throws(LibraryError) {
            guard try salvage.take(held.sha256, sizeBytes: held.sizeBytes, to: path, in: staging) else { return nil }
        } catch {
            throw BundleFailure(error)
        }
        do throws(SystemError) {
            try staging.note(held, at: path)
            let text = String(
                decoding: try staging.directory.readFile(path, limitBytes: Self.recordingBytes), as: UTF8.self)
            guard let followed = LiveRecording.followed(text), Set(followed.keys) == Set(read.media.keys) else {
                return nil
            }
            return followed
        } catch {
            throw BundleFailure(error)
        }
    }
}

extension Timestamp {
    /// The time from another one to this; negative where that is later.
    fileprivate func since(_ other: Timestamp) -> Duration {
        .seconds(seconds &- other.seconds) + .nanoseconds(Int64(nanoseconds) - Int64(other.nanoseconds))
    }
}
