import Platform
import TestSupport
import Testing

@testable import Jobs

/// How long a run waits for a network.
@Suite struct NetworkPatienceTests {
    private let control = RunControl()
    private let events = EventRecorder<String>()

    /// What happens while it waits for the first time.
    private func outcome(_ meanwhile: @escaping @Sendable (RunControl) -> Void) async throws -> [String] {
        let (control, events) = (control, events)
        control.onStop { events.record("stopped") }
        let patience = NetworkPatience(
            .seconds(300), control,
            sleep: { limit in
                events.record("waits \(limit)")
                if events.events.count == 1 { meanwhile(control) }
                return true
            }, giveUp: { events.record("told") })
        control.setNetwork(isUsable: false)
        patience.noteWaiting()
        patience.noteWaiting()
        _ = try await events.first("the end") { $0 == "stopped" }
        return events.events
    }

    @Test func aRunThatWaitsForTooLongIsPausedAndTold() async throws {
        #expect(try await outcome { _ in } == ["waits 300.0 seconds", "told", "stopped"])
        #expect(control.reason == .noNetwork && control.reason?.exit == .paused)
    }

    /// Whoever is reached without a way out goes on, and so does the run.
    @Test func whileAnythingComesNobodyGivesUp() async throws {
        let told = try await outcome { $0.noteActivity() }
        #expect(told == ["waits 300.0 seconds", "waits 300.0 seconds", "told", "stopped"])
    }

    @Test func aNetworkThatWasThereMeanwhileIsWaitedForAnew() async throws {
        let told = try await outcome { control in
            control.setNetwork(isUsable: true)
            control.setNetwork(isUsable: false)
        }
        #expect(told == ["waits 300.0 seconds", "waits 300.0 seconds", "told", "stopped"])
    }
}
