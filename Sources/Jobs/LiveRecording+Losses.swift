import BundleManifest
import Diagnostics
import Platform
import Playlists

/// What of a live presentation is missing, or can't be had any more, and what becomes of the recording then.
extension LiveRecording {
    // MARK: At the end

    /// Whether all came that was to come by this time.
    mutating func checkEnd(_ end: Timestamp) {
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
    func silence(before end: Timestamp) -> Int64 {
        let begun = waiting.filter { followed[$0]?.playlist.segments.isEmpty == false }
        return begun.compactMap { looks[$0].map { end.seconds &- $0.lastNews.seconds } }.max().map { max(0, $0) } ?? 0
    }

    mutating func fall(short text: String, _ code: BundleFailure.Code) {
        shortfall = BundleFailure(code, text, url: shownURL(presentation.url))
    }

    /// - Throws: where the copy would end before its time, and mustn't: what came is of use to a run that lets it.
    func checkLength() throws(BundleFailure) {
        guard let shortfall, !limits.mayHaveGaps else { return }
        throw BundleFailure(
            shortfall.code, "\(shortfall.message). \(Self.waysOut("ends before that"))", url: shortfall.url)
    }

    // MARK: While it is followed

    func failure(_ problem: FollowProblem, _ url: String) -> BundleFailure {
        switch problem {
        case .lost: BundleFailure(.segmentsLost, "\(problem). \(Self.waysOut("has a gap there"))", url: shownURL(url))
        case .beganAnew, .tooLong, .sectionsEnd:
            BundleFailure(.playlistRefused, "\(problem). With \(Self.newBeginning)", url: shownURL(url))
        case .deltaUpdate, .address: BundleFailure(.playlistRefused, "\(problem)", url: shownURL(url))
        }
    }

    /// What the manifest's author may do.
    static let newBeginning = "another \"version\" in the manifest the recording begins anew"

    private static func waysOut(_ consequence: String) -> String {
        "With \"gaps\": true in the manifest the copy \(consequence); with \(newBeginning)"
    }

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
        return [gaps == 0 ? nil : text, shortfall?.message, unevenText].compactMap(\.self)
    }

    /// What one of the playlists lacks at its end; nil where all are as long as far as anybody can hear or see.
    private var unevenText: String? {
        let durations = followed.values.map(\.playlist.duration)
        let target = followed.values.map(\.playlist.coveringTargetDuration).max() ?? .zero
        guard let longest = durations.max(), let shortest = durations.min(), longest - shortest > target * 2 else {
            return nil
        }
        return
            "of the live presentation's playlists the shortest plays \(SegmentIndex.seconds(shortest)) s, and the longest \(SegmentIndex.seconds(longest)) s"
    }
}
