import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct LibraryLockTests {
    @Test func aSecondWriterIsToldWhoHoldsTheLibrary() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        guard case .busy(let processID) = try fixture.open().beginWriting() else {
            throw Unexpected("two writers")
        }
        #expect(processID == getpid())
        withExtendedLifetime(writer) {}
    }

    @Test func theLockGoesWithItsWriter() throws {
        let fixture = try Fixture()
        _ = try fixture.writer()
        _ = try fixture.writer()
    }

    @Test func anotherProcessExcludesUsUntilItDies() async throws {
        let fixture = try Fixture()
        let library = try fixture.open()
        let holder = try ChildProcess(
            "flock", ["--no-fork", fixture.temporary["library/.larder/lock"], "sh", "-c", "echo held; exec sleep 60"])
        _ = try await holder.wait(for: "the lock") { $0.outputText.contains("held") ? true : nil }
        guard case .busy = try library.beginWriting() else { throw Unexpected("two writers") }

        holder.kill(SIGKILL)
        try await holder.waitForExit()
        guard case .granted = try library.beginWriting() else { throw Unexpected("the lock outlived its holder") }
    }

    /// Who only looks leaves no number, and the one that is there is of a run that was killed.
    @Test func aWriterIsNotToldTheNumberOfARunThatIsGone() async throws {
        let fixture = try Fixture()
        let library = try fixture.open()
        try fixture.temporary.write("\(getpid())\n".utf8, to: "library/.larder/lock")
        let looker = try ChildProcess(
            "flock",
            [
                "--shared", "--no-fork", fixture.temporary["library/.larder/lock"], "sh", "-c",
                "echo held; exec sleep 60",
            ])
        defer { looker.kill(SIGKILL) }
        _ = try await looker.wait(for: "the lock") { $0.outputText.contains("held") ? true : nil }
        guard case .busy(nil) = try library.beginWriting() else { throw Unexpected("a number, or two at once") }
    }

    @Test func aChildDoesNotInheritTheLock() async throws {
        let fixture = try Fixture()
        var writer: LibraryWriter? = try fixture.writer()
        let child = try ChildProcess("sh", ["-c", "echo started; exec sleep 60"])
        _ = try await child.wait(for: "the start") { $0.outputText.contains("started") ? true : nil }
        withExtendedLifetime(writer) {}
        writer = nil
        _ = try fixture.writer()
        child.kill(SIGKILL)
        try await child.waitForExit()
    }

    @Test func readersNeedNoLock() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        try Sample().publish(by: writer)
        #expect(try Library.open(fixture.path, for: .reading).generations.current()?.number.value == 1)
        withExtendedLifetime(writer) {}
    }

    @Test(arguments: ["", "not a number\n", "99999999999999999999\n", String(repeating: "1", count: 100)])
    func anUnreadableRecordOfTheHolderIsNoNumber(record: String) throws {
        let fixture = try Fixture()
        let library = try fixture.open()
        let writer = try fixture.writer()
        try fixture.temporary.write(record.utf8, to: "library/.larder/lock")
        guard case .busy(nil) = try library.beginWriting() else { throw Unexpected("a number out of nothing") }
        withExtendedLifetime(writer) {}
    }
}
