import FaultServer
import Glibc
import TestSupport
import Testing

/// What a debug build tells of a crash. For that the runtime pauses all threads, the one that waits for signals, too.
@Suite struct CrashTests {
    @Test(.enabled(if: getenv("LARDER_PROGRAM") == nil))
    func aCrashIsToldAndEndsTheProgram() async throws {
        let stock = try Stock()
        let gate = try Gate()
        stock.server.serve("/m.json", always: Reply.status(200).headHeld(until: gate))
        var environment = ChildProcess.inheritedEnvironment
        environment["SWIFT_BACKTRACE"] = "enable=yes,symbolicate=off,color=no"
        let run = try LarderProgram.start(stock.arguments(), environment: environment)
        defer { run.kill(SIGKILL) }
        try await stock.server.waitForRequest("/m.json")
        run.kill(SIGSEGV)
        // To its end: who writes it has a part of itself in the program, which takes signals as well.
        try await run.wait(for: "the backtrace") { $0.errorText.contains("Backtrace took") ? () : nil }
        // Until the one who writes it is done, its part of the program takes faults for its own.
        try await waitUntil("the end of the backtrace") { try !Self.takesFaults(run) }
        // One that a fault had raised would come again by itself.
        run.kill(SIGSEGV)
        #expect(try await run.waitForExit().status == .signalled(SIGSEGV))
    }

    /// proc(5): the signals that have a handler, as a bit each.
    private static func takesFaults(_ run: ChildProcess) throws -> Bool {
        let status = String(decoding: try readFile("/proc/\(run.processID)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
        let caught = try #require(UInt64(line.dropFirst(7).drop { $0 == "\t" }, radix: 16))
        return caught & 1 << UInt64(SIGSEGV - 1) != 0
    }
}
