import BundleManifest
import ContentLibrary
import Diagnostics
import Platform
import Playlists

/// Live presentations: their playlists are read again and again (RFC 8216 §6.3.4), and what they name is fetched while it is there.
extension HLSJob {
    /// Of one piece of a record: as much as is read of a playlist.
    private static let recordBytes = PlaylistLimits().textBytes

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
        let salvage = salvage?.ofRuns(thatKept: recordingName)
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
        var kept: RecordedPresentation?
        var isGivenUp = false
        // One segment that stalls keeps nobody from looking, nor the next ones from coming. Of what has ended nothing is kept: a day has many.
        let result = await withDiscardingTaskGroup { group in
            await outcome { () throws(BundleFailure) in
                defer { group.cancelAll() }
                while true {
                    try takeIn(fetches.takeDone(), &recording)
                    // Before it is fetched: nobody but this run may know then what the files were.
                    try await keep(recording.recorded, &kept)
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
                        isGivenUp = true
                        return
                    } else {
                        try await waitForMore(recording, fetches)
                        let isLast = recording.limits.end.map { clock.now() >= $0 } ?? false
                        try await recording.reload(reader, isLast: isLast, clock)
                    }
                }
            }
        }
        try result.get()
        if isGivenUp { try giveUp(fetches, &recording) }
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

    /// A name that is used again must stand for the same bytes: the copy has one file for both. Its server is asked for as long as it lists it, and
    /// what isn't answered before the next look is asked again then.
    private func confirmRepeats(
        _ recording: inout LiveRecording, _ resources: [PlannedResource]
    ) async throws(BundleFailure) {
        let patience = recording.isOver ? clock.lastWait : recording.patienceOfLook(clock)
        let end = ContinuousClock.now + patience
        for resource in resources {
            let name = LiveRecording.ResourceName(url: resource.url, range: resource.byteRange)
            guard recording.repeated.contains(name), let placed = recording.placed[resource.path] else { continue }
            let left = max(.zero, end - .now)
            if left == .zero, !recording.isOver { return }
            do throws(BundleFailure) {
                let answer = await outcome(within: left) { () throws(BundleFailure) in
                    try await confirm(resource, isStill: placed)
                }
                if control.reason != nil { throw BundleFailure(.paused, "stopped") }
                guard let answer else {
                    throw BundleFailure(
                        .timedOut, "nobody said in time whether the name still means the same",
                        url: shownURL(resource.url))
                }
                try answer.get()
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

    /// Writes down what is new of what was seen.
    /// - Parameter kept: what this run has written down.
    private func keep(
        _ recorded: RecordedPresentation, _ kept: inout RecordedPresentation?
    ) async throws(BundleFailure) {
        guard recorded != kept else { return }
        try await recorded.writePieces(since: kept) { text throws(BundleFailure) in
            guard text.utf8.count <= Self.recordBytes else {
                throw BundleFailure(
                    .playlistRefused, "what the live presentation has listed by now is too long to be noted")
            }
            do throws(SystemError) {
                try await placing.attempt { [staging, recordingName] () throws(SystemError) in
                    try staging.note(text, of: recordingName)
                }
            } catch {
                throw BundleFailure(error)
            }
        }
        kept = recorded
    }

    /// What runs that were cut short had seen last; nil where there is nothing.
    /// - Throws: where it is about other playlists.
    private func recorded(
        _ read: ReadPresentation, _ salvage: Salvage?
    ) throws(BundleFailure) -> RecordedPresentation? {
        let found = salvage?.records(named: recordingName).reversed().lazy.compactMap { RecordedPresentation($0) }.first
        guard let found else { return nil }
        guard Set(found.media.keys) == Set(read.lastingNames.values) else {
            throw BundleFailure(
                .playlistRefused,
                "the live presentation has other playlists than when its recording began. With \(LiveRecording.newBeginning)",
                url: shownURL(read.url))
        }
        return found
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
