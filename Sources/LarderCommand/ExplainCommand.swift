import CommandLineParsing
import ContentLibrary
import Jobs

/// `larder explain`: why a bundle is as it is.
struct ExplainCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let command = Command(
        "explain", summary: "tell why a bundle is as it is",
        description: """
            Tells in sentences what readers find of a bundle, what its published manifest asks for, what was tried and \
            why that failed, and what the next run does.
            """,
        operands: [
            Operand(
                "BUNDLE", help: "MANIFEST/BUNDLE, or the bundle's id where one manifest alone has it",
                completion: LibraryNames.bundles)
        ],
        groups: [OptionGroup("Library", LibraryOption.library)],
        examples: [Example("larder explain museum/film --library /srv/media", "Why the film is last week's.")],
        exitCodes: LibraryLookOptions.exitCodes, exitMeanings: LibraryLookOptions.namingExitMeanings)

    func run() -> Jobs.ExitCode {
        LibraryLookOptions.look(parsed) { library in
            let bundle = try BundleName(parsed.operands[0]).knownBundle(in: library)
            Console.write(ExplanationText(try BundleExplanation(of: bundle, in: library)).text)
            return .success
        }
    }
}
