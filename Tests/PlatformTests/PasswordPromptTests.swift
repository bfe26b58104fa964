import Glibc
import TestSupport
import Testing

@testable import Platform

/// Passwords that are typed on a terminal, or come out of a pipe.
@Suite struct PasswordPromptTests {
    @Test(
        arguments: [
            ("secret\nmore", "secret"), ("secret\r\n", "secret"), ("secret", "secret"), ("\n", ""), ("", nil),
            ("a\u{3}b\n", "a\u{3}b"),
        ] as [(String, String?)])
    func aPipesFirstLineIsThePassword(_ piped: String, _ password: String?) throws {
        let file = try TemporaryFolder.unnamedFile()
        try file.write(Array(piped.utf8))
        #expect(lseek(file.rawValue, 0, SEEK_SET) == 0)
        let line = try PasswordPrompt.line(from: file.rawValue, called: "a pipe")
        #expect(line == password.map { Array($0.utf8) })
    }

    @Test func aLineWithoutEndIsRefused() throws {
        let file = try TemporaryFolder.unnamedFile()
        try file.write([UInt8](repeating: 7, count: 5000))
        #expect(lseek(file.rawValue, 0, SEEK_SET) == 0)
        let error = #expect(throws: Platform.SystemError.self) {
            try PasswordPrompt.line(from: file.rawValue, called: "a pipe")
        }
        #expect(error?.code == EMSGSIZE)
    }

    @Test func whatIsTypedIsNotShown() async throws {
        let terminal = try PseudoTerminal()
        async let password = onOwnThread { try PasswordPrompt.ask("Password: ", on: terminal.slave) }
        try terminal.waitForText("Password: ")
        try terminal.type("secret\n")
        #expect(try await password == Array("secret".utf8))
        #expect(terminal.echoes, "the terminal is as it was")
        #expect(try terminal.waitForText("\r\n").contains("secret") == false)
    }

    @Test func pressingControlCEndsTheQuestion() async throws {
        let terminal = try PseudoTerminal()
        async let code = onOwnThread { failure { try PasswordPrompt.ask("Password: ", on: terminal.slave) } }
        try terminal.waitForText("Password: ")
        try terminal.type("sec\u{3}")
        #expect(try await code == EINTR)
        #expect(terminal.echoes)
    }

    /// It takes effect once the terminal is as it was.
    @Test func aSignalEndsTheQuestion() async throws {
        let terminal = try PseudoTerminal()
        let asked = Watched<pthread_t?>(nil)
        let previous = signal(SIGHUP, noteSignal)
        defer { signal(SIGHUP, previous) }
        async let code = onOwnThread {
            asked.update { $0 = pthread_self() }
            return failure { try PasswordPrompt.ask("Password: ", on: terminal.slave) }
        }
        try terminal.waitForText("Password: ")
        try await pthread_kill(asked.wait(for: "the thread") { $0 }, SIGHUP)
        #expect(try await code == EINTR)
        #expect(terminal.echoes)
    }
}

private func noteSignal(_ signal: Int32) {}

private func failure(_ body: () throws -> [UInt8]?) -> Int32? {
    do { _ = try body() } catch { return (error as? Platform.SystemError)?.code }
    return nil
}

/// A terminal that a test types on.
private final class PseudoTerminal: Sendable {
    let slave: Platform.OwnedDescriptor
    private let master: Platform.OwnedDescriptor

    init() throws {
        let master = try Platform.OwnedDescriptor.open("/dev/ptmx", flags: O_RDWR | O_NOCTTY)
        // What `unlockpt` and `ptsname` do, which Glibc's module doesn't show: TIOCSPTLCK and TIOCGPTN.
        var (isLocked, number): (Int32, UInt32) = (0, 0)
        try #require(ioctl(master.rawValue, 0x4004_5431, &isLocked) == 0)
        try #require(ioctl(master.rawValue, 0x8004_5430, &number) == 0)
        slave = try Platform.OwnedDescriptor.open("/dev/pts/\(number)", flags: O_RDWR | O_NOCTTY)
        self.master = master
    }

    func type(_ text: String) throws { try master.write(Array(text.utf8)) }

    /// Whether what is typed is shown.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(slave.rawValue, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Reads what the terminal shows, until it ends with this.
    @discardableResult
    func waitForText(_ end: String) throws -> String {
        var shown = ""
        while !shown.hasSuffix(end) {
            try #require(pollDescriptors([(master.rawValue, Int16(POLLIN))], within: .seconds(30))[0] != 0, "\(shown)")
            var piece = [UInt8](repeating: 0, count: 100)
            let count = try piece.withUnsafeMutableBytes { try master.read(into: $0) }
            shown += String(decoding: piece[..<count], as: UTF8.self)
        }
        return shown
    }
}
