import CommandLineParsing
import ContentLibrary
import Glibc
import Jobs
import Platform

/// `larder run`: a program that finds one and the same generation for as long as it runs.
struct RunCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let command = Command(
        "run", summary: "run a program on the generation it began with",
        description: """
            Runs a program with the path of the current generation in LARDER_CURRENT, and keeps that generation with all \
            of its content for as long as the program runs, or anything that it started, whatever is published \
            meanwhile. The program takes this one's place: signals reach it, and its exit code is the exit code; 127 \
            when it isn't found, 126 when it can't be run. LARDER_GENERATION and LARDER_LIBRARY are set, too.
            """,
        operands: [
            Operand("COMMAND", .oneOrMore, help: "a program and its arguments, best after --", completion: .files)
        ],
        groups: [OptionGroup("Library", LibraryOption.library)],
        examples: [
            Example(
                "larder run -l media -- sh -c 'exec mpv \"$LARDER_CURRENT/m/film/index.m3u8\"'",
                "A film that is played to its end, even while a new version of it is published.")
        ],
        exitCodes: LibraryLookOptions.exitCodes,
        exitMeanings: Jobs.ExitCode.meant([
            .success: "the program's own exit code, whatever it is, where it was run; otherwise:",
            .failure: "nothing has been published yet, or the library is damaged",
            .unreadable: "there is no library",
        ]))

    /// The codes that shells, `env` and others end with.
    private static let (cannotRun, notFound): (Int32, Int32) = (126, 127)

    /// Becomes the program. To be called by the first thread, before there are others and before signals are blocked.
    /// - Returns: the exit code, where that can't be.
    func run() -> Int32 {
        do throws(LibraryError) {
            let library = try Library.open(parsed[LibraryOption.library], for: .reading)
            guard let held = try library.generations.holdCurrent() else {
                throw LibraryError(.notThere, "\(escapedText(library.path)): nothing has been published")
            }
            let path = absolutePath(library.path)
            let failure = ProcessStart.replaceThisProcess(
                by: ThisProgram.arguments(standingFor: parsed.operands),
                variables: [
                    "LARDER_CURRENT": "\(path)/generations/\(held.number)",
                    "LARDER_GENERATION": "\(held.number.value)", "LARDER_LIBRARY": path,
                ], inheriting: held.directory.descriptor)
            Console.writeError("error: \(failure)\n")
            return failure.isNotFound ? Self.notFound : Self.cannotRun
        } catch {
            return LibraryLookOptions.tell(Jobs.ExitCode(error), error.message).rawValue
        }
    }
}
