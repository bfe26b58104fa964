import Platform
import Transfer

/// Tells a dead man's switch how a run ended: one that succeeded asks for the switch's URL, one that failed for the same with `/fail` behind its
/// path. Whoever waits for word from here hears of a run that didn't come, or didn't get through, by hearing nothing.
package struct HealthPing: Sendable {
    private let url: TransferURL
    private let failureURL: TransferURL
    private var configuration: SessionConfiguration

    private static let tries = 3
    private static let pause: Duration = .seconds(2)
    private static let patience: Duration = .seconds(10)

    /// Why a URL can't be asked for, in a line without what may be secret in it.
    package struct URLProblem: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter configuration: the way to the network. Its headers are for whoever has the content, and never sent.
    /// - Throws: for a URL that can't be asked for.
    package init(_ text: String, _ configuration: SessionConfiguration) throws(URLProblem) {
        do throws(TransferURLError) { (url, failureURL) = try Self.urls(text) } catch {
            throw URLProblem(description: "\(error)")
        }
        guard ["http", "https"].contains(url.scheme) else {
            throw URLProblem(description: "'\(url.scheme)' is no way to be told anything; use http or https")
        }
        self.configuration = configuration
        self.configuration.headers = HeaderFields()
    }

    private static func urls(_ text: String) throws(TransferURLError) -> (success: TransferURL, failure: TransferURL) {
        let text = text.prefix { $0 != "#" }
        let (path, query) = (text.prefix { $0 != "?" }, text.drop { $0 != "?" })
        return (try TransferURL(String(text)), try TransferURL("\(path)\(path.hasSuffix("/") ? "" : "/")fail\(query)"))
    }

    /// - Returns: what went wrong, in a line without the URL's path, which is a secret.
    package func send(_ report: SyncRun.Report) async -> String? {
        guard let url = url(for: report) else { return nil }
        var configuration = configuration
        configuration.transferTimeout = Self.patience
        let session = Session(configuration: configuration)
        var problem: String?
        for attempt in 0..<Self.tries {
            if attempt > 0 { try? await Task.sleep(for: Self.pause) }
            problem = await ask(url, session)
            if problem == nil { break }
        }
        await session.invalidate()
        return problem.map { "\(url.origin) could not be told how the run ended: \($0)" }
    }

    /// A run that was left to another one, or is to be carried on, is neither.
    private func url(for report: SyncRun.Report) -> TransferURL? {
        switch report.exit {
        case .success: report.isSkipped ? nil : url
        case .paused, .interrupted, .terminated: nil
        default: failureURL
        }
    }

    private func ask(_ url: TransferURL, _ session: Session) async -> String? {
        var request = TransferRequest(url: url)
        request.bodyBudgetBytes = 64 << 10
        let outcome = await withCheckedContinuation { continuation in
            session.start(request, consumer: PingConsumer { continuation.resume(returning: $0) })
        }
        switch outcome.result {
        case .success(let response) where (200..<300).contains(response.status): return nil
        case .success(let response): return "it answered with status \(response.status)"
        case .failure(let error): return "\(error)"
        }
    }
}

/// Wants the head of a reply only.
private final class PingConsumer: TransferConsumer {
    private let end: @Sendable (TransferOutcome) -> Void

    init(end: @escaping @Sendable (TransferOutcome) -> Void) { self.end = end }

    func receive(_ response: TransferResponse) -> ResponseDisposition { .ignoreBody }
    func receive(_ body: UnsafeRawBufferPointer) {}
    func finish(_ outcome: TransferOutcome) { end(outcome) }
}
