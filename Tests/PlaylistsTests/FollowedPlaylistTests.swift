import Playlists
import Testing

@Suite struct FollowedPlaylistTests {
    private let address = PlaylistAddress(url: "https://cdn.example/live/list.m3u8")

    private func playlist(_ start: Int, _ lines: String..., tags: String = "") throws -> MediaPlaylist {
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(start)\n\(tags)" + lines.joined(separator: "\n")
            + "\n"
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: "https://cdn.example/live/list.m3u8"))
        guard case .media(let media)? = outcome.playlist else { throw Unreadable() }
        return media
    }

    private struct Unreadable: Error {}

    private func segments(_ numbers: Range<Int>, _ tags: [Int: String] = [:]) throws -> MediaPlaylist {
        let lines = numbers.map { "\(tags[$0] ?? "")#EXTINF:6,\ns\($0).ts" }.joined(separator: "\n")
        return try playlist(numbers.lowerBound, lines)
    }

    private func names(_ followed: FollowedPlaylist) -> [String] {
        followed.playlist.segments.map { String($0.uri.split(separator: "/").last ?? "") }
    }

    private func expect(
        _ count: Int, new followed: inout FollowedPlaylist, _ reload: MediaPlaylist, mayHaveGaps: Bool
    ) throws {
        let new = try followed.take(reload, at: address, mayHaveGaps: mayHaveGaps)
        #expect(new == count)
    }

    @Test func newSegmentsFollowThoseThatAreKnown() throws {
        var followed = try FollowedPlaylist(try segments(3..<6), at: address)
        try expect(2, new: &followed, try segments(4..<8), mayHaveGaps: false)
        try expect(0, new: &followed, try segments(4..<8), mayHaveGaps: false)
        // A cache may answer with what is older.
        try expect(0, new: &followed, try segments(4..<7), mayHaveGaps: false)
        #expect(names(followed) == (3..<8).map { "s\($0).ts" })
        #expect(followed.playlist.mediaSequence == 3 && followed.end == 8 && followed.windowStart == 4)
    }

    @Test func urisAreThoseOfTheAnswerTheyCameIn() throws {
        var followed = try FollowedPlaylist(try segments(0..<1), at: address)
        let other = PlaylistAddress(url: "https://other.example/x/list.m3u8")
        try followed.take(try segments(0..<2), at: other, mayHaveGaps: false)
        #expect(
            followed.playlist.segments.map(\.uri) == [
                "https://cdn.example/live/s0.ts", "https://other.example/x/s1.ts",
            ])
    }

    /// Numbers of keys and sections mean something else in each answer.
    @Test func keysAndSectionsStayThoseOfTheirSegments() throws {
        let key = { (number: Int) in "#EXT-X-KEY:METHOD=AES-128,URI=\"k\(number)\"\n" }
        var followed = try FollowedPlaylist(try segments(0..<3, [0: key(1), 2: key(2)]), at: address)
        try followed.take(try segments(2..<5, [2: key(2), 3: key(1)]), at: address, mayHaveGaps: false)
        let keys = followed.playlist.segments.map { segment in
            segment.keySet.flatMap { followed.playlist.keySets[Int($0)].first?.uri.last }
        }
        #expect(keys == ["1", "1", "2", "1", "1"] && followed.playlist.keySets.count == 2)

        let map = "#EXT-X-MAP:URI=\"init.mp4\"\n"
        var mapped = try FollowedPlaylist(try segments(0..<2, [0: map]), at: address)
        try mapped.take(
            try segments(1..<3, [1: "#EXT-X-MAP:URI=\"other.mp4\"\n", 2: map]), at: address, mayHaveGaps: false)
        #expect(mapped.playlist.maps.map(\.uri) == ["https://cdn.example/live/init.mp4"])
        #expect(mapped.playlist.segments.map(\.map) == [0, 0, 0])
    }

    @Test func aHoleIsRefusedOrMarked() throws {
        var followed = try FollowedPlaylist(try segments(0..<2), at: address)
        let before = followed
        #expect(throws: FollowProblem.lost(count: 3)) {
            try followed.take(try segments(5..<7), at: address, mayHaveGaps: false)
        }
        #expect(followed == before)
        try expect(5, new: &followed, try segments(5..<7), mayHaveGaps: true)
        #expect(followed.playlist.segments.map(\.isGap) == [false, false, true, true, true, false, false])
        // Each number stays that of its segment: vectors may follow from it.
        #expect(names(followed)[5] == "s5.ts")
    }

    /// What was unseen may have had a discontinuity of its own.
    @Test(arguments: [0, 1])
    func aHoleEndsWithTheDiscontinuityThatWasMissed(missed: Int) throws {
        var followed = try FollowedPlaylist(try segments(0..<2), at: address)
        let reload = try playlist(
            4, "#EXTINF:6,\ns4.ts", tags: "#EXT-X-DISCONTINUITY-SEQUENCE:\(missed)\n")
        try expect(3, new: &followed, reload, mayHaveGaps: true)
        #expect(followed.playlist.segments.map(\.isDiscontinuity) == [false, false, false, missed == 1, false])
    }

    /// With the same names, inside the numbers that are known.
    @Test func aStreamThatBeginsAgainInsideKnownNumbersBeganAnew() throws {
        var followed = try FollowedPlaylist(try segments(0..<3), at: address)
        for start in 1..<10 { try followed.take(try segments(start..<(start + 3)), at: address, mayHaveGaps: false) }
        #expect(throws: FollowProblem.beganAnew) {
            try followed.take(try segments(0..<2), at: address, mayHaveGaps: true)
        }
        #expect(!followed.isBehind)
        try expect(0, new: &followed, try segments(8..<11), mayHaveGaps: false)
        #expect(followed.isBehind && followed.windowStart == 9)
    }

    @Test func aStreamThatBeganAnewIsRefused() throws {
        var followed = try FollowedPlaylist(try segments(100..<103), at: address)
        for other in [try segments(0..<3), try playlist(101, "#EXTINF:6,\nother1.ts\n#EXTINF:6,\nother2.ts")] {
            #expect(throws: FollowProblem.beganAnew) {
                try followed.take(other, at: address, mayHaveGaps: true)
            }
        }
    }

    /// What is older than what was seen is a cache's only where nothing at all tells it apart.
    @Test(arguments: [
        "#EXTINF:6,\ns2.ts\n#EXTINF:5.5,\ns3.ts",
        "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T12:00:00Z\n#EXTINF:6,\ns2.ts\n#EXTINF:6,\ns3.ts",
        "#EXTINF:6,\nother.ts\n#EXTINF:6,\ns3.ts",
    ])
    func aStreamThatWentBackAndUsesNamesAgainBeganAnew(lines: String) throws {
        let first = "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T09:00:12Z\n#EXTINF:6,\ns2.ts"
        var followed = try FollowedPlaylist(
            try playlist(2, first + (3..<8).map { "\n#EXTINF:6,\ns\($0).ts" }.joined()), at: address)
        // Of one window the first segment has a date that it hadn't in the one before.
        try followed.take(
            try playlist(3, "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T09:00:18Z\n#EXTINF:6,\ns3.ts"), at: address,
            mayHaveGaps: false)
        #expect(followed.isBehind)
        #expect(throws: FollowProblem.beganAnew) {
            try followed.take(try playlist(2, lines), at: address, mayHaveGaps: true)
        }
    }

    @Test func itIsCutBehindTheSegmentThatCompletesALength() throws {
        var followed = try FollowedPlaylist(try segments(0..<5), at: address)
        let (isFull, isFullBefore) = (followed.cut(to: .seconds(31)), followed.cut(to: .seconds(13)))
        #expect(!isFull && isFullBefore)
        #expect(names(followed) == ["s0.ts", "s1.ts", "s2.ts"])
    }

    @Test func reloadsComeATargetDurationApartAndHalfOfItWhereNothingWasNew() throws {
        let followed = try FollowedPlaylist(try segments(0..<1), at: address)
        #expect(followed.reloadDelay(hasChanged: true) == .seconds(6))
        #expect(followed.reloadDelay(hasChanged: false) == .seconds(3))
        // Nobody waits as long as a server may say.
        let slow = try FollowedPlaylist(try playlist(0, "#EXTINF:86400,\ns0.ts"), at: address)
        #expect(slow.reloadDelay(hasChanged: true) == .seconds(60))
    }

    /// Looked up one by one they would take hours.
    @Test(.timeLimit(.minutes(1))) func aKeyAndASectionForEachSegmentCostNoMoreThanThey() throws {
        let tags = { (number: Int) in
            let vector = String(number + 1, radix: 16)
            return
                "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x\(vector)\n#EXT-X-MAP:URI=\"i\",BYTERANGE=\"1@\(number)\"\n"
        }
        let count = 60_000
        let tagged = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, tags($0)) })
        let followed = try FollowedPlaylist(try segments(0..<count, tagged), at: address)
        #expect(followed.playlist.keySets.count == count && followed.playlist.maps.count == count)
    }

    /// Of what was refused nothing is taken for known later.
    @Test func keysAndSectionsOfARefusedReloadAreForgotten() throws {
        let tags = { (number: Int) in
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\(number)\",IV=0x1\n#EXT-X-MAP:URI=\"i\(number)\"\n"
        }
        var followed = try FollowedPlaylist(try segments(0..<2, [0: tags(0)]), at: address)
        let before = followed
        var refused = try segments(1..<4, [1: tags(0), 2: tags(2)])
        refused.segments[2].uri = "gopher://x/s3.ts"
        #expect(throws: FollowProblem.self) { try followed.take(refused, at: address, mayHaveGaps: false) }
        #expect(followed == before)
        try expect(2, new: &followed, try segments(1..<4, [1: tags(0), 3: tags(2)]), mayHaveGaps: false)
        #expect(followed.playlist.keySets.count == 2 && followed.playlist.maps.count == 2)
    }

    /// More can't be read again, neither by a later run nor in the copy.
    @Test func itHasNoMoreSegmentsThanAPlaylistMayHave() throws {
        var followed = try FollowedPlaylist(try segments(0..<1), at: address)
        let step: UInt64 = 100_000
        for number in 1..<10 {
            var reload = try segments(0..<1)
            reload.mediaSequence = UInt64(number) * step
            try followed.take(reload, at: address, mayHaveGaps: true)
        }
        var last = try segments(0..<1)
        last.mediaSequence = 10 * step
        #expect(throws: FollowProblem.tooLong) { try followed.take(last, at: address, mayHaveGaps: true) }
        #expect(followed.playlist.segments.count == 900_001)
    }

    @Test func whatIsLostIsAGapWhereverItIsListed() throws {
        var followed = try FollowedPlaylist(try segments(0..<2), at: address)
        #expect(followed.lists("https://cdn.example/live/s1.ts", nil))
        let count = followed.markLost("https://cdn.example/live/s1.ts", nil)
        #expect(count == 1)
        #expect(followed.playlist.segments.map(\.isGap) == [false, true])
        #expect(!followed.lists("https://cdn.example/live/s1.ts", nil))
    }

    @Test func segmentsWithoutASectionDontFollowThoseThatHaveOne() throws {
        let section = "#EXT-X-MAP:URI=\"init.mp4\"\n"
        var followed = try FollowedPlaylist(try segments(0..<2), at: address)
        try followed.take(try segments(1..<3, [2: section]), at: address, mayHaveGaps: false)
        let before = followed
        #expect(throws: FollowProblem.sectionsEnd) {
            try followed.take(try segments(2..<4), at: address, mayHaveGaps: false)
        }
        #expect(followed == before)
    }
}
