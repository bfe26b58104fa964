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
        try await run.wait(for: "the backtrace") { $0.errorText.contains("Program crashed") ? () : nil }
        // One that a fault had raised would come again by itself.
        run.kill(SIGSEGV)
        #expect(try await run.waitForExit().status == .signalled(SIGSEGV))
    }
}
