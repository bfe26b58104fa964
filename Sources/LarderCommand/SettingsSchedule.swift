import Downloads
import Jobs
import Platform
import Transfer

/// Settings that hold in a part of each day, over those that hold otherwise.
struct ScheduledSettings: Sendable {
    let window: DailyWindow
    let settings: SessionSettings
}

extension SessionSettings {
    /// The settings that hold at a minute of the day: those of the first window that has it.
    func holding(atMinute minute: Int) -> SessionSettings {
        schedule.first { $0.window.contains(minuteOfDay: minute) }?.settings ?? self
    }

    /// What they ask of downloads, for a command line that says nothing over them.
    func downloads() -> DownloaderConfiguration {
        var downloads = DownloaderConfiguration()
        downloads.session = session
        if let maximumConnections { downloads.maximumTransfers = maximumConnections }
        if let connectionsPerHost { downloads.maximumTransfersPerHost = connectionsPerHost }
        if let split { downloads.split = split }
        if let retries { downloads.retry.retries = retries }
        return downloads
    }
}

/// What a run is configured by, now and at any time of the day: the settings, with the command line over them.
struct TransferPlan: Sendable {
    /// What the command line makes of settings.
    let apply: @Sendable (SessionSettings) -> DownloaderConfiguration
    let settings: SessionSettings

    init(apply: @escaping @Sendable (SessionSettings) -> DownloaderConfiguration, settings: SessionSettings) {
        (self.apply, self.settings) = (apply, settings)
    }

    /// Reads the settings of `--config`, where it is given, and makes sure that they can work.
    init(
        config path: String?, apply: @escaping @Sendable (SessionSettings) -> DownloaderConfiguration
    ) throws(SettingsProblem) {
        var session = SessionConfiguration()
        session.userAgent = "larder/\(LarderVersion.text)"
        var settings = SessionSettings(session: session)
        if let path { try settings.read(path) }
        self.init(apply: apply, settings: settings)
        do throws(SettingsProblem) { try validate() } catch {
            let place = path.map { "\(escapedText($0)): " } ?? ""
            throw SettingsProblem(lines: error.lines.map { place + $0 })
        }
    }

    func configuration(atMinute minute: Int) -> DownloaderConfiguration { apply(settings.holding(atMinute: minute)) }

    /// Refuses settings that can't work at some time of the day.
    func validate() throws(SettingsProblem) {
        try validate(settings, label: "")
        for scheduled in settings.schedule {
            try validate(scheduled.settings, label: "in the window \(scheduled.window), ")
        }
    }

    private func validate(_ settings: SessionSettings, label: String) throws(SettingsProblem) {
        do throws(ConfigurationError) { try apply(settings).validate() } catch {
            throw SettingsProblem(lines: ["\(label)\(error)"])
        }
    }
}
