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
        meaning(.unreadable, "the manifest, the archive or the library isn't there, or can't be read"),
        meaning(.noSpace, "no room: the disk is full, or --min-free would be broken"),
        meaning(.busy, "another run holds the library"),
        meaning(.refused, "a signature, serial, expiry or requirement was refused"),
        meaning(.interrupted, "stopped by SIGINT; what was fetched is kept"),
        meaning(.terminated, "stopped by SIGTERM; what was fetched is kept"),
    ]

    /// What codes mean for a command of which more can be said.
    static func meant(_ meanings: [Jobs.ExitCode: String]) -> [Int32: String] {
        Dictionary(uniqueKeysWithValues: meanings.map { ($0.key.rawValue, $0.value) })
    }

    private static func meaning(_ code: Jobs.ExitCode, _ text: String) -> CommandLineParsing.ExitCode {
        CommandLineParsing.ExitCode(code.rawValue, text)
    }

    /// The codes as the option table names them.
    static func values(_ codes: Jobs.ExitCode...) -> Set<Int32> { Set(codes.map(\.rawValue)) }
}
