import BundleManifest
import ContentLibrary
import Diagnostics
import Platform
import Playlists

/// How far a live presentation has been followed: what was seen of its playlists, what of that is here, and when to look again.
struct LiveRecording: Sendable {
    typealias ResourceName = RecordedPresentation.ResourceName

    let limits: Presentation.Recording
    var presentation: ReadPresentation
    /// Those and the following by their URIs in the master playlist.
    var followed: [String: FollowedPlaylist] = [:]
    var looks: [String: Look] = [:]
    /// Playlists that are as long as was asked for.
    private var full: Set<String> = []
    /// When any of them had anything new.
    private var lastChange: Duration
    private var isEndReached = false
    /// What is missing at the end.
    var shortfall: BundleFailure?
    /// Names that stand for a later segment as well, as long as nobody has been told that it is the same.
    var repeated: Set<ResourceName> = []
    /// By the paths of what is here.
    var placed: [String: FileSetJob.Placed] = [:]

    /// What came of looking at a playlist. Times are those of a clock that only grows.
    struct Look {
        var next = Duration.zero
        /// When something new was listed last, in the world's time.
        var lastNews: Timestamp
        /// Since when nothing but what had been listed before is listed.
        var behindSince: Duration?
        /// Whether it couldn't be read the last time.
        var isUnreadable = false
    }

    /// - Parameter recorded: what an earlier run had seen of the same playlists.
    init(
        _ presentation: ReadPresentation, recorded: RecordedPresentation?, limits: Presentation.Recording,
        at clock: RunClock
    ) throws(BundleFailure) {
        (self.presentation, self.limits) = (presentation, limits)
        lastChange = clock.uptime()
        if let recorded { goOn(with: recorded) }
        for uri in presentation.media.keys.sorted() { try take(uri, at: lastChange, clock.now()) }
    }

    /// Ends what an earlier run had recorded, without looking for more.
    init(
        _ presentation: ReadPresentation, ended recorded: RecordedPresentation, limits: Presentation.Recording
    ) {
        (self.presentation, self.limits) = (presentation, limits)
        lastChange = .zero
        goOn(with: recorded)
        isEndReached = true
        guard !recorded.isWhole, let end = limits.end else { return }
        let silence = silence(before: end)
        fall(
            short: "nobody was there when the recording was to end: its last \(silence) s may be missing", .segmentsLost
        )
    }

    private mutating func goOn(with recorded: RecordedPresentation) {
        for (uri, name) in presentation.lastingNames {
            followed[uri] = recorded.media[name]?.followed
            looks[uri] = recorded.media[name].map { Look(lastNews: $0.lastNews) }
        }
        repeated = recorded.repeated
    }

    var receipts: [Receipt.Source] { presentation.receipts }

    /// Whether nothing more is looked for.
    var isOver: Bool { isEndReached || followed.allSatisfy { full.contains($0.key) || $0.value.hasEnded } }

    /// What a later run goes on with.
    var recorded: RecordedPresentation {
        let names = presentation.lastingNames
        var media: [String: RecordedPresentation.Media] = [:]
        for (uri, followed) in followed {
            guard let name = names[uri], let look = looks[uri] else { continue }
            media[name] = RecordedPresentation.Media(followed: followed, lastNews: look.lastNews)
        }
        return RecordedPresentation(media: media, repeated: repeated, isWhole: isOver && shortfall == nil)
    }

    /// What was listed so far. A playlist in which there isn't anything yet keeps nothing of the others from being fetched.
    func resources(_ options: OfflinePlan.Options) throws(BundleFailure) -> [PlannedResource] {
        let filled = followed.filter { $0.value.playlist.segments.contains { !$0.isGap } }
        if isOver || filled.count == followed.count { return try plan(options).resources }
        var options = options
        options.allowsLive = true
        var resources: [PlannedResource] = []
        for (uri, followed) in filled.sorted(by: { $0.key < $1.key }) {
            do throws(PlanRefusal) { resources += try OfflinePlan(source(uri, followed), options).resources } catch {
                throw BundleFailure(.playlistRefused, "\(error)", url: shownURL(presentation.url))
            }
        }
        var seen: Set<String> = []
        return resources.filter { seen.insert($0.path).inserted }
    }

    func plan(_ options: OfflinePlan.Options) throws(BundleFailure) -> OfflinePlan {
        var options = options
        options.allowsLive = true
        var copy = presentation
        for (uri, followed) in followed { copy.media[uri]?.source = source(uri, followed) }
        return try copy.plan(options)
    }

    private func source(_ uri: String, _ followed: FollowedPlaylist) -> OfflinePlan.Source {
        let url = presentation.media[uri]?.source.url ?? presentation.url
        // Its URIs are absolute by now.
        return OfflinePlan.Source(playlist: followed.playlist, address: PlaylistAddress(url: url), url: url)
    }

    // MARK: Looking again

    /// When it is time to look again.
    var nextLook: Duration { waiting.compactMap { looks[$0]?.next }.min() ?? .zero }

    /// How long a question may take that keeps from looking.
    func patienceOfLook(_ clock: RunClock) -> Duration {
        min(clock.answerTime, max(.seconds(1), nextLook - clock.uptime()))
    }

    var waiting: [String] {
        followed.filter { !full.contains($0.key) && !$0.value.hasEnded }.map(\.key).sorted()
    }

