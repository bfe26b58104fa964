import ContentLibrary

/// How a command ended, for scripts: the table in `ExitCodes.md`.
package enum ExitCode: Int32, Sendable {
    /// All done, or nothing to do.
    case success = 0
    /// Nothing could be published and nothing was up to date.
    case failure = 1
    /// Some bundles failed; the others are published or up to date.
    case partial = 2
    /// Paused by a deadline or a budget; the next run carries on.
    case paused = 3
    case usage = 64
    /// The manifest is not valid.
    case invalidManifest = 65
    /// The manifest can't be read.
    case unreadable = 66
    /// The disk is full, or would become so.
    case noSpace = 73
    /// Another run holds the library.
    case busy = 75
    /// A signature, serial, expiry or requirement was refused.
    case refused = 77
    case interrupted = 130
    case terminated = 143

    /// What a library's refusal is told as, by every command alike.
    package init(_ error: LibraryError) {
        self =
            switch error.code {
            case .busy: .busy
            case .noSpace: .noSpace
            case .notALibrary: .unreadable
            case .unknownName, .unusablePlace: .usage
            default: .failure
            }
    }

    /// Most telling first: of several reasons the first of these is reported.
    private static let precedence: [ExitCode] = [
        .interrupted, .terminated, .refused, .noSpace, .busy, .invalidManifest, .unreadable, .usage, .paused, .partial,
        .failure, .success,
    ]

    /// The one of the two that is to be reported.
    package func combined(with other: ExitCode) -> ExitCode {
        Self.precedence.first { $0 == self || $0 == other } ?? self
    }
}
