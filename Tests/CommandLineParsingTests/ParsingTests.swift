import CommandLineParsing
import Testing

@Suite struct ParsingTests {
    // MARK: Forms of options

    @Test(arguments: [
        ["--jobs", "3", "m"], ["--jobs=3", "m"], ["-j", "3", "m"], ["-j3", "m"], ["m", "--jobs", "3"], ["-qj3", "m"],
        ["--jobs", "5", "m", "-j3"],
    ])
    func valuesAreReadInEveryForm(_ arguments: [String]) throws {
        let parsed = try run(["sync", "--library", "d"] + arguments)
        #expect(parsed[Sample.jobs] == 3)
        #expect(parsed[Sample.library] == "d")
        #expect(parsed.operands == ["m"])
    }

    @Test func flagsAreGivenOrNot() throws {
        let parsed = try run(["sync", "-ld", "-nq", "m"])
        #expect(parsed[Sample.dryRun] && parsed[Sample.quiet])
        let plain = try run(["sync", "-ld", "m"])
        #expect(!plain[Sample.dryRun] && !plain[Sample.quiet])
    }

    @Test func defaultsStandInForWhatIsNotGiven() throws {
        let parsed = try run(["sync", "-ld", "m"])
        #expect(parsed[Sample.jobs] == 8 && !parsed.isGiven(Sample.jobs))
        #expect(parsed[Sample.minFree] == .percent(5))
        #expect(parsed[Sample.color] == .auto)
        #expect(parsed[Sample.limitRate] == nil && parsed[Sample.deadline] == nil && parsed[Sample.only].isEmpty)
        #expect(try run(["sync", "-ld", "m", "--jobs=8"]).isGiven(Sample.jobs))
    }

    @Test func listsGather() throws {
        let parsed = try run(["sync", "-ld", "m", "--only", "a,b", "--only=c"])
        #expect(parsed[Sample.only] == ["a", "b", "c"])
    }

    @Test func repeatedOptionsKeepTheirCommas() throws {
        let parsed = try run(["fetch", "u", "--header", "Accept: a, b", "--header=X: y"])
        #expect(parsed[Sample.header] == ["Accept: a, b", "X: y"])
    }

    @Test func quantitiesAreTyped() throws {
        let parsed = try run([
            "sync", "-ld", "m", "--limit-rate=2M", "--min-free", "1G", "--deadline", "30m", "--color=never",
        ])
        #expect(parsed[Sample.limitRate] == 2 << 20)
        #expect(parsed[Sample.minFree] == .bytes(1 << 30))
        #expect(parsed[Sample.deadline] == .seconds(1800))
        #expect(parsed[Sample.color] == .never)
    }

    @Test func aDoubleDashEndsOptions() throws {
        #expect(try run(["sync", "-ld", "--", "--jobs", "-x"]).operands == ["--jobs", "-x"])
        #expect(try run(["sync", "-ld", "-", "m"]).operands == ["-", "m"])
    }

    @Test func aValueMayLookLikeAnOption() throws {
        #expect(try run(["fetch", "-o", "-", "u"])[Sample.output] == "-")
        #expect(try run(["fetch", "--output=--quiet", "u"])[Sample.output] == "--quiet")
        #expect(try run(["fetch", "--output=a=b", "u"])[Sample.output] == "a=b")
    }

    // MARK: Environment

    @Test func theEnvironmentStandsInForAnOption() throws {
        let environment = ["SAMPLE_LIBRARY": "e"]
        #expect(try run(["sync", "m"], environment)[Sample.library] == "e")
        #expect(try run(["sync", "m", "-ld"], environment)[Sample.library] == "d")
        #expect(try !run(["sync", "m"], environment).isGiven(Sample.library))
        #expect(problem(["sync", "m"], ["SAMPLE_LIBRARY": ""])?.contains("is required") == true)
    }

    // MARK: Commands

    @Test func commandsAreFound() throws {
        #expect(try run(["fetch", "u"]).command.name == "fetch")
        #expect(try run(["manifest", "create"]).command.name == "manifest create")
    }

