import BundleManifest
import Diagnostics
import Glibc
import JSONSyntax
import Platform

/// How fast the text of a manifest is parsed, and how fast it is checked, by one core: `ReadManifest FILE RUNS`.
///
/// Prints two figures in MB (10^6 bytes) for each second of processor time, each the median of its runs: the parser alone, and the parser
/// together with all rules. Reading the file counts for neither.
@main struct ReadManifest {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let runs = Int(arguments[2]), runs > 0 else {
            print("ReadManifest FILE RUNS")
            exit(64)
        }
        let bytes = try OwnedDescriptor.open(arguments[1], flags: O_RDONLY).readAll(limitBytes: 1 << 30)
        let source = SourceText(name: arguments[1], bytes: bytes)
        let parsing = try median(of: runs) { _ = try JSONDocument(source) }
        let checking = try median(of: runs) {
            guard DecodedManifest(source).isValid else { throw NotValid() }
        }
        let megabytes = Double(bytes.count) / 1e6
        print(Int(megabytes / parsing), Int(megabytes / checking))
    }

    private struct NotValid: Error {}

    private static func median(of runs: Int, _ body: () throws -> Void) rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<runs {
            let start = processorSeconds()
            try body()
            times.append(processorSeconds() - start)
        }
        return times.sorted()[runs / 2]
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
