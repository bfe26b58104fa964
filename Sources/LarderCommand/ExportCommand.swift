import CommandLineParsing
import Downloads
import Glibc
import Jobs
import Platform
import Transfer

/// `larder export`: writes what another library lacks, for a disk that somebody carries there.
struct ExportCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let status = CommandOption<String?>.optional(
        "for", .file("STATUS.json"), help: "what the other library has; its larder status --json; without, everything")
    private static let target = CommandOption<String>.required("to", .folder(), help: "where to; made when missing")
    private static let base = CommandOption<String?>.optional(
        "base", .text("URL"), help: "where relative URLs of published manifests lead; where nothing else tells")

    static let command = Command(
        "export", summary: "write what another library lacks, for its --from",
        description: """
            Writes the published manifests, and of their bundles what the other library lacks, into a directory that \
            sync --from takes. Files are carried as they were fetched, so that the manifest's digests prove them where \
            they arrive: an archive, which a library keeps unpacked, is fetched again; presentations (hls), whose parts \
            have no digests in the manifest, can't be carried. Run again it goes on where it was stopped.
            """,
        groups: [
            OptionGroup(
                "Export", LibraryOption.library, status, target, base, RunArguments.config, BackgroundOption.background),
            OutputOptions.ofRun,
        ],
        examples: [
            Example(
                "larder export --library /srv/media --for kiosk.json --to /media/stick",
                "Then there: larder sync /media/stick/manifests/museum.json --from /media/stick -l /srv/media")
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .partial, .usage, .unreadable, .noSpace, .busy, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "all that the other library lacks is in the folder",
            .failure: "nothing could be carried",
            .partial: "some bundles can't be carried, the others are in the folder",
            .unreadable: "there is no library, or STATUS.json isn't there or is none",
            .noSpace: "no room in the folder", .busy: "another export writes to the folder",
            .interrupted: "stopped by SIGINT; run again it goes on",
            .terminated: "stopped by SIGTERM; run again it goes on",
        ]))

    func run() async -> Jobs.ExitCode {
        let control = RunControl()
        let style = OutputStyle(parsed)
        let printer = RunPrinter(style: style, tellsEvents: parsed[OutputOptions.json])
        let run: ExportRun
        do {
            let plan = try TransferPlan(config: parsed[RunArguments.config]) { settings in
                var downloads = settings.downloads()
                if parsed[BackgroundOption.background] { downloads.session.trafficClass = .lowerEffort }
                return downloads
            }
            run = ExportRun(
                libraryPath: parsed[LibraryOption.library], to: parsed[Self.target], for: try otherLibrary(),
                downloads: plan.configuration(atMinute: Timestamp.now.localMinuteOfDay),
                redirects: plan.settings.redirects, bodyBudgetBytes: plan.settings.bodyBudgetBytes,
                base: try BaseURL.read(Self.base, of: parsed), control: control, observer: printer.take)
        } catch let problem as SettingsProblem {
            return problem.tell()
        } catch let error as TransferURLError {
            Console.writeError("larder: \(error)\n")
            return .usage
        } catch {
            Console.writeError("larder: \(error)\n")
            return .unreadable
        }
        let watch = RunWatch(control)
        defer { withExtendedLifetime(watch) {} }
        printer.start(control)
        let (report, exit) = await run.run()
        printer.end()
        if let report, !style.isQuiet {
            let line = Self.text(report) + "\n"
            if parsed[OutputOptions.json] { Console.writeError(line) } else { Console.write(line) }
        }
        return exit
    }

    private static let statusBytes = 256 << 20

    private func otherLibrary() throws -> OtherLibrary {
        guard let path = parsed[Self.status] else { return OtherLibrary() }
        let bytes = try OwnedDescriptor.openRegularFile(path).readAll(limitBytes: Self.statusBytes)
        return try OtherLibrary(bytes, name: path)
    }

    /// `2 bundles carried, 0 failed; 3 files written (1.2 MB), 4 there already; the other library has 1 bundle`
    private static func text(_ report: ExportRun.Report) -> String {
        let files = report.files
        return HumanQuantity.count(report.carried, "bundle", "bundles") + " carried, \(report.failed) failed; "
            + HumanQuantity.count(files.written, "file", "files")
            + " written (\(HumanQuantity.bytes(files.writtenBytes))), \(files.present) there already"
            + (report.known == 0
                ? "" : "; the other library has " + HumanQuantity.count(report.known, "bundle", "bundles"))
    }
}
