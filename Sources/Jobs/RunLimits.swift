import Downloads
import Platform

/// Ends a run at its deadline or byte budget.
final class RunLimits: Sendable {
    private let deadline: Task<Void, Never>?

    init(_ options: RunOptions, _ control: RunControl, _ downloader: Downloader) {
        deadline = options.deadline.map { deadline in
            Task {
                // Woken early only by `end`.
                if (try? await Task.sleep(for: deadline)) != nil { control.stop(.deadline) }
            }
        }
    }

    func end() { deadline?.cancel() }
}
