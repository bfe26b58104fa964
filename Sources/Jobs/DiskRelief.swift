import ContentLibrary
import Downloads
import Platform
import Transfer

/// What a run lets go of for want of room: paused downloads in its library that its manifests don't ask for, then what earlier runs had brought of
/// bundles that it doesn't have, and then the other paused downloads.
final class DiskRelief: Sendable {
    // Weak: a downloader holds whoever makes room for it.
    private weak let downloader: Downloader?
    private let quarantine: Quarantine?
    private let control: RunControl
    private let observer: RunObserver
    private let wanted: PausedDownload.Choice
    private let named: PausedDownload.Choice
    private let discardLeftovers: @Sendable () throws(LibraryError) -> Int64

    /// Nobody comes back for what was left alone for so long.
    static let staleSeconds: Int64 = 30 * 86_400

    /// - Parameters:
    ///   - quarantine: goes first.
    ///   - wanted: tells which paused downloads the run's manifests, or playlists that these name, may ask for.
    ///   - named: tells which of them the manifests themselves ask for.
    ///   - discardLeftovers: lets go of what earlier runs had brought of bundles that this one doesn't have, and tells how many bytes that was.
    ///     Blocks.
    init(
        _ downloader: Downloader, _ quarantine: Quarantine?, _ control: RunControl, _ observer: @escaping RunObserver,
        wanted: @escaping PausedDownload.Choice, named: @escaping PausedDownload.Choice,
        discardLeftovers: @escaping @Sendable () throws(LibraryError) -> Int64
    ) {
        self.downloader = downloader
        self.quarantine = quarantine
        self.control = control
        self.observer = observer
        self.wanted = wanted
        self.named = named
        self.discardLeftovers = discardLeftovers
    }

    /// Lets go of as many paused downloads as are missing, or of none where they aren't enough. Blocks.
    /// - Parameter sparesWanted: whether what the manifests ask for stays in any case, and what earlier runs had brought as well.
    func makeRoom(sparesWanted: Bool, _ shortage: @escaping @Sendable () -> RoomWatch.Shortage?) {
        // A run that is being stopped has paused what it would go on with.
        guard control.reason == nil else { return }
        if shortage() != nil { quarantine?.clear() }
        let isTold = Locked(false)
        let missingBytes = { @Sendable [self] () -> Int64 in
            guard let shortage = shortage() else { return 0 }
            let isFirst = isTold.withLock { isTold in
                defer { isTold = true }
                return !isTold
            }
            if isFirst { emit(.diskPressure(freeBytes: shortage.freeBytes, wantedBytes: shortage.wantedBytes)) }
            return shortage.missingBytes
        }
        evict(freeing: missingBytes, sparesWanted: true)
        guard !sparesWanted, shortage() != nil else { return }
        evictLeftovers(discardLeftovers)
        evict(freeing: missingBytes, sparesWanted: false)
    }

    /// Lets go of what earlier runs had brought, and tells of it.
    /// - Parameter discard: returns how many bytes that was. Blocks.
    /// - Returns: the same.
    @discardableResult
    func evictLeftovers(_ discard: () throws(LibraryError) -> Int64) -> Int64 {
        do throws(LibraryError) {
            let bytes = try discard()
            if bytes > 0 { emit(.leftoversEvicted(bytes: bytes)) }
            return bytes
        } catch {
            // What can't be removed is missing as it was.
            emit(.warning("what earlier runs had brought could not be removed: \(error)"))
            return 0
        }
    }

    private func evict(freeing missingBytes: @escaping @Sendable () -> Int64, sparesWanted: Bool) {
        evict { downloader throws(DownloadError) in
            try downloader.evict(freeing: missingBytes, wanted: wanted, sparesWanted: sparesWanted)
        }
    }

    /// Lets go of what no manifest asks for by its name and what was left alone for long. Blocks.
    func removeStale() {
        let now = Timestamp.now
        let limit = Timestamp(seconds: now.seconds - Self.staleSeconds, nanoseconds: now.nanoseconds)
        evict { downloader throws(DownloadError) in
            try downloader.evict(pausedBefore: limit, exceptFor: named)
        }
    }

    private func evict(_ body: (Downloader) throws(DownloadError) -> [PausedDownload]) {
        guard let downloader else { return }
        do throws(DownloadError) {
            for download in try body(downloader) {
                let url = download.url.flatMap { try? TransferURL($0) }
                emit(.partialEvicted(bytes: download.diskBytes), url: url?.description)
            }
        } catch {
            emit(.warning("paused downloads could not be removed: \(error)"))
        }
    }

    private func emit(_ kind: RunEvent.Kind, url: String? = nil) {
        observer(RunEvent(time: .now, url: url, kind: kind))
    }
}
