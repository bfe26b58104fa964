import Dispatch

/// Delivers one caller's events and its answer, in order, outside every lock: a handler that blocks holds up nobody else.
final class CallerMailbox: Sendable {
    private let events: (@Sendable (DownloadEvent) -> Void)?
    private let completion: @Sendable (Result<DownloadedFile, DownloadError>) -> Void
    private let queue = DispatchQueue(label: "larder.caller")

    init(
        events: (@Sendable (DownloadEvent) -> Void)?,
        completion: @escaping @Sendable (Result<DownloadedFile, DownloadError>) -> Void
    ) {
        self.events = events
        self.completion = completion
    }

    func tell(_ event: DownloadEvent) {
        guard let events else { return }
        queue.async { events(event) }
    }

    func answer(_ result: Result<DownloadedFile, DownloadError>) {
        let completion = completion
        queue.async { completion(result) }
    }
}
