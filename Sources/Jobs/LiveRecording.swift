import BundleManifest
import ContentLibrary
import Diagnostics
import Platform
import Playlists

/// How far a live presentation has been followed: what was seen of its playlists, what of that is here, and when to look again.
struct LiveRecording: Sendable {
    typealias ResourceName = RecordedPresentation.ResourceName

    let limits: Presentation.Recording
    private var presentation: ReadPresentation
    /// Those and the following by their URIs in the master playlist.
    private var followed: [String: FollowedPlaylist] = [:]
    private var looks: [String: Look] = [:]
    /// Playlists that are as long as was asked for.
    private var full: Set<String> = []
    /// When any of them had anything new.
    private var lastChange: Duration
    private var isEndReached = false
    /// What is missing at the end.
    private var shortfall: BundleFailure?
    /// Names that stand for a later segment as well, as long as nobody has been told that it is the same.
    var repeated: Set<ResourceName> = []
    /// By the paths of what is here.
    var placed: [String: FileSetJob.Placed] = [:]

    /// What came of looking at a playlist. Times are those of a clock that only grows.
    private struct Look {
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

    private var waiting: [String] {
        followed.filter { !full.contains($0.key) && !$0.value.hasEnded }.map(\.key).sorted()
    }

    /// Reads those playlists again whose time has come, all at once. One that can't be read has not changed.
    /// - Parameter isLast: reads all of them, for the last time.
    mutating func reload(
        _ reader: PresentationReader, isLast: Bool, _ clock: RunClock
    ) async throws(BundleFailure) {
        let (time, now) = (clock.uptime(), clock.now())
        let due = waiting.filter { isLast || looks[$0]?.next ?? .zero <= time }
        let answers = await answers(due, reader)
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
        _ uris: [String], _ reader: PresentationReader
    ) async -> [String: Result<ReadPresentation.Media?, BundleFailure>] {
        await withTaskGroup(of: (String, Result<ReadPresentation.Media?, BundleFailure>).self) { group in
            for uri in uris {
                guard let media = presentation.media[uri] else { continue }
                group.addTask {
                    (uri, await outcome { () throws(BundleFailure) in try await reader.reload(media) })
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// How long a stream may bring nothing before it is said to stand still.
    private var patience: Duration {
        max(.seconds(60), (followed.values.map { $0.reloadDelay(hasChanged: true) }.max() ?? .zero) * 10)
    }

    /// Whether all came that was to come by this time.
    private mutating func checkEnd(_ end: Timestamp) {
        let silence = silence(before: end)
        if waiting.contains(where: { looks[$0]?.isUnreadable == true }) {
            fall(
                short:
                    "the live presentation couldn't be read when its recording was to end: its last \(silence) s may be missing",
                .segmentsLost)
        } else if silence > patience.components.seconds {
            fall(
                short: "the live presentation brought nothing new in the last \(silence) s of its recording",
                .streamStalled)
        }
    }

    /// For how many seconds the playlist that stands still the longest has brought nothing. One in which there never was anything isn't counted.
    private func silence(before end: Timestamp) -> Int64 {
        let begun = waiting.filter { followed[$0]?.playlist.segments.isEmpty == false }
        return begun.compactMap { looks[$0].map { end.seconds &- $0.lastNews.seconds } }.max().map { max(0, $0) } ?? 0
    }

    private mutating func fall(short text: String, _ code: BundleFailure.Code) {
        shortfall = BundleFailure(code, text, url: shownURL(presentation.url))
    }

    /// - Throws: where the copy would end before its time, and mustn't: what came is of use to a run that lets it.
    func checkLength() throws(BundleFailure) {
        guard let shortfall, !limits.mayHaveGaps else { return }
        throw BundleFailure(
            shortfall.code, "\(shortfall.message). \(Self.waysOut("ends before that"))", url: shortfall.url)
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

    private func failure(_ problem: FollowProblem, _ url: String) -> BundleFailure {
        switch problem {
        case .lost: BundleFailure(.segmentsLost, "\(problem). \(Self.waysOut("has a gap there"))", url: shownURL(url))
        case .beganAnew: BundleFailure(.playlistRefused, "\(problem). With \(Self.newBeginning)", url: shownURL(url))
        default: BundleFailure(.playlistRefused, "\(problem)", url: shownURL(url))
        }
    }

    /// What the manifest's author may do.
    static let newBeginning = "another \"version\" in the manifest the recording begins anew"

    private static func waysOut(_ consequence: String) -> String {
        "With \"gaps\": true in the manifest the copy \(consequence); with \(newBeginning)"
    }

    // MARK: What can't be had

    /// Decides about a resource that couldn't be fetched: it is tried again for as long as its server lists it, and then is a gap or the end.
    /// - Returns: what is to be told of it; nil while it may still come.
    mutating func note(_ failure: BundleFailure, of resource: PlannedResource) throws(BundleFailure) -> String? {
        guard resource.role == .segment else {
            // Without a key or a section nothing of what follows would play.
            if isOver { throw failure }
            return nil
        }
        if mayStillCome(ResourceName(url: resource.url, range: resource.byteRange)) { return nil }
        guard limits.mayHaveGaps else {
            throw BundleFailure(
                .segmentsLost,
                "\(failure.message): a segment of the live presentation is lost. \(Self.waysOut("has a gap there"))",
                url: failure.url)
        }
        for uri in followed.keys { _ = followed[uri]?.markLost(resource.url, resource.byteRange) }
        return "\(failure): the segment is lost, and the copy has a gap of \(SegmentIndex.seconds(resource.duration)) s"
    }

    /// Whether a server lists this yet, and will be asked again.
    func mayStillCome(_ name: ResourceName) -> Bool {
        !isOver && followed.values.contains { $0.lists(name.url, name.range) }
    }

    /// What the copy lacks, for people.
    var losses: [String] {
        let gaps = followed.values.map { playlist in playlist.playlist.segments.count { $0.isGap } }.max() ?? 0
        let text = "the copy of the live presentation has gaps: \(gaps) segments that couldn't be had"
        return (gaps == 0 ? [] : [text]) + (shortfall.map { [$0.message] } ?? [])
    }
}
