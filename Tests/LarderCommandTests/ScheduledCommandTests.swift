import FaultServer
import Glibc
import TestSupport
import Testing

/// `--print-systemd` and `--print-cron`: what they print, in the hands of those who run it.
@Suite struct ScheduledCommandTests {
    private let stock: Stock

    init() throws {
        stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 1000, seed: 1))])
    }

    /// Writes the units where they say that they belong, beneath a folder of the test's.
    private func units(_ text: String) throws -> [String] {
        var files: [(name: String, lines: [Substring])] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# /etc/systemd/system/") {
                files.append((String(line.split(separator: "/").last ?? ""), []))
            } else if !files.isEmpty {
                files[files.count - 1].lines.append(line)
            }
        }
        return try files.map {
            try stock.directory.write($0.lines.joined(separator: "\n").utf8, to: "units/\($0.name)")
        }
    }

    @Test(arguments: [
        [], ["--window", "01:30-05:00"], ["--on-change", "echo \"$LARDER_CHANGED\" 100% it's > /dev/null"],
    ])
    func systemdFindsNothingWrongWithItsUnits(more: [String]) async throws {
        let printed = try await LarderProgram.run(
            stock.refreshArguments(
                ["--lock", "skip", "--print-systemd"] + more, manifests: [stock.manifestURL + "?a=1%202"]))
        #expect(printed.status == .exited(0) && printed.errors.isEmpty, "\(printed)")
        #expect(stock.server.log.isEmpty)
        let files = try units(printed.outputText)
        #expect(files.count == 2)
        let verdict = try await ChildProcess.run("systemd-analyze", ["verify", "--man=no"] + files)
        #expect(verdict.status == .exited(0) && verdict.errors.isEmpty, "\(verdict) of \(printed.outputText)")
        let start = more.first == "--window" ? "OnCalendar=*-*-* 01:30:00\n" : "OnCalendar=hourly\n"
        #expect(printed.outputText.contains(start), "\(printed)")
    }

    @Test func cronsLineDoesWhatTheCommandLineSaid() async throws {
        let hook = "echo \"100% of $LARDER_CHANGED isn't bad\" > '\(stock.directory["told"])'"
        let printed = try await LarderProgram.run(
            stock.refreshArguments(["--print-cron", "--on-change", hook]))
        #expect(printed.status == .exited(0) && printed.outputLines.count == 1, "\(printed)")
        let fields = try #require(printed.outputLines.first).split(separator: " ", maxSplits: 5)
        #expect(fields.dropFirst().prefix(4) == ["*", "*", "*", "*"])
        #expect(Int(fields[0]).map((1...58).contains) == true)
        // What crond makes of it: a % that isn't escaped is the end.
        let command = fields[5].replacingEscapes
        #expect(!command.hasEnd, "\(command.text)")
        let result = try await ChildProcess.run("sh", ["-c", command.text])
        #expect(result.status == .exited(0) && result.output.isEmpty && result.errors.isEmpty, "\(result)")
        #expect(String(decoding: try stock.directory.read("told"), as: UTF8.self) == "100% of m/a isn't bad\n")
    }

    @Test func theLibraryOfTheEnvironmentIsNamed() async throws {
        var environment = ChildProcess.inheritedEnvironment
        environment["LARDER_LIBRARY"] = stock.library
        let printed = try await LarderProgram.run(
            ["refresh", stock.manifestURL, "--window", "22:05-04:00", "--print-cron"], environment: environment)
        #expect(printed.outputText.hasPrefix("5 22 * * * "), "\(printed)")
        #expect(printed.outputText.contains("--library \(stock.library) "), "\(printed)")
    }
}

extension Substring {
    /// The line as crond reads it (crontab(5)), and whether a `%` ended it.
    fileprivate var replacingEscapes: (text: String, hasEnd: Bool) {
        var (text, hasEnd, isEscaped) = ("", false, false)
        for character in self {
            if character == "%", isEscaped { text.removeLast() } else if character == "%" { hasEnd = true }
            text.append(character)
            isEscaped = character == "\\"
        }
        return (text, hasEnd)
    }
}
