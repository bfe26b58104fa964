import CommandLineParsing
import Jobs

extension Jobs.ExitCode {
    /// What help says of each.
    static let meanings = [
        meaning(.success, "all done, or nothing to do"),
        meaning(
            .failure,
            "nothing could be published and nothing was up to date; the fetch or unpacking failed; validate found errors, verify damage"
        ),
        meaning(.partial, "some bundles failed, the others are published or up to date"),
        meaning(
            .paused, "paused, or not begun, for a deadline, window, condition or byte budget; the next run carries on"),
        meaning(.usage, "wrong usage"),
        meaning(.invalidManifest, "the manifest is not valid; the archive is damaged or refused"),
        meaning(.unreadable, "the manifest, or the archive, can't be read"),
        meaning(.noSpace, "no room: the disk is full, or --min-free would be broken"),
        meaning(.busy, "another run holds the library"),
        meaning(.refused, "a serial, expiry or requirement was refused"),
        meaning(.interrupted, "stopped by SIGINT; what was fetched is kept"),
        meaning(.terminated, "stopped by SIGTERM; what was fetched is kept"),
    ]

    private static func meaning(_ code: Jobs.ExitCode, _ text: String) -> CommandLineParsing.ExitCode {
        CommandLineParsing.ExitCode(code.rawValue, text)
    }

    /// The codes as the option table names them.
    static func values(_ codes: Jobs.ExitCode...) -> Set<Int32> { Set(codes.map(\.rawValue)) }
}