    @Test(arguments: [["help"], ["help", "--help"], ["--help"], ["-h", "sync"]])
    func helpOfTheProgram(_ arguments: [String]) throws {
        guard case .help(.program, let extent) = try Sample.table.parse(arguments) else {
            return #expect(Bool(false))
        }
        #expect(extent == (arguments[0] == "help" ? .full : .short))
    }

    @Test(arguments: [["manifest", "--help"], ["manifest", "-h"], ["help", "manifest"]])
    func helpOfCommandsOfTwoWords(_ arguments: [String]) throws {
        guard case .help(.group("manifest"), _) = try Sample.table.parse(arguments) else {
            return #expect(Bool(false))
        }
    }

    @Test(arguments: [
        ["help", "sync"], ["help", "sync", "-h"], ["sync", "--help"], ["sync", "-qh"], ["sync", "-h", "--nonsense"],
        ["sync", "m", "--help"],
    ])
    func helpOfACommandNeedsNothingElse(_ arguments: [String]) throws {
        guard case .help(.command(let command), let extent) = try Sample.table.parse(arguments) else {
            return #expect(Bool(false))
        }
        #expect(command.name == "sync" && extent == (arguments[0] == "help" ? .full : .short))
    }

    @Test func version() throws {
        guard case .version = try Sample.table.parse(["--version"]) else { return #expect(Bool(false)) }
    }

    // MARK: Wrong usage

    @Test(arguments: [
        ([], "a command is missing (see sample --help)"),
        (["snyc"], "unknown command \"snyc\"; did you mean \"sync\"? (see sample --help)"),
        (["xyzzy"], "unknown command \"xyzzy\" (see sample --help)"),
        (["manifest"], "\"manifest\" needs one of create, sign after it (see sample manifest --help)"),
        (
            ["manifest", "crate"],
            "\"manifest\" needs one of create, sign after it; did you mean \"manifest create\"? (see sample manifest --help)"
        ),
        (["--secre"], "the option \"--secre\" stands before any command (see sample --help)"),
        (
            ["--spel"],
            "the option \"--spel\" stands before any command; did you mean \"--spell\"? (see sample --help)"
        ),
        (["--quiet", "sync"], "the option \"--quiet\" stands before any command (see sample --help)"),
        (
            ["sync", "m", "-ld", "--limt-rate=1"],
            "unknown option \"--limt-rate\"; did you mean \"--limit-rate\"? (see sample sync --help)"
        ),
        (["sync", "m", "-ld", "--xyzzy"], "unknown option \"--xyzzy\" (see sample sync --help)"),
        (["sync", "m", "-ld", "-x"], "unknown option \"-x\" (see sample sync --help)"),
        (["sync", "m", "-ld", "--\u{1B}[2J"], "unknown option \"--\\u{1B}[2J\" (see sample sync --help)"),
        (["sync", "m", "--library"], "--library needs a value: --library DIR (see sample sync --help)"),
        (
            ["sync", "m", "--library", "--quiet"],
            "--library needs a value before --quiet; if that is the value, write --library=--quiet (see sample sync --help)"
        ),
        (
            ["sync", "m", "--library", "--help"],
            "--library needs a value before --help; if that is the value, write --library=--help (see sample sync --help)"
        ),
        (
            ["sync", "m", "--library", "-h"],
            "--library needs a value before -h; if that is the value, write --library=-h (see sample sync --help)"
        ),
        (
            ["sync", "m", "--library", "-q"],
            "--library needs a value before -q; if that is the value, write --library=-q (see sample sync --help)"
        ),
        (
            ["sync", "m", "--library", "--jobs=3"],
            "--library needs a value before --jobs=3; if that is the value, write --library=--jobs=3 (see sample sync --help)"
        ),
        (["sync", "m", "-ld", "--help=all"], "--help takes no value (see sample sync --help)"),
        (["sync", "m", "-ld", "--quiet=yes"], "--quiet takes no value (see sample sync --help)"),
        (["sync", "m", "-ld", "-j0"], "-j: \"0\" is not a whole number from 1 to 64 (see sample sync --help)"),
        (["sync", "m", "-ld", "--jobs="], "--jobs: \"\" is not a whole number from 1 to 64 (see sample sync --help)"),
        (["sync", "m", "--library="], "--library: \"\" is not a value (see sample sync --help)"),
        (["sync", "m", "-ld", "--only=a,,b"], "--only: \"\" is not a value (see sample sync --help)"),
        (
            ["sync", "m", "-ld", "--color", "alway"],
            "--color: \"alway\" is not one of auto, always, never; did you mean \"always\"? (see sample sync --help)"
        ),
        (
            ["sync", "m", "-ld", "--limit-rate=10MB"],
            "--limit-rate: \"10MB\" is not a size: bytes, or a number with K, M or G, such as 512M (see sample sync --help)"
        ),
        (["sync", "m"], "--library or the environment variable SAMPLE_LIBRARY is required (see sample sync --help)"),
        (["sync", "-ld"], "MANIFEST is missing (see sample sync --help)"),
        (["fetch"], "URL is missing (see sample fetch --help)"),
        (["fetch", "u", "n", "x"], "unexpected operand \"x\" (see sample fetch --help)"),
        (["fetch", "u", "--jobs=1"], "unknown option \"--jobs\" (see sample fetch --help)"),
    ])
    func wrongUsageIsToldInOneLine(_ arguments: [String], _ message: String) {
        #expect(problem(arguments) == message)
    }

    @Test func commandsTellWhatOnlyTheyCanSee() throws {
        let error = try run(["fetch", "u"]).usageError("--a and --b exclude each other")
        #expect(error.description == "--a and --b exclude each other (see sample fetch --help)")
    }

    @Test func aWrongEnvironmentVariableIsNamed() {
        let option = CommandOption.value("jobs", .integer(1...2), default: 1, environment: "JOBS", help: "")
        let table = CommandTable(
            program: "p", summary: "",
            commands: [Command("c", summary: "", description: "", groups: [OptionGroup("G", option)], exitCodes: [])],
            exitCodes: [])
        let error = #expect(throws: UsageError.self) { _ = try table.parse(["c"], environment: ["JOBS": "9"]) }
        #expect(error?.description == "JOBS: \"9\" is not a whole number from 1 to 2 (see p c --help)")
    }

    // MARK: Quantities

    @Test(arguments: [
        ("0", 0), ("4096", 4096), ("1K", 1024), ("512M", 512 << 20), ("3G", 3 << 30), ("9223372036854775807", Int.max),
        ("8589934591G", 9_223_372_035_781_033_984),
    ])
    func sizes(_ text: String, _ bytes: Int) {
        #expect(parseSizeBytes(text) == bytes)
    }

    @Test(arguments: ["", "K", "-1", "+1", "1.5G", "1T", "1KB", "1k", " 1", "9223372036854775808", "8589934592G", "１"])
    func whatIsNoSize(_ text: String) {
        #expect(parseSizeBytes(text) == nil)
    }

    @Test(arguments: ["", "+4", "-0", "-1", "4.0", "0x4", " 4", "1e1", "１", "9223372036854775808"])
    func whatIsNoWholeNumber(_ text: String) {
        #expect(parseDigits(text[...]) == nil)
        #expect(throws: UsageError.self) { _ = try run(["sync", "--library", "d", "--jobs=\(text)", "m"]) }
    }

    @Test(arguments: [("0s", 0), ("30s", 30), ("15m", 900), ("2h", 7200), ("1d", 86_400)])
    func durations(_ text: String, _ seconds: Int) {
        #expect(parseDuration(text) == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "30", "-1s", "1.5h", "1w", "1 h", "9223372036854775807d", "99999999999999999999s"])
    func whatIsNoDuration(_ text: String) {
        #expect(parseDuration(text) == nil)
    }

    @Test(arguments: ["", "%", "101%", "-1%", "5.5%", "%5", "5 %"])
    func whatIsNoPercentage(_ text: String) {
        #expect(SizeOrPercent(text) == nil)
    }

    // MARK: Helpers

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> ParsedCommand {
        guard case .run(let parsed) = try Sample.table.parse(arguments, environment: environment) else {
            throw NotRun()
        }
        return parsed
    }

    private struct NotRun: Error {}

    private func problem(_ arguments: [String], _ environment: [String: String] = [:]) -> String? {
        do {
            _ = try Sample.table.parse(arguments, environment: environment)
            return nil
        } catch {
            return error.description
        }
    }
}
