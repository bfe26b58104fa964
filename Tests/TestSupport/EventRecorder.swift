/// Where code under test records what happened, and a test waits for it: by event, never by sleeping.
package final class EventRecorder<Event: Sendable>: Sendable {
    private let recorded = Watched<[Event]>([])

    package init() {}

    /// Everything recorded so far, in order.
    package var events: [Event] { recorded.now }

    package func record(_ event: Event) {
        recorded.update { $0.append(event) }
    }

    /// Waits until `predicate` finds what it looks for in all the events so far, and returns that.
    ///
    /// - Throws: `WaitTimedOut` with what was recorded instead.
    package func wait<Found: Sendable>(
        for what: String, within limit: Duration = .seconds(90),
        until predicate: @escaping @Sendable ([Event]) -> Found?
    ) async throws -> Found {
        try await recorded.wait(for: what, within: limit, until: predicate)
    }

    /// Waits for the first event that matches, be it past or to come.
    @discardableResult
    package func first(
        _ what: String, within limit: Duration = .seconds(90), where matches: @escaping @Sendable (Event) -> Bool
    ) async throws -> Event {
        try await wait(for: what, within: limit) { $0.first(where: matches) }
    }

    /// Waits until there are at least `count` events, and returns them.
    @discardableResult
    package func events(atLeast count: Int, within limit: Duration = .seconds(90)) async throws -> [Event] {
        try await wait(for: "\(count) events", within: limit) { $0.count >= count ? $0 : nil }
    }
}
