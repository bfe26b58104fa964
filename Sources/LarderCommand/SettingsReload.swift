import Downloads
import Jobs
import Platform
import Transfer

/// Keeps a run at the settings that hold: reads them again whenever it is asked to, and follows their schedule by the clock on the wall. One
/// change after the other.
struct SettingsReload: Sendable {
    typealias Take = @Sendable (DownloaderConfiguration, RebuildReason) async throws(ConfigurationError) -> Void

    private let requests: AsyncStream<Void>.Continuation
    private let ticks: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - plan: what holds from the beginning.
    ///   - read: reads the file again; what it throws is a `SettingsProblem`.
    ///   - minute: which minute of the day it is.
    ///   - take: lets the run go on by another configuration.
    ///   - complain: told, in a line, why settings that can't be used were left alone.
    init(
        _ plan: TransferPlan, read: @escaping @Sendable () throws(SettingsProblem) -> TransferPlan,
        minute: @escaping @Sendable () -> Int = { Timestamp.now.localMinuteOfDay }, take: @escaping Take,
        complain: @escaping @Sendable (String) -> Void
    ) {
        let follower = Follower(plan, holding: plan.configuration(atMinute: minute()), minute: minute, take: take)
        func listen(_ handle: @escaping @Sendable () async throws(SettingsProblem) -> Void)
            -> AsyncStream<Void>.Continuation
        {
            // Whoever asks while a file is being read wants it read once more, however often.
            let (stream, causes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            Task {
                for await _ in stream {
                    do throws(SettingsProblem) { try await handle() } catch {
                        for line in error.lines { complain("larder: \(line); the settings stay as they were") }
                    }
                }
            }
            return causes
        }
        requests = listen { () throws(SettingsProblem) in try await follower.follow(read()) }
        ticks = listen { () throws(SettingsProblem) in try await follower.followClock() }
    }

    /// Asks for the settings to be read again.
    @Sendable func request() { requests.yield() }

    /// Asks for a look at the clock.
    @Sendable func tick() { ticks.yield() }
}

/// Holds what was read last, and what the run is at.
private actor Follower {
    private var plan: TransferPlan
    private var held: DownloaderConfiguration
    private let minute: @Sendable () -> Int
    private let take: SettingsReload.Take

    init(
        _ plan: TransferPlan, holding held: DownloaderConfiguration, minute: @escaping @Sendable () -> Int,
        take: @escaping SettingsReload.Take
    ) {
        (self.plan, self.held, self.minute, self.take) = (plan, held, minute, take)
    }

    func follow(_ new: TransferPlan) async throws(SettingsProblem) {
        plan = new
        try await go(to: plan.configuration(atMinute: minute()), because: .configuration)
    }

    func followClock() async throws(SettingsProblem) {
        let configuration = plan.configuration(atMinute: minute())
        if configuration != held { try await go(to: configuration, because: .schedule) }
    }

    /// Noted first, so that no look at the clock in the meantime, nor after a failure, asks for the same again.
    private func go(to configuration: DownloaderConfiguration, because reason: RebuildReason)
        async throws(SettingsProblem)
    {
        held = configuration
        do throws(ConfigurationError) { try await take(configuration, reason) } catch {
            throw SettingsProblem(lines: ["\(error)"])
        }
    }
}
