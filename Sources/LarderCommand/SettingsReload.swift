import Downloads
import Jobs
import Platform
import Transfer

/// Keeps a run at the settings that hold: reads them again whenever it is asked to, and follows their schedule by the clock on the wall. One
/// change after the other.
struct SettingsReload: Sendable {
    typealias Take = @Sendable (DownloaderConfiguration, RebuildReason) async throws(ConfigurationError) -> Void

    private let causes: AsyncStream<Void>.Continuation
    private let mustRead = Locked(false)

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
        // Whoever asks while a file is being read wants it read once more, however often.
        let (stream, causes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.causes = causes
        let held = plan.configuration(atMinute: minute())
        Task { [mustRead, atBeginning = plan.settings] in
            var (plan, held) = (plan, held)
            for await _ in stream {
                let isAsked = mustRead.withLock { mustRead in
                    defer { mustRead = false }
                    return mustRead
                }
                do throws(SettingsProblem) {
                    let wanted = isAsked ? try read() : plan
                    let configuration = wanted.configuration(atMinute: minute())
                    guard isAsked || configuration != held else { continue }
                    // Noted first, so that no look at the clock asks for the same again after a failure. What was read holds once it is taken.
                    if !isAsked { held = configuration }
                    do throws(ConfigurationError) {
                        try await take(configuration, isAsked ? .configuration : .schedule)
                    } catch {
                        throw SettingsProblem(lines: ["\(error)"])
                    }
                    (plan, held) = (wanted, configuration)
                    for name in wanted.settings.namesOfFixed(differingFrom: atBeginning) {
                        complain("larder: \"\(name)\" holds from the next run on: this one's requests have the old one")
                    }
                } catch {
                    for line in error.lines { complain("larder: \(line); the settings stay as they were") }
                }
            }
        }
    }

    /// Asks for the settings to be read again.
    @Sendable func request() {
        mustRead.withLock { $0 = true }
        causes.yield()
    }

    /// Asks for a look at the clock.
    @Sendable func tick() { causes.yield() }
}
