import BundleManifest
import ContentLibrary
import Diagnostics
import Platform
import Playlists

/// How far a live presentation has been followed: what was seen of its playlists, what of that is here, and when to look again. Times are those of
/// a clock that only grows.
struct LiveRecording: Sendable {
    let limits: Presentation.Recording
    private var presentation: ReadPresentation
    private var followed: [String: FollowedPlaylist]
    /// Playlists that are as long as was asked for.
    private var full: Set<String> = []
    private var nextReloads: [String: Duration] = [:]
    private var lastChange: Duration
    private var isEndReached = false
    /// Names that stand for a later segment as well, as long as nobody has asked whether it is the same.
    var repeated: Set<ResourceName> = []
    /// Playlists that couldn't be read the last time.
    private var unreadable: Set<String> = []
    /// By the paths of what is here.
    var placed: [String: FileSetJob.Placed] = [:]

    /// - Parameter recorded: what an earlier run had seen of the same playlists.
    init(
        _ presentation: ReadPresentation, recorded: [String: FollowedPlaylist], limits: Presentation.Recording,
        at time: Duration
    ) throws(BundleFailure) {
        self.presentation = presentation
        self.limits = limits
        followed = recorded
        lastChange = time
        for uri in presentation.media.keys.sorted() { try take(uri, loadedAt: time) }
    }

    /// Ends what an earlier run had recorded, without looking for more.
    init(
        _ presentation: ReadPresentation, ended recorded: [String: FollowedPlaylist], limits: Presentation.Recording
    ) {
        self.presentation = presentation
        self.limits = limits
        followed = recorded
        lastChange = .zero
        isEndReached = true
    }

    var receipts: [Receipt.Source] { presentation.receipts }

    /// Whether nothing more is looked for.
    var isOver: Bool { isEndReached || followed.allSatisfy { full.contains($0.key) || $0.value.hasEnded } }

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
    var nextLook: Duration { waiting.compactMap { nextReloads[$0] }.min() ?? .zero }

    private var waiting: [String] {
        followed.filter { !full.contains($0.key) && !$0.value.hasEnded }.map(\.key).sorted()
    }

    /// Reads those playlists again whose time has come. One that can't be read has not changed.
    /// - Parameter isLast: reads all of them, for the last time.
    mutating func reload(
        _ reader: PresentationReader, isLast: Bool, _ clock: RunClock
    ) async throws(BundleFailure) {
        for uri in waiting {
            let time = clock.uptime()
            guard isLast || nextReloads[uri] ?? .zero <= time, let known = presentation.media[uri] else { continue }
            var reloaded: ReadPresentation.Media?
            do throws(BundleFailure) {
                let delay = followed[uri]?.reloadDelay(hasChanged: true) ?? .zero
                reloaded = try await reader.reload(known, within: max(delay, clock.answerTime))
                unreadable.remove(uri)
            } catch {
                if error.code == .paused { throw error }
                if unreadable.insert(uri).inserted { reader.warn("\(error): the live playlist is asked for again") }
            }
            if let reloaded {
                presentation.media[uri] = reloaded
                try take(uri, loadedAt: time)
            } else {
                plan(uri, from: time, hasChanged: false)
            }
        }
        isEndReached = isLast
        guard limits.end == nil, !isOver, clock.uptime() - lastChange > patience else { return }
        throw BundleFailure(
            .streamStalled,
            "nothing new has come of the live presentation for \(patience.components.seconds) s; the next run goes on with what is here",
            url: shownURL(presentation.url))
    }

    /// How long a stream may bring nothing, where no time is set for its end.
    private var patience: Duration {
        max(.seconds(60), (followed.values.map { $0.reloadDelay(hasChanged: true) }.max() ?? .zero) * 10)
    }

    private mutating func take(_ uri: String, loadedAt time: Duration) throws(BundleFailure) {
        guard let source = presentation.media[uri]?.source else { return }
        // An earlier run may have had all of it.
        if isFull(uri) || followed[uri]?.hasEnded == true { return }
        let known = followed[uri]?.playlist.segments ?? []
        var newCount = 0
        do throws(FollowProblem) {
            if var known = followed[uri] {
                newCount = try known.take(source.playlist, at: source.address, mayHaveGaps: limits.mayHaveGaps)
                followed[uri] = known
            } else {
                followed[uri] = try FollowedPlaylist(source.playlist, at: source.address)
                newCount = source.playlist.segments.count
            }
        } catch {
            throw failure(error, source.url)
        }
        noteRepeats(among: followed[uri]?.playlist.segments.dropFirst(known.count) ?? [], after: known)
        _ = isFull(uri)
        if newCount > 0 { lastChange = time }
        plan(uri, from: time, hasChanged: newCount > 0)
    }

    /// Whether a playlist is as long as was asked for; what is behind that is left out.
    private mutating func isFull(_ uri: String) -> Bool {
        guard let length = limits.length, followed[uri]?.cut(to: length) == true else { return false }
        full.insert(uri)
        return true
    }

