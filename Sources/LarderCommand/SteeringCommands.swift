import CommandLineParsing
import ContentLibrary
import Jobs

/// The commands with which an operator takes a library's course into hand: `rollback`, `pin`, `unpin`, `forget`.
enum SteeringCommands {
    private static let target = CommandOption<GenerationNumber?>.optional(
        "to",
        ArgumentType("N", expected: "the number of a generation", completion: LibraryNames.generations) { text in
            parseDigits(text[...]).flatMap { GenerationNumber($0) }
        }, help: "the generation to go back to, instead of the one before the current one")

    private static let exitCodes = Jobs.ExitCode.values(.success, .failure, .usage, .unreadable, .noSpace, .busy)
    private static func exitMeanings(_ failure: String, usage: String = "wrong usage") -> [Int32: String] {
        Jobs.ExitCode.meant([
            .success: "done", .failure: failure, .usage: usage, .unreadable: "there is no library",
            .noSpace: "no room: the disk is full",
        ])
    }

    static let rollback = Command(
        "rollback", summary: "go back to an older generation, and stay there",
        description: """
            Makes an older generation current, in one step, and holds the library there: of each manifest nothing is \
            published any more that isn't of a higher serial than all that were. What arrives with a higher serial is \
            published, and lifts the hold of its manifest; larder unpin lifts all.
            """,
        groups: [OptionGroup("Library", LibraryOption.library, target)],
        examples: [
            Example("larder rollback --library /srv/media", "To the generation before the current one."),
            Example(
                "larder rollback --library /srv/media --to 41", "To that one; larder status lists those that are kept."),
        ],
        exitCodes: exitCodes,
        exitMeanings: exitMeanings(
            "there is no older generation, or the library can't be changed",
            usage: "wrong usage, or there is no generation of that number"))

    static let pin = Command(
        "pin", summary: "stay at the current generation, whatever arrives",
        description: """
            Holds the library at its current generation: sync and refresh read their manifests and publish nothing, \
            until larder unpin.
            """,
        groups: [OptionGroup("Library", LibraryOption.library)],
        examples: [Example("larder pin --library /srv/media", "While the exhibition is open.")],
        exitCodes: exitCodes,
        exitMeanings: exitMeanings("nothing has been published yet, or the library can't be changed"))

    static let unpin = Command(
        "unpin", summary: "end what rollback or pin began",
        description:
            "Lets the next sync or refresh publish again what its manifests ask for. Publishes nothing itself.",
        groups: [OptionGroup("Library", LibraryOption.library)],
        examples: [Example("larder unpin --library /srv/media", "The next run goes forward again.")],
        exitCodes: exitCodes, exitMeanings: exitMeanings("the library can't be changed"))

    static let forget = Command(
        "forget", summary: "take a manifest and its bundles out of a library",
        description: """
            Publishes a generation without the manifest. Its content goes with the last generation that names it. \
            The highest serial that was published stays known, so that an older manifest of the same id is refused \
            later on as it is now.
            """,
        operands: [
            Operand("MANIFEST", help: "the id of a published manifest", completion: LibraryNames.manifests)
        ],
        groups: [OptionGroup("Library", LibraryOption.library, RunArguments.keep, RunArguments.keepAge)],
        examples: [Example("larder forget museum --library /srv/media", "Nothing of it is current any more.")],
        exitCodes: exitCodes,
        exitMeanings: exitMeanings(
            "the library can't be changed", usage: "wrong usage, or nothing is published of that manifest"))

    static let all = [rollback, pin, unpin, forget]

    /// Carries one of them out; nil where it is none of these.
    static func run(_ parsed: ParsedCommand) -> Jobs.ExitCode? {
        switch parsed.command.name {
        case rollback.name: carryOut(.rollBack(to: parsed[target]), parsed)
        case pin.name: carryOut(.pin, parsed)
        case unpin.name: carryOut(.unpin, parsed)
        case forget.name: runForget(parsed)
        default: nil
        }
    }

    private static func runForget(_ parsed: ParsedCommand) -> Jobs.ExitCode {
        guard let manifest = ContentID(parsed.operands[0]) else {
            Console.writeError("larder: \(parsed.operands[0].quotedForMessage()) can't be the id of a manifest\n")
            return .usage
        }
        return carryOut(
            .forget(manifest, keep: parsed[RunArguments.keep], keepAge: parsed[RunArguments.keepAge]), parsed)
    }

    private static func carryOut(_ step: LibrarySteering.Step, _ parsed: ParsedCommand) -> Jobs.ExitCode {
        let outcome = LibrarySteering(step, libraryPath: parsed[LibraryOption.library]).carryOut()
        for warning in outcome.warnings { Console.writeError("warning: \(warning)\n") }
        guard outcome.exit == .success else { return LibraryLookOptions.tell(outcome.exit, outcome.message) }
        Console.write(outcome.message + "\n")
        return .success
    }
}
