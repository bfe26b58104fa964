import Glibc
import Platform

/// A command line of this program as others run it again and again: as a systemd service with its timer, and as a line for cron.
struct ScheduledCommand {
    /// Where this program is.
    let program: String
    let arguments: [String]
    /// What relative paths among the arguments are relative to.
    let directory: String
    let library: String
    /// When it works: then it is started once a day, at the beginning; else every hour.
    let window: DailyWindow?

    /// Why something can't be run again and again.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - arguments: without the program's name.
    init(_ arguments: [String], library: String, window: DailyWindow?) {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        program = String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
        directory = absolutePath("")
        self.arguments = arguments
        self.library = absolutePath(library)
        self.window = window
    }

    // MARK: systemd

    /// Two files, each after a line that says where it goes. Paused (3) is no failure.
    var systemdUnits: String {
        // It takes no program with quotes in its name, and unescapes nothing there.
        let start = Self.isPlain(program) ? [program] : ["/bin/sh", "-c", "exec \"$0\" \"$@\"", program]
        let command = (start + arguments).map(Self.systemdQuoted).joined(separator: " ")
        return """
            # /etc/systemd/system/larder-refresh.service
            [Unit]
            Description=Refresh the media in \(Self.specifierEscaped(library))
            Wants=network-online.target
            After=network-online.target

            [Service]
            Type=oneshot
            WorkingDirectory=\(Self.specifierEscaped(directory))
            ExecStart=\(command)
            SuccessExitStatus=3
            Nice=10
            IOSchedulingClass=idle
            NoNewPrivileges=yes
            ProtectSystem=full

            # /etc/systemd/system/larder-refresh.timer
            [Unit]
            Description=Refresh the media in \(Self.specifierEscaped(library)), again and again

            [Timer]
            OnCalendar=\(window.map { "*-*-* \(Self.clock($0.startMinute))" } ?? "hourly")
            RandomizedDelaySec=\(window == nil ? "10m" : "1m")
            Persistent=true

            [Install]
            WantedBy=timers.target

            """
    }

    /// systemd.service(5), "Command lines": quoted, with `%` and `$` doubled.
    private static func systemdQuoted(_ text: String) -> String {
        var quoted = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\", "\"": quoted += "\\\(character)"
            case "$": quoted += "$$"
            case "%": quoted += "%%"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return isPlain(text) ? text : "\"\(quoted)\""
    }

    private static func specifierEscaped(_ text: String) -> String {
        escapedText(text).split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    }

    private static func clock(_ minute: Int) -> String {
        [minute / 60, minute % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":") + ":00"
    }

    // MARK: cron

    /// A line for `crontab -e`. What the run writes, of a failure, cron sends by mail.
    /// - Throws: where it can't be one line.
    func cronLine() throws(Problem) -> String {
        let command = (["cd", directory, "&&", program] + arguments).map { $0 == "&&" ? $0 : Self.shellQuoted($0) }
            .joined(separator: " ")
        guard !command.unicodeScalars.contains("\n") else {
            throw Problem(description: "a line for cron can't have a line break in it: put what has one into a script")
        }
        // crontab(5): an unescaped % ends the command.
        let line = command.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "\\%")
        return "\(cronTime) \(line)\n"
    }

    /// Every hour at a minute that differs from library to library, since all the world runs something at the full one.
    private var cronTime: String {
        guard let window else {
            let minute = SHA256.digest(of: library.utf8).bytes.prefix(4).reduce(0) { $0 * 31 + Int($1) } % 58 + 1
            return "\(minute) * * * *"
        }
        return "\(window.startMinute % 60) \(window.startMinute / 60) * * *"
    }

    private static func shellQuoted(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Whether neither a shell, nor systemd, nor cron takes any of it for something else.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || "-_./:=,@+".unicodeScalars.contains(scalar)
            }
    }
}