    /// Reads those playlists again whose time has come, all at once. One that can't be read has not changed.
    /// - Parameter isLast: reads all of them, for the last time.
    mutating func reload(
        _ reader: PresentationReader, isLast: Bool, _ clock: RunClock
    ) async throws(BundleFailure) {
        let (time, now) = (clock.uptime(), clock.now())
        let due = waiting.filter { isLast || looks[$0]?.next ?? .zero <= time }
        let answers = await answers(due, reader, clock)
        for uri in due {
            switch answers[uri] {
            case .success(let media?):
                presentation.media[uri] = media
                looks[uri]?.isUnreadable = false
                try take(uri, at: time, now)
            case .success(nil):
                looks[uri]?.isUnreadable = false
                plan(uri, from: time, hasChanged: false)
                try checkPace(uri, at: time)
            case .failure(let error):
                if error.isOfMachine { throw error }
                if looks[uri]?.isUnreadable == false {
                    reader.warn("\(error): the live playlist is asked for again")
                }
                looks[uri]?.isUnreadable = true
                plan(uri, from: time, hasChanged: false)
            case nil: break
            }
        }
        if isLast {
            isEndReached = true
            checkEnd(limits.end ?? now)
        } else if limits.end == nil, !isOver, clock.uptime() - lastChange > patience {
            throw BundleFailure(
                .streamStalled,
                "nothing new has come of the live presentation for \(patience.components.seconds) s; the next run goes on with what is here",
                url: shownURL(presentation.url))
        }
    }

    private func answers(
        _ uris: [String], _ reader: PresentationReader, _ clock: RunClock
    ) async -> [String: Result<ReadPresentation.Media?, BundleFailure>] {
        await withTaskGroup(of: (String, Result<ReadPresentation.Media?, BundleFailure>).self) { group in
            for uri in uris {
                guard let media = presentation.media[uri] else { continue }
                let limit = max(followed[uri]?.reloadDelay(hasChanged: true) ?? .zero, clock.answerTime)
                group.addTask {
                    (uri, await outcome { () throws(BundleFailure) in try await reader.reload(media, within: limit) })
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// How long a stream may bring nothing before it is said to stand still.
    var patience: Duration {
        max(.seconds(60), (followed.values.map { $0.reloadDelay(hasChanged: true) }.max() ?? .zero) * 10)
    }

    private mutating func take(_ uri: String, at time: Duration, _ now: Timestamp) throws(BundleFailure) {
        guard let source = presentation.media[uri]?.source else { return }
        // An earlier run may have had all of it.
        if isFull(uri) || followed[uri]?.hasEnded == true { return }
        let knownCount = followed[uri]?.playlist.segments.count ?? 0
        do throws(FollowProblem) {
            if followed[uri] == nil {
                followed[uri] = try FollowedPlaylist(source.playlist, at: source.address)
            } else {
                try followed[uri]?.take(source.playlist, at: source.address, mayHaveGaps: limits.mayHaveGaps)
            }
        } catch {
            throw failure(error, source.url)
        }
        guard followed.values.reduce(0, { $0 + $1.playlist.segments.count }) <= PresentationReader.maximumSegments
        else {
            throw BundleFailure(
                .playlistRefused,
                "its playlists have had more than \(PresentationReader.maximumSegments) segments together",
                url: shownURL(source.url))
        }
        let segments = followed[uri]?.playlist.segments ?? []
        noteRepeats(among: segments.dropFirst(knownCount), after: segments.prefix(knownCount))
        _ = isFull(uri)
        let hasChanged = segments.count > knownCount
        if looks[uri] == nil || hasChanged {
            looks[uri, default: Look(lastNews: now)].lastNews = now
        }
        if hasChanged { lastChange = time }
        plan(uri, from: time, hasChanged: hasChanged)
        try checkPace(uri, at: time)
    }

    /// Whether a playlist is as long as was asked for; what is behind that is left out.
    private mutating func isFull(_ uri: String) -> Bool {
        guard let length = limits.length, followed[uri]?.cut(to: length) == true else { return false }
        full.insert(uri)
        return true
    }

    /// What came under a name that an earlier segment had: nothing but its server can tell whether it is the same.
    private mutating func noteRepeats(among new: ArraySlice<MediaSegment>, after known: ArraySlice<MediaSegment>) {
        guard !new.isEmpty else { return }
        var names = Set(known.lazy.filter { !$0.isGap }.map { ResourceName(url: $0.uri, range: $0.byteRange) })
        for segment in new where !segment.isGap {
            let name = ResourceName(url: segment.uri, range: segment.byteRange)
            if !names.insert(name).inserted { repeated.insert(name) }
        }
    }

    /// Plans the next look.
    private mutating func plan(_ uri: String, from time: Duration, hasChanged: Bool) {
        looks[uri]?.next = time + (followed[uri]?.reloadDelay(hasChanged: hasChanged) ?? .zero)
    }

    /// Whether what a server lists is older than what it listed before for longer than a cache may take.
    private mutating func checkPace(_ uri: String, at time: Duration) throws(BundleFailure) {
        guard let followed = followed[uri], followed.isBehind else {
            looks[uri]?.behindSince = nil
            return
        }
        let since = looks[uri]?.behindSince ?? time
        looks[uri]?.behindSince = since
        if time - since > followed.reloadDelay(hasChanged: true) * 3 {
            throw failure(.beganAnew, presentation.media[uri]?.source.url ?? presentation.url)
        }
    }
}
