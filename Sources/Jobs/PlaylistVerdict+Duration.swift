import Platform
import Playlists

/// How long a copy plays.
extension PlaylistVerdict {
    /// Looks at a copy before it is published: at its playlists as they were written, and whether they play as long as what they are copies of.
    static func check(
        _ plan: OfflinePlan, asWrittenIn directory: Directory, warn: @escaping (String) -> Void
    ) throws(Fault) {
        let written: [PlannedPlaylist]
        do throws(BundleFailure) {
            written = try PublishedPlaylists(directory).playlists
            try checkDurations(of: written, against: plan.playlists)
        } catch {
            throw Fault(failure: error, paths: [])
        }
        try PlaylistVerdict(written, in: directory, urls: plan.urls, warn: warn).check()
    }

    private static func checkDurations(
        of written: [PlannedPlaylist], against planned: [PlannedPlaylist]
    ) throws(BundleFailure) {
        let copies = Dictionary(written.map { ($0.path, $0.content) }, uniquingKeysWith: { first, _ in first })
        for playlist in planned {
            guard let due = playlist.originalDuration else { continue }
            guard case .media(let copy)? = copies[playlist.path] else {
                throw BundleFailure(.implausibleMedia, "the playlist is missing", url: playlist.path)
            }
            let played = copy.playedDuration
            guard played == due else {
                let (played, due) = (PlaylistWriter.seconds(played), PlaylistWriter.seconds(due))
                throw BundleFailure(
                    .implausibleMedia, "it plays \(played) s, and what it is a copy of \(due) s", url: playlist.path)
            }
        }
    }
}

/// Whether the clocks that segments begin with go as the playlist says: in the time that a segment plays. A clock may begin anew only where the
/// playlist tells of a discontinuity.
struct ClockPace {
    private var last: (clock: ProgramClock, duration: Duration)?
    private var isOdd = false

    /// Whole seconds are all that old playlists tell.
    private static let tolerance = Duration.seconds(1)

    /// - Parameter clock: what the segment begins with, where anybody can tell.
    /// - Returns: what is odd about it; only once.
    mutating func take(_ clock: ProgramClock?, of segment: MediaSegment) -> String? {
        defer { last = clock.map { ($0, segment.duration) } }
        guard !isOdd, !segment.isDiscontinuity, let last, let elapsed = clock?.elapsed(since: last.clock),
            abs(elapsed - last.duration) > max(last.duration / 2, Self.tolerance)
        else { return nil }
        isOdd = true
        return
            "by its clock what comes before it plays \(PlaylistWriter.seconds(elapsed)) s, and by the playlist \(PlaylistWriter.seconds(last.duration)) s: a segment may be another's, or one missing"
    }

    private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
}

extension OfflinePlan {
    /// Where each file comes from, by its path.
    var urls: [String: String] {
        Dictionary(resources.map { ($0.path, $0.url) }, uniquingKeysWith: { first, _ in first })
    }
}
