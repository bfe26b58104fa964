import CommandLineParsing
import Jobs
import Platform
import Transfer

/// `larder refresh`: what `sync` does, for a machine that nobody looks at.
struct RefreshCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let command = Command(
        "refresh", summary: "sync for cron: silent, and quick if nothing changed",
        description: """
            Does what sync does for a machine that nobody looks at. A server is asked for a manifest only if it \
            changed, and where it didn't, and all of it was published, nothing else is asked or looked at. A run that \
            succeeds says nothing; of a failure one line is told.
            """,
        operands: RunArguments.operands,
        groups: [
            RefreshOptions.group, RefreshOptions.tellingGroup, RefreshOptions.printingGroup,
            RunArguments.libraryGroup.asIn("sync"), RunArguments.transfersGroup.asIn("sync"),
            RunArguments.outputGroup.asIn("sync"),
        ],
        examples: [
            Example(
                "larder refresh https://example.org/m.json -l /srv/media --print-cron",
                "A line for crontab, every hour."),
            Example(
                "larder refresh m.json -l /srv/media --window 01:00-05:00 --month-cap 20G",
                "At night, on a link that is paid for by the byte."),
        ],
        exitCodes: RunArguments.exitCodes,
        exitMeanings: Jobs.ExitCode.meant([
            .success: "all done, or nothing to do; with --lock skip also that another run is at work",
            .failure: """
            nothing could be published and nothing was up to date, or the disk refused, or what there is to tell can't be written; --max-age has passed, \
            whatever kept the run from its end; --on-change failed, or --metrics could not be written
            """,
            .paused: """
            paused, or not begun, for a window, a condition, a deadline, a byte budget or want of a network; the \
            next run carries on
            """,
            .invalidManifest: "the manifest is not valid", .unreadable: "the manifest can't be read",
        ]))

    func run() async -> Jobs.ExitCode {
        let options = RefreshOptions(parsed)
        do {
            try options.check()
            if let text = try options.prepareSchedule(of: Array(CommandLine.arguments.dropFirst())) {
                Console.write(text)
                return .success
            }
        } catch let problem as SettingsProblem {
            return problem.tell()
        } catch let error as SystemError {
            Console.writeError("error: \(error)\n")
            return .failure
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
        return await RunArguments(parsed).run(
            OutputStyle(ofUnattended: parsed), hasSummary: parsed[OutputOptions.verbose], adjust: options.adjust,
            tick: { [terms = options.terms] control in
                if let reason = terms.reasonToStop() { control.stop(reason) }
            }
        ) { run, control, printer in
            let ping: HealthPing?
            do throws(SettingsProblem) { ping = try options.healthPing(run) } catch { return error.tell() }
            let report = await SyncRun(run, control: control, observer: printer.take).run()
            if let problem = await ping?.send(report) { Console.writeError("warning: \(problem)\n") }
            return report.exit
        }
    }
}
