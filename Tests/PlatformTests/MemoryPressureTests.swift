import Glibc
import TestSupport
import Testing

@testable import Platform

/// Who is told that memory is short, and by what.
@Suite struct MemoryPressureTests {
    /// Tells of so much pressure at once, and then of none.
    private struct StandIn: MemoryPressureMonitor.Source {
        let remaining: Watched<Int>
        let ended = Watched(false)

        func waitForPressure(orUntil stop: Platform.OwnedDescriptor) -> Bool {
            let isPressure = remaining.update { remaining in
                remaining -= 1
                return remaining >= 0
            }
            if !isPressure {
                _ = pollDescriptors([(stop.rawValue, Int16(POLLIN))])
                ended.update { $0 = true }
            }
            return isPressure
        }
    }

    @Test func eachPressureIsToldAndTheThreadEndsWithTheMonitor() async throws {
        let source = StandIn(remaining: Watched(3))
        let told = EventRecorder<Void>()
        var monitor: MemoryPressureMonitor? = MemoryPressureMonitor(source) { told.record(()) }
        #expect(monitor != nil)
        try await told.events(atLeast: 3)
        #expect(!source.ended.now)
        monitor = nil
        try await source.ended.wait(for: "the end") { $0 ? () : nil }
        #expect(told.events.count == 3)
    }

    @Test(
        arguments: [
            ("0::/\n", "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "/sys/fs/cgroup"),
            ("4:memory:/a\n0::/b/c\n", "30 25 0:26 / /unified rw shared:4 - cgroup2 none rw", "/unified/b/c"),
            ("0::/b/c\n", "30 25 0:26 /b /cg rw - cgroup2 none rw", "/cg/c"),
            ("0::/bc\n", "30 25 0:26 /b /cg rw - cgroup2 none rw", nil),
            ("4:memory:/a\n", "30 25 0:26 / /cg rw - cgroup2 none rw", nil),
            ("0::/\n", "30 25 0:26 / /cg rw - cgroup none rw", nil), ("0::/\n", "", nil), ("", "- cgroup2", nil),
        ] as [(String, String, String?)])
    func theOwnGroupIsFound(membership: String, mounts: String, path: String?) {
        #expect(ControlGroup.path(membership: membership, mounts: mounts) == path)
    }

    @Test func aFileThatTakesNoTriggerIsNoSource() {
        #expect(PressureStallTrigger(path: "/no/such/pressure") == nil)
        #expect(PressureStallTrigger(path: "/proc/version") == nil)
    }
}
