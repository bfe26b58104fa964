import CommandLineParsing
import Testing

@Suite struct HelpTests {
    private let help = HelpRenderer(Sample.table)

    @Test func fullHelpOfACommandShowsAllOfItsTable() throws {
        let sync = try #require(Sample.table.commands.first)
        #expect(
            help.help(.command(sync), .full) == """
                Usage: sample sync [OPTION]… MANIFEST…

                Fetches what is missing in a library, verifies and unpacks it, and publishes the
                result.

                Operands:
                  MANIFEST                  a path, a URL or -

                Library:
                  -l, --library DIR         the library; created if missing (required; also:
                                            SAMPLE_LIBRARY)
                      --min-free SIZE|PERCENT
                                            keep this much disk free (default: 5%)
                      --only ID,…           these bundles alone; all others stay (repeatable)
                  -n, --dry-run             tell what would be done and do nothing

                Transfers:
                  -j, --jobs N              transfers at once (default: 8)
                      --limit-rate SIZE     bytes a second for the run as a whole
                      --deadline DURATION   pause everything after this long

                Output:
                  -q, --quiet               say nothing
                      --color auto|always|never
                                            colors in the output (default: auto)

                Help:
                  -h, --help                show help at a glance

                Examples:
                  sample sync m.json --library /srv/media
                      Everything the manifest names.

                Exit codes:
                  0    all done, or nothing to do
                  1    nothing could be published
                  64   wrong usage

                """)
    }

    @Test func helpAtAGlanceHasALineForEachOption() throws {
        let sync = try #require(Sample.table.commands.first)
        #expect(
            help.help(.command(sync), .short) == """
                Usage: sample sync [OPTION]… MANIFEST…

                Fetches what is missing in a library, verifies and unpacks it, and publishes the
                result.

                  MANIFEST                  a path, a URL or -

                Library:
                  -l, --library DIR         the library (or SAMPLE_LIBRARY)
                      --min-free SIZE|PERCENT  keep this much disk free (default: 5%)
                      --only ID,…           these bundles alone
                  -n, --dry-run             tell what would be done and do nothing

                Transfers:
                  -j, --jobs N              transfers at once (default: 8)
                      --limit-rate SIZE     bytes a second for the run as a whole
                      --deadline DURATION   pause everything after this long

                Output:
                  -q, --quiet               say nothing
                      --color auto|always|never  colors in the output (default: auto)

                Examples:
                  sample sync m.json --library /srv/media
                      Everything the manifest names.

                All about it, exit codes too: sample help sync

                """)
    }

    @Test func optionsThatAnotherCommandTellsOfAreOnlyNamed() throws {
        let watch = try #require(Sample.table.commands.first { $0.name == "watch" })
        #expect(
            help.help(.command(watch), .short) == """
                Usage: sample watch [OPTION]…

                Syncs every hour.

                Output:
                  -q, --quiet               say nothing
                      --color auto|always|never  colors in the output (default: auto)

                As for sample sync: --library, --only

                All about it, exit codes too: sample help watch

                """)
        #expect(help.help(.command(watch), .full).contains("these bundles alone"))
    }

    @Test func helpOfTheProgramListsItsCommands() {
        let glance = """
            Usage: sample COMMAND [OPTION]…

            Keeps a library.

            Commands:
              sync                      bring a library up to date
              fetch                     fetch one URL
              manifest create           make a manifest
              manifest sign             sign a manifest
              watch                     sync again and again

            Help:
              COMMAND --help            a command at a glance
              help [COMMAND]            all about it; so does man sample-COMMAND
              --version                 which version this is
              --spell                   print a spell

            """
        #expect(help.help(.program, .short) == glance)
        #expect(
            help.help(.program, .full) == glance + """

                Exit codes:
                  0    all done, or nothing to do
                  1    nothing could be published
                  64   wrong usage

                """)
    }

    @Test func helpOfCommandsOfTwoWordsListsThem() {
        #expect(
            help.help(.group("manifest"), .short) == """
                Usage: sample manifest COMMAND [OPTION]…

                Commands that make and sign manifests.

                Commands:
                  manifest create           make a manifest
                  manifest sign             sign a manifest

                More about each: sample manifest COMMAND --help

                """)
    }

    @Test func operandsShowTheirArity() {
        #expect(
            help.help(.command(Sample.table.commands[1]), .short)
                .hasPrefix("Usage: sample fetch [OPTION]… URL [NAME]\n"))
    }

    @Test func optionsThatAreOnlyNamedStandInTheFullHelp() {
        let (color, quiet) = (Sample.color, Sample.quiet)
        let command = Command(
            "x", summary: "x", description: "X.", groups: [OptionGroup("Output", quiet, color).naming(color)],
            exitCodes: [0])
        let help = HelpRenderer(CommandTable(program: "p", summary: "x", commands: [command], exitCodes: []))
        let short = help.help(.command(command), .short)
        #expect(short.contains("\n  -q, --quiet") && short.contains("\n\nMore: --color\n"), "\(short)")
        #expect(!short.contains("colors in the output"), "\(short)")
        #expect(help.help(.command(command), .full).contains("colors in the output"))
    }

    @Test func linesFillEightyColumnsAndNotMore() {
        let words = String(repeating: "ab ", count: 100)
        let command = Command("c", summary: "", description: words, exitCodes: [])
        let lines = help.help(.command(command), .short).split(separator: "\n").filter { $0.hasPrefix("ab") }
        #expect(lines.map(\.count) == [80, 80, 80, 56])
    }

    @Test func aCommandSaysWhatACodeMeansThere() {
        let command = Command("c", summary: "", description: "x", exitCodes: [0, 1], exitMeanings: [1: "it rains"])
        let table = CommandTable(
            program: "p", summary: "", commands: [command],
            exitCodes: [ExitCode(0, "fine"), ExitCode(1, "broken"), ExitCode(2, "odd")])
        #expect(
            HelpRenderer(table).help(.command(command), .full).hasSuffix("Exit codes:\n  0    fine\n  1    it rains\n"))
        #expect(
            HelpRenderer(table).help(.program, .full).hasSuffix("Exit codes:\n  0    fine\n  1    broken\n  2    odd\n")
        )
    }
}
