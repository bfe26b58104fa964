import Glibc
import TestSupport
import Testing

/// A program on a terminal of a given size: what a user would see, and what was sent to draw it.
struct TerminalSession {
    /// Everything that was sent to the terminal.
    let sent: String
    /// The lines that stand on the screen at the end, without empty ones at the end.
    let screen: [String]
    let status: Int32

    /// Runs a program with a terminal as its standard streams.
    static func run(_ command: [String], columns: Int, rows: Int = 24) async throws -> TerminalSession {
        let script = """
            import fcntl, os, pty, struct, sys, termios
            columns, rows = int(sys.argv[1]), int(sys.argv[2])
            child, terminal = pty.fork()
            if child == 0:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execvp(sys.argv[3], sys.argv[3:])
            while True:
                try: data = os.read(terminal, 65536)
                except OSError: break
                if not data: break
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        let result = try await ChildProcess.run(
            "python3", ["-c", script, "\(columns)", "\(rows)"] + command, within: .seconds(120))
        var exited: Int32?
        if case .exited(let status) = result.status { exited = status }
        let status = try #require(exited, "\(result)")
        var emulator = Emulator()
        emulator.take(result.outputText)
        return TerminalSession(sent: result.outputText, screen: emulator.lines, status: status)
    }

    /// As much of a terminal as a redrawn display needs: text, line ends, up (`CSI n A`) and erase below (`CSI J`).
    private struct Emulator {
        private(set) var lines: [String] = [""]
        private var row = 0

        mutating func take(_ text: String) {
            var rest = text.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\r": break
                case "\n":
                    row += 1
                    if row == lines.count { lines.append("") }
                case "\u{1b}": control(&rest)
                default: lines[row].unicodeScalars.append(scalar)
                }
            }
            while lines.last == "" { lines.removeLast() }
        }

        private mutating func control(_ rest: inout Substring.UnicodeScalarView) {
            guard rest.popFirst() == "[" else { return }
            var digits = ""
            while let scalar = rest.popFirst() {
                switch scalar {
                case "0"..."9", ";": digits.unicodeScalars.append(scalar)
                case "A":
                    row = max(0, row - (Int(digits) ?? 1))
                    return
                case "J":
                    lines.removeSubrange((row + 1)...)
                    lines[row] = ""
                    return
                default: return
                }
            }
        }
    }
}
