import Glibc
import Platform

/// A command line of this program as others run it again and again: as a systemd service with its timer, and as a line for cron.
struct ScheduledCommand {
    /// Where this program is, by the name it was called by.
    let program: String
    let arguments: [String]
    /// What relative paths among the arguments are relative to.
    let directory: String
    let library: String
    /// What tells it from others of its kind.
    let name: String
    /// Who has the library, or is about to make it.
    let user: String
    let userID: uid_t
    /// When it works: then it is started at its beginning, and every hour until its end, to go on with what was paused; else every hour.
    let window: DailyWindow?

    /// Why something can't be run again and again.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - manifests: as they are named there.
    init(_ arguments: [String], library: String, manifests: [String], window: DailyWindow?) {
        program = ThisProgram.path(
            calledAs: CommandLine.arguments.first ?? "", searchPath: Environment.variables["PATH"] ?? "")
        directory = absolutePath("")
        self.arguments = arguments
        self.library = absolutePath(library)
        name = Self.unitName(of: self.library, manifests)
        userID = (try? Directory.open(self.library).descriptor.status().userID) ?? geteuid()
        user = userName(of: userID)
        self.window = window
    }

    // MARK: cron

    /// A line for `crontab -e`. What the run writes, of a failure, cron sends by mail.
    /// - Throws: where it can't be one line.
    func cronLine() throws(Problem) -> String {
        try checkIsSomewhere()
        let command = (["cd", directory, "&&", program] + arguments).map { $0 == "&&" ? $0 : Self.shellQuoted($0) }
            .joined(separator: " ")
        guard !command.unicodeScalars.contains("\n") else {
            throw Problem(description: "a line for cron can't have a line break in it: put what has one into a script")
        }
        // crontab(5): an unescaped % ends the command.
        let line = command.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "\\%")
        return "\(cronTime) \(line)\n"
    }

    func checkIsSomewhere() throws(Problem) {
        guard directory.utf8.first != UInt8(ascii: "/") else { return }
        throw Problem(description: "the directory that this is run in was removed: run it in one that is there")
    }

    /// Without a window every hour, at a minute that differs from library to library, since all the world runs something at the full one.
    private var cronTime: String {
        guard let window else {
            let minute = SHA256.digest(of: library.utf8).bytes.prefix(4).reduce(0) { $0 * 31 + Int($1) } % 58 + 1
            return "\(minute) * * * *"
        }
        return "\(window.startMinute % 60) \(window.startHours.map(String.init).joined(separator: ",")) * * *"
    }

    private static func shellQuoted(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Whether neither a shell, nor systemd, nor cron takes any of it for something else.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || "-_./:=,@+".unicodeScalars.contains(scalar)
            }
    }
}
