import Platform
import Playlists
import Testing

@testable import Jobs

/// What is written down of a live presentation, piece by piece.
@Suite struct RecordedPresentationTests {
    private let address = PlaylistAddress(url: "https://cdn.example/live/list.m3u8")

    private func playlist(_ numbers: Range<Int>, _ tags: [Int: String] = [:]) throws -> MediaPlaylist {
        let lines = numbers.map { "\(tags[$0] ?? "")#EXTINF:6.006,\ns\($0).ts\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(lines)"
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: "https://cdn.example/live/list.m3u8"))
        guard case .media(let media)? = outcome.playlist else { throw Unreadable() }
        return media
    }

    private struct Unreadable: Error {}

    private func recorded(_ followed: FollowedPlaylist, isWhole: Bool = false) -> RecordedPresentation {
        RecordedPresentation(
            media: ["v": .init(followed: followed, lastNews: Timestamp(seconds: 7))],
            repeated: [.init(url: "https://cdn.example/live/s1.ts", range: ByteRange(offset: 3, lengthBytes: 4))],
            isWhole: isWhole)
    }

    private func key(_ number: Int) -> String { "#EXT-X-KEY:METHOD=AES-128,URI=\"k\(number)\",IV=0x1\n" }

    @Test func piecesTellTogetherWhatWasSeen() throws {
        var followed = try FollowedPlaylist(try playlist(3..<6, [3: key(1)]), at: address)
        var states = [recorded(followed)]
        try followed.take(try playlist(4..<8, [4: key(1), 7: key(2)]), at: address, mayHaveGaps: false)
        states.append(recorded(followed))
        // What is lost later is told from there on.
        _ = followed.markLost("https://cdn.example/live/s5.ts", nil)
        states.append(recorded(followed))
        try followed.take(try playlist(7..<10, [7: key(2), 8: key(1)]), at: address, mayHaveGaps: false)
        states.append(recorded(followed, isWhole: true))
        var texts: [String] = []
        for (earlier, state) in zip([nil] + states, states) {
            texts.append(state.text(since: earlier))
            let read = try #require(RecordedPresentation(texts))
            #expect(read.repeated == state.repeated && read.isWhole == state.isWhole)
            #expect(read.media["v"]?.lastNews == Timestamp(seconds: 7))
            let (read2, state2) = (read.media["v"]?.followed.playlist, state.media["v"]?.followed.playlist)
            #expect(read2?.segments.map(\.uri) == state2?.segments.map(\.uri))
            #expect(read2?.segments.map(\.isGap) == state2?.segments.map(\.isGap))
            #expect(read2?.mediaSequence == 3 && read2?.duration == state2?.duration)
            #expect(keys(read2) == keys(state2))
        }
        #expect(!texts[3].contains("s7.ts") && texts[3].contains("s8.ts"))
    }

    /// A stream that is joined late may list days.
    @Test func whatIsLongIsToldInPiecesEachOfWhichCanBeGoneOnWith() async throws {
        var followed = try FollowedPlaylist(try playlist(3..<40, [3: key(1), 20: key(2)]), at: address)
        let first = recorded(followed)
        var texts: [String] = []
        await first.writePieces(since: nil, segments: 10) { texts.append($0) }
        #expect(texts.count == 4 && texts.allSatisfy { $0.utf8.count < first.text(since: nil).utf8.count / 2 })
        for count in 1...texts.count {
            let read = try #require(RecordedPresentation(Array(texts.prefix(count))))
            let playlist = try #require(read.media["v"]?.followed.playlist)
            #expect(playlist.segments.count == min(37, 10 * count) && !read.isWhole)
            #expect(
                playlist.segments.map(\.uri)
                    == Array(first.media["v"]!.followed.playlist.segments.map(\.uri).prefix(10 * count)))
        }
        try followed.take(try playlist(38..<43, [38: key(2)]), at: address, mayHaveGaps: false)
        let second = recorded(followed, isWhole: true)
        await second.writePieces(since: first, segments: 10) { texts.append($0) }
        #expect(texts.count == 5)
        let read = try #require(RecordedPresentation(texts))
        #expect(read.isWhole && read.media["v"]?.followed.playlist.segments.count == 40)
        #expect(keys(read.media["v"]?.followed.playlist) == keys(second.media["v"]?.followed.playlist))
    }

    private func keys(_ playlist: MediaPlaylist?) -> [String?] {
        playlist?.segments.map { segment in segment.keySet.flatMap { playlist?.keySets[Int($0)].first?.uri } } ?? []
    }

    @Test(arguments: ["", "something else\n", "#LARDER-RECORDING:unfinished\n#LARDER-FOLLOWED:x v\n#EXTM3U\n"])
    func whatNoRunWroteIsNoRecord(text: String) throws {
        #expect(RecordedPresentation([text]) == nil)
        let first = recorded(try FollowedPlaylist(try playlist(0..<2), at: address)).text(since: nil)
        #expect(RecordedPresentation([first, text]) == nil)
    }

    @Test func aPieceThatDoesNotFollowIsNone() throws {
        let first = recorded(try FollowedPlaylist(try playlist(0..<2), at: address)).text(since: nil)
        let later = recorded(try FollowedPlaylist(try playlist(5..<7), at: address)).text(since: nil)
        #expect(RecordedPresentation([first, later]) == nil)
    }
}
