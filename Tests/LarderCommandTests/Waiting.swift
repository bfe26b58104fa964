import TestSupport

/// Waits for something in the file system, of which nothing tells: looks again and again.
/// - Throws: `WaitTimedOut`, with why the last look found nothing.
func waitUntil(_ what: String, within limit: Duration = .seconds(90), _ holds: () throws -> Bool) async throws {
    let end = ContinuousClock.now + limit
    while true {
        let found = Result { try holds() }
        if case .success(true) = found { return }
        guard ContinuousClock.now < end else { throw WaitTimedOut(what: what, limit: limit, seen: "\(found)") }
        try await Task.sleep(for: .milliseconds(10))
    }
}
