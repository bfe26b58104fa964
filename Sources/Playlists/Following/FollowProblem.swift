/// Why a live playlist can't be followed any further.
package enum FollowProblem: Error, Equatable, CustomStringConvertible {
    /// So many segments came and went while nobody looked.
    case lost(count: UInt64)
    /// Its numbers mean other segments than before.
    case beganAnew
    case deltaUpdate
    /// A segment needs no initialization section, and those before it do: no tag takes one back (RFC 8216 §4.3.2.5).
    case sectionsEnd
    /// It has more segments than a playlist may have.
    case tooLong
    case address(AddressProblem)

    package var description: String {
        switch self {
        case .lost(let count):
            "\(count == 1 ? "a segment" : "\(count) segments") of the live playlist came and went unseen, and can't be had any more"
        case .beganAnew: "the live playlist began anew: its numbers stand for other segments than before"
        case .tooLong: "the live playlist has had more than \(FollowedPlaylist.maximumSegments) segments"
        case .deltaUpdate: "the live playlist leaves segments out (#EXT-X-SKIP) that it was not asked to leave out"
        case .sectionsEnd: "the live playlist changed to segments without an initialization section"
        case .address(let problem): problem.description
        }
    }
}
