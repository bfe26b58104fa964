import Glibc

/// Asks for a password: on the terminal, without showing it; where there is none, it is the first line of standard input.
package enum PasswordPrompt {
    private static let limitBytes = 1024

    /// - Parameter question: what the terminal shows.
    /// - Returns: the password without its line end; nil when there is none.
    /// - Throws: `EINTR` where Ctrl-C was pressed, or a signal came, instead.
    package static func ask(_ question: String) throws(SystemError) -> [UInt8]? {
        guard let terminal = try? OwnedDescriptor.open("/dev/tty", flags: O_RDWR | O_NOCTTY) else {
            return try line(from: STDIN_FILENO, called: "standard input")
        }
        return try ask(question, on: terminal)
    }

    /// The first line of what was piped to us. Byte by byte: what follows it is somebody else's.
    static func line(from descriptor: Int32, called name: String) throws(SystemError) -> [UInt8]? {
        try line(called: name) { () throws(SystemError) in try byte(from: descriptor, called: name) }
    }

    static func ask(_ question: String, on terminal: OwnedDescriptor) throws(SystemError) -> [UInt8]? {
        // They would leave a terminal behind that shows nothing of what is typed.
        try SignalListener.holdBack([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { arrived throws(SystemError) in
            var settings = termios()
            guard tcgetattr(terminal.rawValue, &settings) == 0 else { throw .last("ask on", terminalName) }
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO)
            // Ctrl-C ends the line rather than the program, which then gives the terminal back as it was.
            silent.c_lflag &= ~tcflag_t(ISIG)
            withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
            guard tcsetattr(terminal.rawValue, TCSAFLUSH, &silent) == 0 else { throw .last("ask on", terminalName) }
            defer {
                tcsetattr(terminal.rawValue, TCSAFLUSH, &settings)
                try? terminal.write(Array("\n".utf8))
            }
            // Not before: what is typed until then is thrown away.
            try terminal.write(Array(question.utf8))
            return try line(called: terminalName) { () throws(SystemError) in
                try typedByte(on: terminal, unless: arrived)
            }
        }
    }

    private static let terminalName = "the terminal"
    /// What Ctrl-C sends.
    private static let interrupt: UInt8 = 0x03

    /// The next byte of a line that was typed.
    private static func typedByte(
        on terminal: OwnedDescriptor, unless arrived: OwnedDescriptor
    ) throws(SystemError) -> UInt8? {
        var entries = [arrived, terminal].map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
        let interrupted = SystemError(code: EINTR, operation: readOperation, subject: terminalName)
        guard retryingInterrupts({ poll(&entries, nfds_t(entries.count), -1) }) > 0, entries[0].revents == 0 else {
            throw interrupted
        }
        let typed = try byte(from: terminal.rawValue, called: terminalName)
        if typed == interrupt { throw interrupted }
        return typed
    }

    private static func line(
        called name: String, next: () throws(SystemError) -> UInt8?
    ) throws(SystemError) -> [UInt8]? {
        var line: [UInt8] = []
        while line.count < limitBytes {
            guard let byte = try next() else { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") { return line.last == UInt8(ascii: "\r") ? line.dropLast() : line }
            line.append(byte)
        }
        throw SystemError(code: EMSGSIZE, operation: readOperation, subject: name)
    }

    private static let readOperation = "read a password from"

    /// Nil at the end.
    private static func byte(from descriptor: Int32, called name: String) throws(SystemError) -> UInt8? {
        var byte: UInt8 = 0
        let count = retryingInterrupts { read(descriptor, &byte, 1) }
        guard count >= 0 else { throw .last(readOperation, name) }
        return count == 0 ? nil : byte
    }
}
