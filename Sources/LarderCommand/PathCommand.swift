import CommandLineParsing
import ContentLibrary
import Jobs
import Platform

/// `larder path`: where readers find a bundle, for scripts.
struct PathCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let command = Command(
        "path", summary: "print where readers find a bundle",
        description: """
            Prints the path of a bundle that is published, the one that stays the same whatever is published next. Whoever \
            needs several files of one version for a while had better run under larder run.
            """,
        operands: [
            Operand(
                "BUNDLE", help: "MANIFEST/BUNDLE, or the bundle's id where one manifest alone has it",
                completion: LibraryNames.bundles)
        ],
        groups: [OptionGroup("Library", LibraryOption.library)],
        examples: [Example("ffplay \"$(larder path film -l /srv/media)/index.m3u8\"", "Plays what is current.")],
        exitCodes: LibraryLookOptions.exitCodes, exitMeanings: LibraryLookOptions.namingExitMeanings)

    func run() -> Jobs.ExitCode {
        LibraryLookOptions.look(parsed) { library in
            let bundle = try BundleName(parsed.operands[0]).publishedBundle(in: library)
            Console.write("\(absolutePath(library.path))/current/\(bundle)\n")
            return .success
        }
    }
}
