import CommandLineParsing
import ContentLibrary
import Jobs

/// What the commands share that look at a library and don't change it: any number of them may do so at once, beside a run, and on a read-only disk.
enum LibraryLookOptions {
    static let library = CommandOption<String>.required(
        "library", short: "l", .text("DIR"), environment: "LARDER_LIBRARY", help: "the content library")
    static let json = CommandOption<Bool>.flag("json", help: "JSON on stdout")

    /// What all of them can end with.
    static let exitCodes = Jobs.ExitCode.values(.success, .failure, .usage)

    /// Lets `body` look, and tells what went wrong.
    static func look(
        _ parsed: ParsedCommand, _ body: (Library) throws -> Jobs.ExitCode
    ) -> Jobs.ExitCode {
        do {
            return try body(Library.open(parsed[library], for: .reading))
        } catch let error as BundleNameError {
            Console.writeError("larder: \(error)\n")
            return .usage
        } catch {
            Console.writeError("error: \(error)\n")
            return .failure
        }
    }
}
