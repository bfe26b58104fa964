import Glibc
import TestSupport
import Testing

@testable import Platform

/// Programs that are started and waited for.
@Suite struct ProgramTests {
    /// Also where the system refuses a descriptor that tells of the end.
    @Test(arguments: [true, false])
    func whatEndsInTimeIsLeftToItself(isSeenAtOnce: Bool) throws {
        let program = try Program(["sh", "-c", "exit 7"], hasOwnGroup: true)
        let descriptor = isSeenAtOnce ? program.openProcess() : nil
        #expect(program.wait(atMost: .seconds(60), unless: { false }, seeing: descriptor) == .exited(7))
    }

    @Test func whyAProgramCanNotBeStartedIsTold() throws {
        let folder = try TemporaryDirectory()
        try folder.write([], to: "text")
        for (name, code) in [("none", ENOENT), ("text", EACCES), ("text/below", ENOTDIR)] {
            let error = #expect(throws: Platform.SystemError.self) { try Program([folder[name]]) }
            #expect(error?.code == code, "\(name)")
        }
    }

    @Test(arguments: [true, false], [true, false])
    func whatTakesTooLongIsEndedWithAllItStarted(isAskedTo: Bool, isSeenAtOnce: Bool) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var reading: Platform.OwnedDescriptor? = Platform.OwnedDescriptor(adopting: ends[0], name: "a pipe")
        let writing = Platform.OwnedDescriptor(adopting: ends[1], name: "a pipe")
        // The one in the background holds the pipe's end, too, and ignores a polite request.
        let script = "(trap '' TERM; while true; do sleep 1; done) <&0 & wait"
        let program = try Program(["sh", "-c", script], input: reading, hasOwnGroup: true)
        reading = nil
        let limit: Duration = isAskedTo ? .seconds(60) : .zero
        let descriptor = isSeenAtOnce ? program.openProcess() : nil
        #expect(program.wait(atMost: limit, unless: { isAskedTo }, seeing: descriptor) == nil)
        // The kernel says so where nobody is left who could read.
        var entry = pollfd(fd: writing.rawValue, events: 0, revents: 0)
        #expect(poll(&entry, 1, 10_000) == 1 && Int32(entry.revents) & POLLERR != 0)
    }
}
