import Platform
import TestSupport
import Testing

@Suite struct MonitorTests {
    @Test func whoeverWaitsLooksAgainAfterEachChange() async throws {
        let monitor = Monitor(0)
        async let seen = onOwnThread { monitor.wait { $0 >= 3 ? $0 : nil } }
        for _ in 0..<3 { monitor.change { $0 += 1 } }
        #expect(try await seen == 3)
    }
}
