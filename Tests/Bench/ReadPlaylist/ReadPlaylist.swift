import Glibc
import Platform
import Playlists

/// How fast the text of a media playlist is parsed by one core, and how much memory it takes to plan its copy: `ReadPlaylist FILE RUNS`.
///
/// Prints MB (10^6 bytes) of text for each second of processor time, the median of its runs; and the program's peak memory in MB (2^20 bytes) after the
/// playlist was read, parsed and planned, and the copy's text was made. Reading the file doesn't count for the speed.
@main struct ReadPlaylist {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let runs = Int(arguments[2]), runs > 0 else {
            print("ReadPlaylist FILE RUNS")
            exit(64)
        }
        let bytes = try OwnedDescriptor.open(arguments[1], flags: O_RDONLY).readAll(limitBytes: 1 << 30)
        try plan(bytes)
        let peak = try peakMegabytes()
        var times: [Double] = []
        for _ in 0..<runs {
            let start = processorSeconds()
            _ = try parse(bytes)
            times.append(processorSeconds() - start)
        }
        print(Int(Double(bytes.count) / 1e6 / times.sorted()[runs / 2]), peak)
    }

    private static let url = "https://a.example/film/index.m3u8"

    private struct NoMediaPlaylist: Error {}

    private static func parse(_ bytes: [UInt8]) throws -> MediaPlaylist {
        guard case .media(let playlist) = PlaylistParser.parse(bytes, .init(url: url)).playlist else {
            throw NoMediaPlaylist()
        }
        return playlist
    }

    private static func plan(_ bytes: [UInt8]) throws {
        let source = OfflinePlan.Source(playlist: try parse(bytes), address: PlaylistAddress(url: url), url: url)
        for playlist in try OfflinePlan(source).playlists { _ = PlaylistWriter.text(of: playlist.content) }
    }

    /// Of this program alone: what `getrusage` tells may be that of the one that started it.
    private static func peakMegabytes() throws -> Int {
        let status = try OwnedDescriptor.open("/proc/self/status", flags: O_RDONLY).readAll(limitBytes: 1 << 16)
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        let fields = lines.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace) ?? []
        guard fields.count == 3, let kilobytes = Int(fields[1]) else { throw NoPeak() }
        return kilobytes >> 10
    }

    private struct NoPeak: Error {}

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
