import Platform
import TestSupport
import Testing

/// A stock that is refreshed at other times than now.
struct RefreshStage {
    let stock: Stock
    private let clock: MovedClock

    init() async throws {
        stock = try Stock()
        clock = try await MovedClock(in: stock.directory)
    }

    func refresh(_ more: [String] = [], after time: Duration = .zero) async throws -> ChildProcess.Result {
        try await LarderProgram.run(stock.refreshArguments(more), environment: clock.environment(movedBy: time))
    }

    /// - Parameter time: in UTC.
    func refresh(_ more: [String] = [], at time: String) async throws -> ChildProcess.Result {
        let moment = try #require(Timestamp(rfc3339: time))
        return try await refresh(more, after: .seconds(moment.seconds - Timestamp.now.seconds))
    }

    /// What `--metrics` wrote, by the samples' names and labels.
    func metrics(_ path: String) throws -> [String: String] {
        var metrics: [String: String] = [:]
        for line in String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n") {
            guard !line.hasPrefix("#"), let blank = line.lastIndex(of: " ") else { continue }
            metrics[String(line[..<blank])] = String(line[line.index(after: blank)...])
        }
        return metrics
    }
}

extension Duration {
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    static func days(_ count: Int) -> Duration { .hours(24 * count) }
}
