import FaultServer
import Glibc
import Platform
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
        // What a pause leaves the next hour of the same night goes on with.
        #expect(printed.outputText.contains("\nUser=\(userName(of: geteuid()))\n"), "\(printed)")
        let start = more.first == "--window" ? "OnCalendar=*-*-* 01,02,03,04:30:00\n" : "OnCalendar=hourly\n"
        #expect(printed.outputText.contains(start), "\(printed)")
        // A pause, and what stops it: an interrupt, and the end of the machine's day.
        #expect(printed.outputText.contains("\nSuccessExitStatus=3 130 143\n"), "\(printed)")
    }

    @Test func whatIsNoTextIsWrittenByteByByte() async throws {
        let printed = try await LarderProgram.run(
            stock.refreshArguments(["--print-systemd", "--on-change", "a\r\n\u{85}\u{200e}b"]))
        #expect(printed.outputText.contains(" \"a\\x0d\\x0a\\xc2\\x85\\xe2\\x80\\x8eb\""), "\(printed)")
    }

    @Test func theDirectoryIsNamedAsItIs() async throws {
        let folder = try stock.directory.makeDirectory("100%\u{200e}")
        let printed = try await LarderProgram.run(stock.refreshArguments(["--print-systemd"]), directory: folder)
        #expect(printed.outputText.contains("/100%%\u{200e}/\nExecStart="), "\(printed)")
        let broken = try stock.directory.makeDirectory("a\nb")
        let refused = try await LarderProgram.run(stock.refreshArguments(["--print-systemd"]), directory: broken)
        #expect(refused.status == .exited(64) && refused.output.isEmpty, "\(refused)")
        #expect(refused.errorText.contains("control characters"), "\(refused)")
    }

    @Test func unitsAreNotWrittenIntoALibrary() async throws {
        try stock.directory.makeDirectory("library")
        let refused = try await LarderProgram.run(
            stock.refreshArguments(["--write-systemd", "\(stock.library)/store"]))
        #expect(refused.status == .exited(64) && refused.errorText.contains("lies in the library"), "\(refused)")
        #expect(try directoryEntries(FilePathBytes(stock.library)) == [])
    }

    @Test func aLoginIsForNobodyElse() async throws {
        for (url, mode) in [("http://me:secret@127.0.0.1:1/m.json", 0o600), (stock.manifestURL, 0o644)] {
            let written = try await LarderProgram.run(
                stock.refreshArguments(["--write-systemd", stock.directory["units"]], manifests: [url]))
            #expect(written.status == .exited(0) && written.outputLines.count == 2, "\(written)")
            for path in written.outputLines {
                var status = stat()
                try check(stat(path, &status), "stat")
                #expect(Int(status.st_mode & 0o777) == mode, "\(path)")
            }
        }
    }

    @Test func bothUnitsAreWrittenWhereAsked() async throws {
        let printed = try await LarderProgram.run(stock.refreshArguments(["--print-systemd"]))
        let written = try await LarderProgram.run(
            stock.refreshArguments(["--write-systemd", stock.directory["made/units"]]))
        #expect(written.status == .exited(0) && written.errors.isEmpty, "\(written)")
        let texts = try written.outputLines.map { String(decoding: try readFile($0), as: UTF8.self) }
        let expected = printed.outputText.split(separator: "\n# /etc/systemd/system/").map {
            $0.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().joined(separator: "\n")
        }
        #expect(texts.map(\.trimmed) == expected.map(\.trimmed))
        let failed = try await LarderProgram.run(stock.refreshArguments(["--write-systemd=/proc/nowhere"]))
        #expect(failed.status == .exited(1) && failed.problems.count == 1, "\(failed)")
    }

    @Test func theLinkIsNamedByWhichItWasCalled() async throws {
        let link = stock.directory["larder"]
        try check(symlink(try LarderProgram.path, link), "symlink")
        for (program, folder) in [(link, nil), ("./larder", stock.directory.path), ("larder", nil)] {
            var environment = ChildProcess.inheritedEnvironment
            environment["PATH"] = "\(stock.directory.path):\(environment["PATH"] ?? "")"
            let printed = try await ChildProcess.run(
                "sh", ["-c", "exec \"$@\"", "sh", program] + stock.refreshArguments(["--print-systemd"]),
                environment: environment, directory: folder)
            #expect(printed.outputText.contains("\nExecStart=\(link) refresh "), "\(printed)")
        }
    }

    @Test(arguments: ["--print-systemd", "--print-cron"])
    func aDirectoryThatIsGoneIsNoneToBeStartedIn(option: String) async throws {
        let folder = try stock.directory.makeDirectory("gone")
        let arguments = stock.refreshArguments([option])
        let script = #"rmdir "$PWD"; exec "$@""#
        let refused = try await ChildProcess.run(
            "sh", ["-c", script, "sh", try LarderProgram.path] + arguments, directory: folder)
        #expect(refused.status == .exited(64) && refused.output.isEmpty, "\(refused)")
        #expect(refused.errorText.contains("was removed"), "\(refused)")
    }

    @Test func theOwnerOfTheLibraryRefreshesIt() async throws {
        try #require(geteuid() == 0 || userName(of: 12_345) == "12345")
        try stock.directory.makeDirectory("library")
        // Nobody but root can give it away.
        let isGiven = chown(stock.library, 12_345, 12_345) == 0
        let printed = try await LarderProgram.run(stock.refreshArguments(["--print-systemd"]), directory: "/")
        let user = isGiven ? "12345" : userName(of: geteuid())
        #expect(printed.outputText.contains("\nUser=\(user)\n"), "\(printed)")
        guard isGiven else { return }
        // systemd goes there as the owner.
        let own = try stock.directory.makeDirectory("own")
        try check(chmod(own, 0o700), "chmod")
        let refused = try await LarderProgram.run(stock.refreshArguments(["--print-systemd"]), directory: own)
        #expect(refused.status == .exited(64) && refused.output.isEmpty, "\(refused)")
        #expect(refused.errorText.contains("can't enter"), "\(refused)")
    }

    /// A home is often open to its group, in which the library's owner isn't.
    @Test func aFolderOfAGroupIsOpenToThoseInItAlone() async throws {
        let user = try #require(getpwnam("nobody")).pointee
        try stock.directory.makeDirectory("library")
        let own = try stock.directory.makeDirectory("own")
        try check(chmod(own, 0o750), "chmod")
        // Nobody but root can give anything away.
        guard geteuid() == 0 else { return }
        try check(chown(stock.library, user.pw_uid, user.pw_gid), "chown")
        try check(chmod(stock.directory.path, 0o755), "chmod")
        let refused = try await LarderProgram.run(stock.refreshArguments(["--print-systemd"]), directory: own)
        #expect(refused.status == .exited(64) && refused.errorText.contains("can't enter"), "\(refused)")
        try check(chown(own, 0, user.pw_gid), "chown")
        let printed = try await LarderProgram.run(stock.refreshArguments(["--print-systemd"]), directory: own)
        #expect(printed.status == .exited(0), "\(printed)")
    }

    @Test func aBackslashAtTheEndOfThePathTakesNoLineIntoItsOwn() async throws {
        let library = try stock.directory.makeDirectory("back\\")
        let printed = try await LarderProgram.run(
            ["refresh", stock.manifestURL, "--library", library, "--print-systemd"])
        let files = try units(printed.outputText)
        #expect(!printed.outputLines.contains { $0.hasSuffix("\\") }, "\(printed)")
        let verdict = try await ChildProcess.run("systemd-analyze", ["verify", "--man=no"] + files)
        #expect(verdict.status == .exited(0) && verdict.errors.isEmpty, "\(verdict) of \(printed.outputText)")
    }

    /// The name of the service that is printed for a library and manifests.
    private func unit(_ library: String, _ manifests: String...) async throws -> String {
        let printed = try await LarderProgram.run(
            ["refresh"] + manifests + ["--library", library, "--print-systemd"])
        let line = try #require(printed.outputLines.first, "\(printed)")
        return String(line.split(separator: "/").last?.dropLast(".service".count) ?? "")
    }

    @Test func everyLibraryAndManifestHasAUnitOfItsOwn() async throws {
        let path = "/srv/my media/100%_\u{e9}"
        let escaped = try await ChildProcess.run("systemd-escape", ["--path", path + "/museum"])
        #expect(
            try await unit(path, "https://example.org/a/museum.json?key=1")
                .hasPrefix("larder-refresh-\(escaped.outputLines.first ?? "")-"))
        let names = [
            try await unit("/srv/media", "museum.json"), try await unit("/srv/media", "school.json"),
            try await unit("/srv/media", "museum.json", "school.json"), try await unit("/srv/other", "museum.json"),
            try await unit("/srv/media", "other/museum.json"),
            try await unit("/srv/media", "https://a.example/museum.json"),
            try await unit("/srv/media", "https://b.example/museum.json"),
            try await unit("/srv/media-museum", "x.json"), try await unit("/srv/media/museum", "x.json"),
        ]
        #expect(Set(names).count == names.count, "\(names)")
        let long = try await unit("/" + String(repeating: "a-", count: 500), "museum.json")
        #expect(long.utf8.count < 240, "\(long)")
    }

    @Test func whatIsStartedAgainAndAgainSkipsUnlessToldOtherwise() async throws {
        for (lock, expected) in [([], "--lock skip"), (["--lock", "wait:5m"], "--lock wait:5m")] {
            let printed = try await LarderProgram.run(stock.refreshArguments(lock + ["--print-cron"]))
            #expect(printed.outputText.contains(expected), "\(printed)")
            #expect(printed.outputText.split(separator: " ").count { $0 == "--lock" } == 1, "\(printed)")
        }
    }

    /// Nobody would see what each of these runs says.
    @Test(
        arguments: ["--print-cron", "--print-systemd"],
        [
            ["--ping", "ftp://127.0.0.1/"], ["--config", "/nowhere/settings.json"], ["--public-key", "none"],
            ["--from", "http://"],
        ])
    func whatNoRunCouldDoIsRefused(print: String, more: [String]) async throws {
        let result = try await LarderProgram.run(stock.refreshArguments([print] + more))
        #expect(result.status == .exited(64) && result.output.isEmpty && result.problems.count == 1, "\(result)")
    }

    @Test func bothAtOnceAreRefused() async throws {
        let result = try await LarderProgram.run(stock.refreshArguments(["--print-cron", "--print-systemd"]))
        #expect(result.status == .exited(64) && result.output.isEmpty && result.problems.count == 1, "\(result)")
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
        #expect(printed.outputText.hasPrefix("5 22,23,0,1,2,3 * * * "), "\(printed)")
        #expect(printed.outputText.contains("--library \(stock.library) "), "\(printed)")
    }
}

extension String {
    /// Without line ends at its end.
    fileprivate var trimmed: Substring { self[..<(lastIndex { $0 != "\n" }.map { index(after: $0) } ?? startIndex)] }
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
