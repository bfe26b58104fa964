import Platform

/// Ends a run at its deadline or its byte budget.
final class RunLimits: Sendable {
    private let control: RunControl
    private let maximumBytes: Int64?
    private let receivedBytes = Locked<Int64>(0)
    private let deadline: Task<Void, Never>?

    init(_ options: RunOptions, _ control: RunControl) {
        self.control = control
        maximumBytes = options.maximumBytes
        deadline = options.deadline.map { deadline in
            Task {
                // Woken before its time only by `end`.
                if (try? await Task.sleep(for: deadline)) != nil { control.stop(.deadline) }
            }
        }
    }

    /// Notes body bytes that came in.
    func note(_ bytes: Int64) {
        guard let maximumBytes else { return }
        let isOver = receivedBytes.withLock { received in
            received += bytes
            return received >= maximumBytes
        }
        if isOver { control.stop(.byteBudget) }
    }

    func end() { deadline?.cancel() }
}
