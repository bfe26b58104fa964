/// Runs many tasks, a few of them at once.
enum TaskWindow {
    /// Runs `body` for each number below `count`, in order.
    /// - Parameters:
    ///   - width: how many run at once.
    ///   - mayBegin: asked before each; one that may not yet is asked about again whenever another has ended.
    ///   - take: given each result as it comes. When it returns false, nothing more begins, and what runs is cancelled.
    static func run<Outcome: Sendable>(
        _ count: Int, width: Int, mayBegin: (Int) -> Bool = { _ in true },
        _ body: @escaping @Sendable (Int) async -> Outcome, take: (Int, Outcome) async -> Bool
    ) async {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            var (next, running) = (0, 0)
            var isOpen = true
            func beginNext() {
                while isOpen, next < count, running < width, mayBegin(next) {
                    let index = next
                    next += 1
                    running += 1
                    group.addTask { (index, await body(index)) }
                }
            }
            beginNext()
            while let (index, outcome) = await group.next() {
                running -= 1
                if await !take(index, outcome), isOpen {
                    isOpen = false
                    group.cancelAll()
                }
                beginNext()
            }
        }
    }
}

/// What `body` brings, or why it doesn't: for tasks that don't throw.
func outcome<Success: Sendable>(
    of body: () async throws(BundleFailure) -> Success
) async -> Result<Success, BundleFailure> {
    do throws(BundleFailure) { return .success(try await body()) } catch { return .failure(error) }
}

/// What `body` brings in time; nil where that takes longer: it is cancelled then, and over.
func outcome<Success: Sendable>(
    within limit: Duration, of body: @escaping @Sendable () async throws(BundleFailure) -> Success
) async -> Result<Success, BundleFailure>? {
    await withTaskGroup(of: Result<Success, BundleFailure>?.self) { group in
        group.addTask { await outcome(of: body) }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        let first = await group.next() ?? nil
        group.cancelAll()
        if let first { return first }
        // It may have come in the last moment.
        guard case .success(let success)?? = await group.next() else { return nil }
        return .success(success)
    }
}
