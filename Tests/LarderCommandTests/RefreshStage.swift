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

    func refresh(
        _ more: [String] = [], after time: Duration = .zero, manifests: [String]? = nil
    ) async throws -> ChildProcess.Result {
        try await run(stock.refreshArguments(more, manifests: manifests), after: time)
    }

    func run(
        _ arguments: [String], after time: Duration, input: [UInt8] = []
    ) async throws -> ChildProcess.Result {
        try await LarderProgram.run(arguments, environment: clock.environment(movedBy: time), input: input)
    }

    /// - Parameter time: in UTC.
    func refresh(_ more: [String] = [], at time: String) async throws -> ChildProcess.Result {
        try await refresh(more, after: duration(until: time))
    }

    /// Starts a refresh, and leaves it at that.
    func start(_ more: [String], at time: String) throws -> ChildProcess {
        try LarderProgram.start(
            stock.refreshArguments(more), environment: clock.environment(movedBy: duration(until: time)))
    }

    private func duration(until time: String) throws -> Duration {
        .seconds(try #require(Timestamp(rfc3339: time)).seconds - Timestamp.now.seconds)
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
