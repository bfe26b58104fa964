import Dispatch

/// Delivers one caller's events and its answer, in order, outside every lock: a handler that blocks holds up nobody else.
final class CallerMailbox: Sendable {
    private let events: (@Sendable (DownloadEvent) -> Void)?
    private let completion: @Sendable (Result<DownloadedFile, DownloadError>) -> Void
    /// Nil where no handler could block: who only resumes a task needs no thread in between.
    private let queue: DispatchQueue?

    init(
        events: (@Sendable (DownloadEvent) -> Void)?,
        completion: @escaping @Sendable (Result<DownloadedFile, DownloadError>) -> Void
    ) {
        self.events = events
        self.completion = completion
        queue = DispatchQueue(label: "larder.caller")
    }

    /// For a task that waits; it goes on behind the last event.
    init(
        events: (@Sendable (DownloadEvent) -> Void)?,
        resuming task: CheckedContinuation<Result<DownloadedFile, DownloadError>, Never>
    ) {
        self.events = events
        completion = { result in task.resume(returning: result) }
        queue = events == nil ? nil : DispatchQueue(label: "larder.caller")
    }

    /// Whether anybody hears events.
    var listens: Bool { events != nil }

    func tell(_ event: DownloadEvent) {
        guard let events, let queue else { return }
        queue.async { events(event) }
    }

    func answer(_ result: Result<DownloadedFile, DownloadError>) {
        guard let queue else { return completion(result) }
        let completion = completion
        queue.async { completion(result) }
    }
}
