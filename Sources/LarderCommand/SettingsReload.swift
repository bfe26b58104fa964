import Downloads
import Jobs
import Transfer

/// Reads the settings again whenever it is asked to, one time after the other, and lets the run go on by them.
struct SettingsReload: Sendable {
    private let requests: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - read: reads the file; what it throws is a `SettingsProblem`.
    ///   - complain: told, in a line, why settings that can't be used were left alone.
    init(
        of control: RunControl, read: @escaping @Sendable () throws(SettingsProblem) -> DownloaderConfiguration,
        complain: @escaping @Sendable (String) -> Void
    ) {
        // Whoever asks while a file is being read wants it read once more, however often.
        let (stream, requests) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.requests = requests
        Task {
            for await _ in stream {
                do throws(SettingsProblem) { try await control.take(read()) } catch {
                    for line in error.lines { complain("larder: \(line); the settings stay as they were") }
                }
            }
        }
    }

    @Sendable func request() { requests.yield() }
}

extension RunControl {
    fileprivate func take(_ configuration: DownloaderConfiguration) async throws(SettingsProblem) {
        do throws(ConfigurationError) { try await reconfigure(configuration) } catch {
            throw SettingsProblem(lines: ["\(error)"])
        }
    }
}
