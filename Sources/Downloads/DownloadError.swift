import Platform
import Transfer

/// Why a caller didn't get its asset.
public struct DownloadError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was: stable, for programs.
    public let code: Code
    /// What happened, for people; names no URL, which the caller knows.
    public let message: String

    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// The caller cancelled, or the downloader was shut down.
        case cancelled
        /// The host couldn't be reached, or the connection was lost, more often than the retries allow.
        case transportFailure
        /// What came was no HTTP reply, or one that contradicts itself.
        case invalidResponse
        /// The server answered with this status instead of the asset.
        case unacceptableStatus(Int)
        /// The server sent the whole where a part was asked for: it doesn't do ranges (RFC 9110 §14.2).
        case rangeIgnored
        /// The source still has what the request's condition names. Nothing was fetched, and no other source was asked.
        case notModified
        /// A redirect with this status was not to be followed.
        case redirectRefused(Int)
        /// The asset is larger than the caller's budget.
        case overBudget
        /// What all downloads may receive together isn't enough for the asset, which its sources send in one go alone: it would never be complete.
        case beyondCredit
        /// The same for what is left of that by now: it was not begun. With as much as there was at the beginning it may be complete.
        case creditSpent
        /// A deadline passed, more often than the retries allow.
        case timedOut
        /// The asset changed on the server again and again while it was fetched.
        case changedWhileDownloading
        /// The bytes are complete but not the ones that were asked for.
        case digestMismatch
        /// The asset has another length than the one that was asked for.
        case sizeMismatch
        /// The disk is full. What was fetched is kept.
        case noSpace
        /// The partial file couldn't be written or read.
        case fileFailed
        /// Another process is fetching the same asset into the same place.
        case inUse
        /// The request can't be made: a scheme that is not allowed, a part that can't be, a setting that is refused.
        case unusableRequest
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let cancelled = DownloadError(.cancelled, "cancelled")

    /// A failure of the file system.
    init(_ error: SystemError) {
        self.init(error.isNoSpace ? .noSpace : .fileFailed, "\(error)")
    }

    /// The message.
    public var description: String { message }
}
