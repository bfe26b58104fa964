import Archives
import ContentLibrary
import Downloads
import Platform

/// Why a bundle isn't published: a stable code for programs and one line for people.
package struct BundleFailure: Error, Sendable, CustomStringConvertible {
    package let code: Code
    package let message: String
    /// The URL it is about, as it may be shown.
    package let url: String?
    /// Whether a server said that what is here already is what it would send.
    let isNotModified: Bool
    /// Whether a server sent the whole where a part was asked for.
    let isRangeIgnored: Bool

    package enum Code: String, Hashable, Sendable {
        case downloadFailed, digestMismatch, sizeMismatch, unacceptableStatus, redirectRefused, timedOut, overBudget
        case incomplete, htmlPage, localFileFailed, archiveDamaged, archiveUnsafe, archiveUnsupported, limitExceeded
        case notSelectable
        /// An HLS playlist that can't be copied, or asks for what can't be.
        case playlistRefused
        /// What came is no segment that would play.
        case implausibleMedia
        /// Segments of a live presentation can't be had any more.
        case segmentsLost
        /// A live presentation that nothing new comes of.
        case streamStalled
        case noSpace, libraryFailed, unresolvableURL, unsupportedKind, dependencyFailed
        /// The run was stopped; what was fetched is kept and the next run carries on.
        case paused
    }

    static func wrongWhole(_ digest: SHA256Digest, _ wanted: SHA256Digest) -> BundleFailure {
        BundleFailure(
            .digestMismatch,
            "the joined file's SHA-256 is \(digest) where \(wanted) was asked for: correct joinSHA256, or the order of the segments"
        )
    }

    init(_ code: Code, _ message: String, url: String? = nil, isNotModified: Bool = false, isRangeIgnored: Bool = false)
    {
        self.code = code
        self.message = message
        self.url = url
        self.isNotModified = isNotModified
        self.isRangeIgnored = isRangeIgnored
    }

    init(_ error: DownloadError, url: String) {
        let code: Code =
            switch error.code {
            case .cancelled, .creditSpent: .paused
            case .digestMismatch: .digestMismatch
            case .sizeMismatch: .sizeMismatch
            case .unacceptableStatus: .unacceptableStatus
            case .redirectRefused: .redirectRefused
            case .timedOut: .timedOut
            case .overBudget, .beyondCredit: .overBudget
            case .noSpace: .noSpace
            case .fileFailed: .libraryFailed
            default: .downloadFailed
            }
        self.init(
            code, error.message, url: url, isNotModified: error.code == .notModified,
            isRangeIgnored: error.code == .rangeIgnored)
    }

    /// - Parameter url: where the archive came from.
    init(_ error: ArchiveError, url: String) {
        let code: Code =
            switch error.code {
            case .malformed, .corrupted: .archiveDamaged
            case .unsafe: .archiveUnsafe
            case .unsupported: .archiveUnsupported
            case .limitExceeded: .limitExceeded
            case .notSelectable: .notSelectable
            case .noSpace: .noSpace
            case .stopped: .paused
            case .unreadable, .unwritable: .libraryFailed
            }
        self.init(code, "\(error)", url: url)
    }

    init(_ error: LibraryError) { self.init(error.isNoSpace ? .noSpace : .libraryFailed, error.message) }

    init(_ error: SystemError) { self.init(LibraryError(error)) }

    /// Whether the bytes themselves are no good, so that only other bytes from the same URL would help.
    var isOfContent: Bool {
        switch code {
        case .archiveDamaged, .archiveUnsafe, .archiveUnsupported, .limitExceeded, .notSelectable, .htmlPage: true
        default: false
        }
    }

    /// Whether the next run goes on with the bytes that came.
    var isResumable: Bool {
        switch code {
        case .paused, .downloadFailed, .timedOut: true
        default: false
        }
    }

    /// Whether another source may have what is whole where this one's bytes are broken, or no archive at all.
    var isOfSource: Bool { code == .archiveDamaged || code == .htmlPage }

    /// Whether this machine is to blame, or whoever stops the run, and no server.
    var isOfMachine: Bool {
        switch code {
        case .paused, .noSpace, .libraryFailed, .localFileFailed: true
        default: false
        }
    }

    /// Where and what: the URL, where there is one, and the message.
    package var description: String { url.map { "\($0): \(message)" } ?? message }
}
