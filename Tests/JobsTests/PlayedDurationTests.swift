import Platform
import Playlists
import TestSupport
import Testing

@testable import Jobs

/// How long a copy plays is held against what it is a copy of.
@Suite struct PlayedDurationTests {
    private let folder: TemporaryDirectory
    private let plan: OfflinePlan

    init() throws {
        folder = try TemporaryDirectory()
        let lines = (0..<3).map { "#EXTINF:6.006,\ns\($0).ts\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:7\n\(lines)#EXT-X-GAP\n#EXTINF:4.5,\ngone.ts\n#EXT-X-ENDLIST\n"
        let url = "https://cdn.example/film.m3u8"
        let outcome = PlaylistParser.parse(Array(text.utf8), .init(url: url))
        guard case .media(let playlist)? = outcome.playlist else { throw Unreadable() }
        plan = try OfflinePlan(.init(playlist: playlist, address: PlaylistAddress(url: url), url: url))
        for (number, resource) in plan.resources.enumerated() {
            try folder.write(Self.stream(clock: Int64(number) * 540_540), to: resource.path)
        }
    }

    private struct Unreadable: Error {}

    /// A transport stream whose first packet tells a clock of 90 kHz.
    private static func stream(clock: Int64) -> [UInt8] {
        let base = (0..<4).map { UInt8(truncatingIfNeeded: clock >> (25 - 8 * Int64($0))) }
        let packet: [UInt8] = [0x47, 0x01, 0x00, 0x30, 7, 0x10] + base + [UInt8(truncatingIfNeeded: clock << 7), 0]
        return packet + [UInt8](repeating: 0xff, count: 176)
    }

    /// What the verdict says when the playlist was written like this, and what it warns of.
    private func verdict(_ change: (String) -> String = { $0 }) throws -> (fault: String?, warnings: [String]) {
        var warnings: [String] = []
        let directory = try Directory.open(folder.path)
        for playlist in plan.playlists {
            try folder.write(change(PlaylistWriter.text(of: playlist.content)).utf8, to: playlist.path)
        }
        do throws(PlaylistVerdict.Fault) {
            try PlaylistVerdict.check(plan, asWrittenIn: directory) { warnings.append($0) }
            return (nil, warnings)
        } catch {
            return ("\(error.failure)", warnings)
        }
    }

    @Test func aCopyThatPlaysAsLongIsRight() throws {
        let verdict = try verdict()
        #expect(verdict.fault == nil && verdict.warnings.isEmpty, "\(verdict)")
    }

    @Test func aSegmentThatIsNotListedIsMissed() throws {
        let name = try #require(plan.resources.first?.path)
        let fault = try verdict { $0.replacing("#EXTINF:6.006,\n\(name)\n", with: "") }.fault
        #expect(fault?.contains("it plays 12.012 s, and what it is a copy of 18.018 s") == true, "\(fault ?? "")")
    }

    @Test func aDurationThatIsNotTheOriginalsIsNoticed() throws {
        let name = try #require(plan.resources.last?.path)
        let fault = try verdict { $0.replacing("6.006,\n\(name)", with: "6.005,\n\(name)") }.fault
        #expect(fault?.contains("18.017") == true, "\(fault ?? "")")
    }

    /// What is missing there doesn't play here either.
    @Test func aGapThatIsPlayedIsNoticed() throws {
        #expect(try verdict { $0.replacing("#EXT-X-GAP\n", with: "") }.fault != nil)
    }

    @Test func clocksThatContradictThePlaylistAreTold() throws {
        let paths = plan.resources.map(\.path)
        try folder.write(Self.stream(clock: 3 * 540_540), to: paths[1])
        let verdict = try verdict()
        #expect(verdict.fault == nil)
        #expect(verdict.warnings.count == 1 && verdict.warnings[0].contains("plays 18.018 s"), "\(verdict)")
    }

    /// It goes round in 26 hours, and begins anew where the playlist says so.
    @Test func clocksMayGoRound() throws {
        let end = Int64(1) << 33
        for (number, resource) in plan.resources.enumerated() {
            try folder.write(
                Self.stream(clock: (end - 540_540 + Int64(number) * 540_540) % end), to: resource.path)
        }
        #expect(try verdict().warnings.isEmpty)
        try folder.write(Self.stream(clock: 99), to: plan.resources[1].path)
        let name = plan.resources.map(\.path)
        let marked = try verdict { text in
            text.replacing("#EXTINF:6.006,\n\(name[1])", with: "#EXT-X-DISCONTINUITY\n#EXTINF:6.006,\n\(name[1])")
                .replacing("#EXTINF:6.006,\n\(name[2])", with: "#EXT-X-DISCONTINUITY\n#EXTINF:6.006,\n\(name[2])")
        }
        #expect(marked.warnings.isEmpty, "\(marked)")
    }
}
