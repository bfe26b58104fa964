import CommandLineParsing
import ContentLibrary
import Jobs

/// What the commands share that look at a library and don't change it: any number of them may do so at once, beside a run, and on a read-only disk.
enum LibraryLookOptions {
    static let json = CommandOption<Bool>.flag("json", help: "JSON on stdout")

    /// What all of them can end with.
    static let exitCodes = Jobs.ExitCode.values(.success, .failure, .usage, .unreadable)

    /// What these mean for a command that tells of damage as it does of all else.
    static let exitMeanings = meanings(
        failure: "it can't be told: something of the library, or standard output, can't be read or written")

    static func meanings(failure: String, usage: String = "wrong usage") -> [Int32: String] {
        Jobs.ExitCode.meant([
            .success: "told", .failure: failure, .usage: usage, .unreadable: "there is no library",
        ])
    }

    /// For one that needs the current generation, and a name in it.
    static let namingExitMeanings = meanings(
        failure: "the library is damaged, or can't be read",
        usage: "wrong usage, or nothing that is published has that name, or several have")

    /// Lets `body` look, and tells what went wrong.
    static func look(
        _ parsed: ParsedCommand, _ body: (Library) throws -> Jobs.ExitCode
    ) -> Jobs.ExitCode {
        do {
            return try body(Library.open(parsed[LibraryOption.library], for: .reading))
        } catch let error as LibraryError {
            return tell(ExitCode(error), error.message)
        } catch let error as BundleNameError {
            return tell(.usage, error.description)
        } catch {
            return tell(.failure, "\(error)")
        }
    }

    /// A mistake of the command line is told as all of them are.
    static func tell(_ exit: Jobs.ExitCode, _ problem: String) -> Jobs.ExitCode {
        Console.writeError("\(exit == .usage ? "larder" : "error"): \(problem)\n")
        return exit
    }
}