    /// What came under a name that an earlier segment had: nothing but its server can tell whether it is the same.
    private mutating func noteRepeats(among new: ArraySlice<MediaSegment>, after known: [MediaSegment]) {
        guard !new.isEmpty else { return }
        var names = Set(known.lazy.filter { !$0.isGap }.map { ResourceName(url: $0.uri, range: $0.byteRange) })
        for segment in new where !segment.isGap {
            let name = ResourceName(url: segment.uri, range: segment.byteRange)
            if !names.insert(name).inserted { repeated.insert(name) }
        }
    }

    struct ResourceName: Hashable {
        let url: String
        let range: ByteRange?
    }

    private mutating func plan(_ uri: String, from time: Duration, hasChanged: Bool) {
        nextReloads[uri] = time + (followed[uri]?.reloadDelay(hasChanged: hasChanged) ?? .zero)
    }

    private func failure(_ problem: FollowProblem, _ url: String) -> BundleFailure {
        switch problem {
        case .lost: BundleFailure(.segmentsLost, "\(problem). \(Self.waysOut)", url: shownURL(url))
        case .beganAnew, .tooLong:
            BundleFailure(.playlistRefused, "\(problem). With \(Self.newRecording)", url: shownURL(url))
        case .deltaUpdate, .address: BundleFailure(.playlistRefused, "\(problem)", url: shownURL(url))
        }
    }

    private static let newRecording = "another \"version\" in the manifest the recording begins anew"
    private static let waysOut = "With \"gaps\": true the copy has a gap there; with \(newRecording)"

    // MARK: What can't be had

    /// Decides about a resource that couldn't be fetched: it is tried again for as long as its server lists it, and then is a gap or the end.
    /// - Returns: what is to be told of it; nil while it may still come.
    mutating func note(_ failure: BundleFailure, of resource: PlannedResource) throws(BundleFailure) -> String? {
        guard resource.role == .segment else {
            // Without a key or a section nothing of what follows would play.
            if isOver { throw failure }
            return nil
        }
        if !isOver, followed.values.contains(where: { $0.lists(resource.url, resource.byteRange) }) { return nil }
        guard limits.mayHaveGaps else {
            throw BundleFailure(
                .segmentsLost, "\(failure.message): a segment of the live presentation is lost. \(Self.waysOut)",
                url: failure.url)
        }
        for uri in followed.keys { _ = followed[uri]?.markLost(resource.url, resource.byteRange) }
        return "\(failure): the segment is lost, and the copy has a gap of \(SegmentIndex.seconds(resource.duration)) s"
    }

    /// What was never seen, for people; nil when nothing was.
    var gapText: String? {
        let gaps = followed.values.map { playlist in playlist.playlist.segments.count { $0.isGap } }.max() ?? 0
        return gaps == 0 ? nil : "the copy of the live presentation has gaps: \(gaps) segments that couldn't be had"
    }

    /// What one of the playlists lacks at its end, for people; nil where all are as long as far as anybody can hear or see.
    var unevenText: String? {
        let durations = followed.values.map(\.playlist.duration)
        guard let longest = durations.max(), let shortest = durations.min(),
            longest - shortest > (followed.values.map(\.playlist.coveringTargetDuration).max() ?? .zero) * 2
        else { return nil }
        return
            "of the live presentation's playlists the shortest plays \(SegmentIndex.seconds(shortest)) s, and the longest \(SegmentIndex.seconds(longest)) s"
    }

    // MARK: Between runs

    private static let separator = "#LARDER-FOLLOWED:"

    /// What was seen, as text that a later run goes on with.
    var text: String {
        followed.sorted { $0.key < $1.key }.reduce(into: "") { text, entry in
            text += Self.separator + entry.key + "\n" + PlaylistWriter.text(of: .media(entry.value.playlist))
        }
    }

    /// Nil for what no run had written.
    static func followed(_ text: String) -> [String: FollowedPlaylist]? {
        var followed: [String: FollowedPlaylist] = [:]
        for part in text.components(startingWith: separator) {
            guard let lineEnd = part.firstIndex(of: "\n") else { return nil }
            let bytes = Array(part[part.index(after: lineEnd)...].utf8)
            let context = PlaylistParser.Context(url: "", importableVariables: nil)
            guard case .media(let playlist)? = PlaylistParser.parse(bytes, context).playlist else { return nil }
            followed[String(part[..<lineEnd])] = FollowedPlaylist(recorded: playlist)
        }
        return followed.isEmpty ? nil : followed
    }
}

extension String {
    /// What follows each line that begins so, up to the next.
    fileprivate func components(startingWith mark: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while rest.hasPrefix(mark) {
            rest = rest.dropFirst(mark.count)
            let end = rest.firstRange(of: "\n" + mark).map { rest.index(after: $0.lowerBound) } ?? rest.endIndex
            parts.append(rest[..<end])
            rest = rest[end...]
        }
        return parts
    }
}
