import CommandLineParsing
import ContentLibrary
import Jobs

/// `larder status`: what a library holds, and how it fares.
struct StatusCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let command = Command(
        "status", summary: "tell what a library holds, and how it fares",
        description: """
            Tells of each bundle which version is here, how old and how large it is, where it came from, and how the \
            last run fared that worked on it. Only receipts are looked at, no content: verify does that. Needs no \
            leave to write, waits for no run, and works without the index, which alone knows how runs fared.
            """,
        operands: [
            Operand(
                "BUNDLE", .any, help: "MANIFEST/BUNDLE, or the id of one of them; all unless any is given",
                completion: LibraryNames.selections)
        ],
        groups: [OptionGroup("Library", LibraryOption.library), OptionGroup("Output", LibraryLookOptions.json)],
        examples: [
            Example("larder status --library /srv/media", "A line for each bundle."),
            Example(
                "larder status --library /srv/media --json",
                "For scripts, and for larder export on another machine."),
        ],
        exitCodes: LibraryLookOptions.exitCodes,
        exitMeanings: LibraryLookOptions.exitMeanings.merging(
            Jobs.ExitCode.meant([.usage: "wrong usage, or nothing in the library has that name"])
        ) { $1 })

    func run() -> Jobs.ExitCode {
        LibraryLookOptions.look(parsed) { library in
            let names = try parsed.operands.map { try BundleName($0) }
            let selection = names.isEmpty ? nil : BundleSelection(names)
            let isJSON = parsed[LibraryLookOptions.json]
            let status = try LibraryStatus(of: library, only: selection, withSources: isJSON)
            if let unknown = names.first(where: { !status.knows($0) }) {
                throw unknown.unknown(in: library, takesManifests: true)
            }
            Console.write(isJSON ? String(decoding: status.json, as: UTF8.self) + "\n" : StatusText(status).text)
            return .success
        }
    }
}
