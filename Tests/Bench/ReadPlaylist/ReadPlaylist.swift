import Glibc
import Platform
import Playlists

/// How fast the text of a media playlist is parsed by one core, and how much memory it takes to plan its copy: `ReadPlaylist FILE RUNS`.
///
/// Prints MB (10^6 bytes) of text for each second of processor time, the median of its runs; and the program's peak in MB (2^20 bytes) after the
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
        let peak = peakBytes()
        var times: [Double] = []
        for _ in 0..<runs {
            let start = processorSeconds()
            _ = try parse(bytes)
            times.append(processorSeconds() - start)
        }
        print(Int(Double(bytes.count) / 1e6 / times.sorted()[runs / 2]), peak >> 20)
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

    private static func peakBytes() -> Int {
        var usage = rusage()
        getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss << 10
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
