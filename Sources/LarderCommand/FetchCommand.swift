import CommandLineParsing
import ContentLibrary
import Downloads
import Glibc
import Jobs
import Platform
import Transfer

/// `larder fetch`: one URL into one file, resumable.
struct FetchCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let output = CommandOption<String?>.optional(
        "output", short: "o", .file(),
        help: "where to; by default what the URL calls it; its folder is made when missing; - for standard output"
    )
    private static let sha256 = CommandOption<SHA256Digest?>.optional(
        "sha256",
        ArgumentType("HEX", expected: "a SHA-256: 64 hexadecimal digits") { SHA256Digest(hex: $0) },
        help: "the digest the file must have")
    private static let limitRate = CommandOption<Int?>.optional("limit-rate", .positiveSize, help: "bytes a second")
    private static let split = CommandOption<SplitPolicy>.split
    private static let retries = CommandOption<Int>.value(
        "retries", .integer(0...1000), default: 5, help: "tries after the first; counted anew after progress")

    static let command = Command(
        "fetch", summary: "fetch one file, resumable",
        description: """
            Fetches a URL into a file. Until it is complete the bytes gather in FILE.part, described by \
            FILE.part.resume; asking again goes on at the byte that was reached, and never joins two versions. An \
            existing FILE is replaced only when the new one is complete, and not fetched when its digest is the one \
            asked for.
            """,
        operands: [Operand("URL", help: "http or https")],
        groups: [
            OptionGroup("Transfer", output, sha256, limitRate, split, retries, BackgroundOption.background),
            OptionGroup(
                "Output", OutputOptions.quiet, OutputOptions.verbose, OutputOptions.noProgress, OutputOptions.color),
        ],
        examples: [
            Example("larder fetch https://example.org/film.mp4 -o film.mp4", "Again after a lost link: it goes on.")
        ],
        exitCodes: Jobs.ExitCode.values(.success, .failure, .usage, .noSpace, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "the file is there", .failure: "it can't be had, or has another digest; what came is kept",
            .noSpace: "no room: the disk is full; what came is kept",
        ]))

    func run() async -> Jobs.ExitCode {
        let style = OutputStyle(parsed)
        let control = RunControl()
        do throws(TransferURLError) {
            let url = try TransferURL(parsed.operands[0])
            guard url.scheme != "file" else {
                Console.writeError("larder: \(url) is no http or https URL; a local file can be copied\n")
                return .usage
            }
            if let library = Library.around(parsed[Self.output].flatMap { $0 == "-" ? nil : $0 } ?? "") {
                let problem =
                    "a file can't be fetched into the library \(escapedText(library)), where nothing else may be written; use -o with a place outside of it"
                Console.writeError("larder: \(parsed.usageError(problem))\n")
                return .usage
            }
            var configuration = DownloaderConfiguration()
            configuration.retry.retries = parsed[Self.retries]
            configuration.split = parsed[Self.split]
            // There is one file, and it may have all connections.
            configuration.maximumTransfers = max(
                configuration.maximumTransfers, configuration.split.maximumConnections ?? 0)
            configuration.maximumTransfersPerHost = configuration.maximumTransfers
            configuration.session.rateLimitBytesPerSecond = parsed[Self.limitRate].map(Int64.init)
            if parsed[BackgroundOption.background] { configuration.session.trafficClass = .lowerEffort }
            configuration.session.userAgent = "larder/\(LarderVersion.text)"
            let printer = RunPrinter(style: style, output: parsed[Self.output] == "-" ? .none : .summary) {
                summary, _ in
                SummaryLine(ofFetch: summary)
            }
            let fetch = SingleFetch(
                url: url, output: parsed[Self.output], digest: parsed[Self.sha256], configuration: configuration,
                writeOutput: { file throws(SystemError) in
                    // On a terminal the display would be redrawn over it.
                    printer.end()
                    try Console.write(contentOf: file)
                })
            StopSignals.start(control) { printer.printProgressLine() }
            let watch = RunWatch(control)
            defer { withExtendedLifetime(watch) {} }
            printer.start()
            let exit = await fetch.run(control: control, observer: printer.take)
            printer.end()
            return exit
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
    }
}
