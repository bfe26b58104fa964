import CommandLineParsing
import Jobs

/// `larder --complete`: what the scripts of `--generate` ask each time.
struct CompleteCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    static let command = Command(
        "--complete", summary: "tell a shell what could stand where the cursor is",
        description: """
            Prints words, files or folders, and a line for each word that could stand there, what it means behind a tab. \
            Whatever is wrong with the command line or a library, there are fewer words, and no message.
            """,
        operands: [Operand("WORD", .any, help: "those before the cursor, and as much of the last one as there is")],
        exitCodes: Jobs.ExitCode.values(.success, .failure, .usage),
        exitMeanings: Jobs.ExitCode.meant([.success: "told", .failure: "standard output can't be written"]),
        isHidden: true)

    func run() -> Jobs.ExitCode {
        let request = CompletionRequest(larderCommands, environment: Environment.variables)
        Console.write(request.answer(to: parsed.operands).text)
        return .success
    }
}
