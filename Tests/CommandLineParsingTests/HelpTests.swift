import CommandLineParsing
import Testing

@Suite struct HelpTests {
    private let help = HelpRenderer(Sample.table)

    @Test func helpOfACommandShowsAllOfItsTable() throws {
        let sync = try #require(Sample.table.commands.first)
        #expect(
            help.help(for: sync) == """
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
                      --only ID,…           these bundles alone (repeatable)
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
                  -h, --help                show this help

                Examples:
                  sample sync m.json --library /srv/media
                      Everything the manifest names.

                Exit codes:
                  0    all done, or nothing to do
                  1    nothing could be published
                  64   wrong usage

                """)
    }

    @Test func helpOfTheProgramListsItsCommands() {
        #expect(
            help.help() == """
                Usage: sample COMMAND [OPTION]…

                Keeps a library.

                Commands:
                  sync                      bring a library up to date
                  fetch                     fetch one URL
                  manifest create           make a manifest
                  manifest sign             sign a manifest

                Help:
                  COMMAND --help            more about a command
                  --version                 which version this is

                Exit codes:
                  0    all done, or nothing to do
                  1    nothing could be published
                  64   wrong usage

                """)
    }

    @Test func operandsShowTheirArity() {
        #expect(help.help(for: Sample.table.commands[1]).hasPrefix("Usage: sample fetch [OPTION]… URL [NAME]\n"))
    }

    @Test func linesFillEightyColumnsAndNotMore() {
        let words = String(repeating: "ab ", count: 100)
        let command = Command("c", summary: "", description: words, exitCodes: [])
        let lines = help.help(for: command).split(separator: "\n").filter { $0.hasPrefix("ab") }
        #expect(lines.map(\.count) == [80, 80, 80, 56])
    }
}
