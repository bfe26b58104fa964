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
        var recording = try await follow(try await begin(read, limits))
        try recording.checkLength()
        let plan = try await playablePlan(&recording)
        for text in recording.losses { warn(text) }
        let placed = plan.resources.compactMap { recording.placed[$0.path] }
        let folder = try path(Self.folder)
        do throws(SystemError) { _ = try staging.directory.removeTree(folder) } catch { throw BundleFailure(error) }
        return try await finish(plan, placed, recording.receipts)
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
            // A segment may be in several playlists.
            var seen: Set<RelativePath> = []
            for fault in faults {
                guard fault.failure.code == .implausibleMedia, let path = fault.paths.first,
                    let resource = resources[path.description]
                else { throw fault.failure }
                guard seen.insert(path).inserted else { continue }
                // The next run may ask for it anew.
                try? staging.directory.remove(path)
                if let text = try recording.note(fault.failure, of: resource) { warn(text) }
            }
        }
    }

    /// - Returns: with what earlier runs had brought of the same recording.
    private func begin(
        _ read: ReadPresentation, _ limits: Presentation.Recording
    ) async throws(BundleFailure) -> (LiveRecording, Salvage?) {
        let salvage = salvage?.ofRuns(thatBrought: recordingName)
        let recorded = try await placing.attempt {
            () throws(BundleFailure) -> RecordedPresentation? in try self.recorded(read, salvage)
        }
        if let end = limits.end, clock.now() >= end {
            guard let recorded else {
                throw BundleFailure(
                    .playlistRefused,
                    "it is live, and the time until which it was to be followed (\(end.rfc3339)) has passed",
                    url: shownURL(read.url))
            }
            return (LiveRecording(read, ended: recorded, limits: limits), salvage)
        }
        if salvage != nil, recorded == nil {
            warn("\(shownURL(read.url)): what an earlier run had recorded can't be read: the recording begins anew")
        }
        let recording = try LiveRecording(read, recorded: recorded, limits: limits, at: clock)
        return (recording, recorded == nil ? nil : salvage)
    }

    /// Looks at the playlists and fetches what they list, until the recording is over and all of it is here.
    private func follow(_ begun: (LiveRecording, Salvage?)) async throws(BundleFailure) -> LiveRecording {
        var (recording, salvage) = begun
        let (fetches, keys) = (LiveFetches(), keyRing())
        // One segment that stalls keeps nobody from looking, nor the next ones from coming.
        let result = await withTaskGroup(of: Void.self) { group in
            await outcome { () throws(BundleFailure) in
                defer { group.cancelAll() }
                while true {
                    try takeIn(fetches.takeDone(), &recording)
                    // Before it is fetched: nobody but this run may know then what the files were.
                    try await keep(recording)
                    let resources = try recording.resources(planOptions)
                    progress.expect(files: resources.count, duration: recording.limits.length)
                    let missing = fetches.begin(resources.filter { recording.placed[$0.path] == nil })
                    if !missing.isEmpty {
                        let job = recordingFiles(missing, keys, salvage)
                        group.addTask { fetches.end(missing, await job.outcomes(stopsAtFailure: false)) }
                        // It is taken once; what is left of it isn't wanted.
                        salvage = nil
                    }
                    try await confirmRepeats(&recording, resources)
                    if recording.isOver {
                        if fetches.isDone { return }
                        if await allEnds(of: fetches) { continue }
                        group.cancelAll()
                        await group.waitForAll()
                        return try giveUp(fetches, &recording)
                    } else {
                        try await waitForMore(recording, fetches)
                        let isLast = recording.limits.end.map { clock.now() >= $0 } ?? false
                        try await recording.reload(reader, isLast: isLast, clock)
                    }
                }
            }
        }
        try result.get()
        return recording
    }

    private func recordingFiles(_ resources: [PlannedResource], _ keys: KeyRing, _ salvage: Salvage?) -> FileSetJob {
        var job = files(resources, keys: keys, salvage)
        job.trustsSalvage = true
        job.keepsUnproven = true
        return job
    }

    private func takeIn(_ outcomes: [LiveFetches.Outcome], _ recording: inout LiveRecording) throws(BundleFailure) {
        for (resource, result) in outcomes {
            switch result {
            case .success(let file): recording.placed[resource.path] = file
            case .failure(let error):
                if control.reason != nil { throw BundleFailure(.paused, "stopped") }
                if error.isOfMachine { throw error }
                if let text = try recording.note(error, of: resource) { warn(text) }
            }
        }
    }

    /// Waits for the last of it, as long as there is any that comes.
    /// - Returns: false where something hangs.
    private func allEnds(of fetches: LiveFetches) async -> Bool {
        while true {
            let count = progress.fileCount
            await fetches.wait(clock.lastWait)
            if fetches.isIdle { return true }
            if progress.fileCount == count { return false }
        }
    }

    /// Decides about what was cut short, and what was not even begun: it is lost.
    private func giveUp(_ fetches: LiveFetches, _ recording: inout LiveRecording) throws(BundleFailure) {
        try takeIn(fetches.takeDone().filter { $0.result.failure?.code != .paused }, &recording)
        if control.reason != nil { throw BundleFailure(.paused, "stopped") }
        for resource in try recording.resources(planOptions) where recording.placed[resource.path] == nil {
            let failure = BundleFailure(.timedOut, "it didn't come in time", url: shownURL(resource.url))
            if let text = try recording.note(failure, of: resource) { warn(text) }
        }
    }

    /// A name that is used again must stand for the same bytes: the copy has one file for both. Its server is asked for as long as it lists it.
    private func confirmRepeats(
        _ recording: inout LiveRecording, _ resources: [PlannedResource]
    ) async throws(BundleFailure) {
        for resource in resources {
            let name = LiveRecording.ResourceName(url: resource.url, range: resource.byteRange)
            guard recording.repeated.contains(name), let placed = recording.placed[resource.path] else { continue }
            do throws(BundleFailure) {
                try await confirm(resource, isStill: placed)
                recording.repeated.remove(name)
            } catch {
                if error.isOfMachine || error.code == .playlistRefused || !recording.mayStillCome(name) { throw error }
            }
        }
    }

    private func confirm(
        _ resource: PlannedResource, isStill placed: FileSetJob.Placed
    ) async throws(BundleFailure) {
        let condition = placed.source.validator.map { SourceFetcher.Condition.unless(validator: $0) } ?? .none
        let answer = try await slots.withSlot { () throws(BundleFailure) in
            try await fetcher.fetch(mirrors.source(resource.url), condition, part: resource.byteRange)
        }
        guard let file = answer else { return }
        defer { file.discard() }
        if resource.byteRange == nil, resource.encryption == nil, file.digest == placed.digest { return }
        throw BundleFailure(
            .playlistRefused, "the live presentation uses this name again, for another segment", url: file.url)
    }

    private func waitForMore(_ recording: LiveRecording, _ fetches: LiveFetches) async throws(BundleFailure) {
        var duration = recording.nextLook - clock.uptime()
        if let end = recording.limits.end { duration = min(duration, end.since(clock.now())) }
        if duration > .zero { await clock.wait(duration, control) { fetches.isIdle } }
        if control.reason != nil { throw BundleFailure(.paused, "stopped") }
    }

    private var control: RunControl { fetcher.control }

    // MARK: What a later run goes on with

    /// Notes what was seen and is here, beside it.
    private func keep(_ recording: LiveRecording) async throws(BundleFailure) {
        let bytes = Array(recording.recorded.text.utf8)
        guard bytes.count <= Self.recordingBytes else {
            throw BundleFailure(
                .playlistRefused, "what the live presentation has listed by now is too long to be noted")
        }
        let digest = SHA256.digest(of: bytes)
        // A name of its own: until it is there, the one before counts.
        let path = try path("\(Self.folder)/\(digest)")
        do throws(SystemError) {
            try await placing.attempt { [staging, recordingName] () throws(SystemError) in
                let folder = try staging.directory.subdirectory(path.parent ?? path, create: true)
                let earlier = try folder.names()
                if earlier.map(\.description) == ["\(digest)"] { return }
                // First: a file that is there and that nobody knows of is lost.
                try staging.note(
                    Receipt.Source(url: recordingName, sizeBytes: Int64(bytes.count), sha256: digest), at: path)
                // URLs may hold secrets.
                try staging.directory.replaceFile(path, with: bytes, mode: 0o600, flush: false)
                for name in earlier where name.description != "\(digest)" { try folder.remove(name) }
            }
        } catch {
            throw BundleFailure(error)
        }
    }

    /// What runs that were cut short had seen last; nil where there is nothing.
    /// - Throws: where it is about other playlists.
    private func recorded(
        _ read: ReadPresentation, _ salvage: Salvage?
    ) throws(BundleFailure) -> RecordedPresentation? {
        for held in salvage?.sources.reversed() ?? [] where held.url == recordingName {
            guard let recorded = try take(held, salvage) else { continue }
            guard Set(recorded.media.keys) == Set(read.lastingNames.values) else {
                throw BundleFailure(
                    .playlistRefused,
                    "the live presentation has other playlists than when its recording began. With \(LiveRecording.newBeginning)",
                    url: shownURL(read.url))
            }
            return recorded
        }
        return nil
    }

    private func take(_ held: Receipt.Source, _ salvage: Salvage?) throws(BundleFailure) -> RecordedPresentation? {
        let path = try path("\(Self.folder)/\(held.sha256)")
        do throws(SystemError) { try staging.note(held, at: path) } catch { throw BundleFailure(error) }
        do throws(LibraryError) {
            guard try salvage?.take(held.sha256, sizeBytes: held.sizeBytes, to: path, in: staging) == true else {
                return nil
            }
        } catch {
            throw BundleFailure(error)
        }
        do throws(SystemError) {
            let bytes = try staging.directory.readFile(path, limitBytes: Self.recordingBytes)
            return RecordedPresentation(String(decoding: bytes, as: UTF8.self))
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

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
