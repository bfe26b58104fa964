import CommandLineParsing
import ContentLibrary
import Downloads
import Jobs
import ManifestChecks
import Transfer

/// What `validate` looks at beyond the text of manifests, and how.
enum ContentOptions {
    private static let online = CommandOption<Bool>.flag(
        "online", help: "ask every source whether it has what it should; and read playlists")
    private static let deep = CommandOption<Bool>.flag(
        "deep", help: "open local files, and what the library holds")
    static let library = CommandOption<String?>.optional(
        "library", short: "l", .folder(), environment: "LARDER_LIBRARY",
        help:
            "compare with what is published there; what was forgotten since is told; and it has the content for --deep")
    private static let deadline = CommandOption<Duration>.value(
        "deadline", .duration, default: OnlineLimits().deadline, defaultText: "10m",
        help: "end --online after this long")
    private static let config = CommandOption<String?>.optional(
        "config", .file(), help: "session settings as JSON, as for sync")

    static let group = OptionGroup("Content", online, deep, library, deadline, config).naming(deadline, config)

    /// Whether that may take so long that the machine must not fall asleep meanwhile.
    static func areGiven(_ parsed: ParsedCommand) -> Bool { parsed[online] || parsed[deep] }

    /// The settings of `--config`, with as many connections as they allow.
    static func transferPlan(_ parsed: ParsedCommand) throws(SettingsProblem) -> TransferPlan {
        try TransferPlan(config: parsed[config]) { $0.downloads() }
    }

    /// What `--online` and `--deep` ask for. A library that can't be opened is told, and all else is checked.
    /// - Parameter tell: told why the library can't be opened.
    static func checks(
        _ parsed: ParsedCommand, _ configuration: DownloaderConfiguration, _ redirects: RedirectPolicy,
        _ control: RunControl, unreadable tell: (String) -> Void
    ) -> ContentChecks {
        var onlineCheck: OnlineCheck?
        if parsed[online] {
            var limits = OnlineLimits()
            limits.deadline = parsed[deadline]
            limits.exchanges = configuration.maximumTransfers
            limits.exchangesPerOrigin = configuration.maximumTransfersPerHost
            onlineCheck = OnlineCheck(configuration.session, redirects: redirects, limits: limits, control: control)
        }
        var deepCheck: DeepCheck?
        if parsed[deep] {
            var look: LibraryLook?
            do throws(LibraryError) { look = try parsed[library].map(LibraryLook.init(path:)) } catch {
                tell(error.message)
            }
            deepCheck = DeepCheck(library: look, control: control)
        }
        return ContentChecks(online: onlineCheck, deep: deepCheck)
    }
}
