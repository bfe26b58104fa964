/// A wall clock that shows programs another time, and goes on from there; clocks that measure durations stay as they are.
///
/// A library of our own, made by the toolchain's compiler: `faketime` adds to the environment before a program starts, and Swift's programs then don't
/// find their arguments any more.
package struct MovedClock: Sendable {
    private let library: String

    /// - Parameter directory: where the library is put.
    package init(in directory: TemporaryDirectory) async throws {
        let source = try directory.write(Self.source.utf8, to: "moved-clock.c")
        library = directory["moved-clock.so"]
        let result = try await ChildProcess.run("clang", ["-shared", "-fPIC", "-o", library, source])
        guard result.status == .exited(0) else { throw ChildProcess.EndedEarly(what: "a library", result: result) }
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = (int)syscall(SYS_clock_gettime, clock, time);
            const char *seconds = getenv("MOVED_CLOCK");
            if (result == 0 && clock == CLOCK_REALTIME && seconds) time->tv_sec += atol(seconds);
            return result;
        }

        """

    /// An environment, in UTC, in which it is later by so much; earlier where that is negative.
    package func environment(movedBy offset: Duration) -> [String: String] {
        var environment = ChildProcess.inheritedEnvironment
        environment["LD_PRELOAD"] = library
        environment["MOVED_CLOCK"] = "\(offset.components.seconds)"
        environment["TZ"] = "UTC"
        return environment
    }
}
