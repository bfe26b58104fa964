import ContentLibrary
import Downloads
import Platform

/// Something that happened in a run: what `--json` prints, and what the progress display draws from.
package struct RunEvent: Sendable {
    package let time: Timestamp
    /// The manifest, bundle and URL it is about, where it is about one; the URL as it may be shown.
    package var manifest: String?
    package var bundle: String?
    package var url: String?
    /// Tells transfers apart, which may change their URL on the way: a number of its own for each in the run.
    package var transfer: Int?
    package let kind: Kind

    package enum Kind: Sendable {
        case runStarted(command: String)
        case manifestLoaded(serial: Int, bundles: Int)
        /// A manifest is signed by whom it may be of: the key's id, and what the signer says, as it stands there.
        case manifestVerified(key: String, comment: String)
        /// The run, or a manifest of it, is not carried through; the exit code says of what kind the trouble is.
        case runFailed(ExitCode, message: String)
        /// What the check of a manifest found, with its place: `FILE:LINE:COL: warning[RULE]: …`. `refusal` when it isn't carried through for that.
        case manifestFinding(text: String, refusal: ExitCode?)
        /// What is to be done for a bundle, and the bytes of what isn't in the library yet, as far as they are known; some may be held
        /// from a run that was stopped.
        case bundlePlanned(BundlePlan.State, bytes: Int64)
        /// What a dry run found in all: bytes to fetch, and the most that the disk will have to hold besides what it holds now, but for those bundles
        /// of which nobody can tell.
        case runPlanned(bytes: Int64, peakBytes: Int64, freeBytes: Int64?, unboundedBundles: [String])
        case transferStarted
        case transferCoalesced
        case transferResumed(offset: Int64)
        case transferProgress(received: Int64, total: Int64?, bytesPerSecond: Int64?)
        case transferPaused
        case transferRetrying(reason: String, delay: Duration)
        case transferFailed(code: String, message: String)
        case transferFinished(bytes: Int64)
        /// A courier had a file, so that no source is asked for it; it came over the network where it `isFetched`.
        case courierTaken(bytes: Int64, isFetched: Bool)
        /// A source that is a file of this machine was copied.
        case fileCopied(bytes: Int64)
        /// Connections are built anew; every transfer goes on with them.
        case sessionRebuilt(RebuildReason)
        /// Transfers wait, since there is no way to their sources from this machine.
        case networkWaiting
        /// Memory is short: what was held for speed alone was let go.
        case memoryPressure(bufferBytes: Int, handles: Int)
        /// The disk is short of room: what is free, and what would have to be. Paused downloads go where that is enough.
        case diskPressure(freeBytes: Int64, wantedBytes: Int64)
        /// A source sent other bytes than the ones asked for; they lie under this name in the library's quarantine.
        case bytesQuarantined(bytes: Int64, name: String)
        /// A paused download was let go.
        case partialEvicted(bytes: Int64)
        /// What runs that were cut short had brought of bundles was let go, for want of room.
        case leftoversEvicted(bytes: Int64)
        /// What nobody needs any more was removed, or would be: paused downloads, content that no generation names, and what a killed run left.
        case libraryCleaned(partials: Int, generations: Int, contents: Int, bytes: Int64, isRehearsal: Bool)
        /// More of a bundle's segments is here.
        case segmentProgress(SegmentFigures)
        /// Something of stored content isn't as its receipt says; `content` is the name in the store.
        case contentDamaged(ContentDamage, content: String)
        /// Stored content was read to its end: so much of it in this run, and so much of that is damaged.
        case contentVerified(content: String, files: Int, bytes: Int64, damaged: Int)
        /// Damaged content is as it was published, in the place where it stood. `fetched` unless all of it was in the library.
        case contentMended(content: String, isFetched: Bool)
        /// A library was held against its receipts: contents that were read to their ends, how many are damaged, how many of these were mended, and
        /// how many the budget didn't reach.
        case libraryVerified(contents: Int, files: Int, bytes: Int64, damaged: Int, mended: Int, remaining: Int)
        /// What another library lacks of a bundle was written for it, and so many files of it were there already.
        case bundleExported(files: Int, bytes: Int64, present: Int)
        case bundleVerified
        case bundleUnpacked(files: Int, bytes: Int64)
        case bundlePublished(version: String)
        case bundleFailed(code: String, message: String)
        /// A bundle failed that isn't required: no more than a warning.
        case optionalBundleFailed(message: String)
        case generationPublished(number: Int)
        case warning(String)
        /// What is told even where warnings aren't.
        case notice(String)
        case runFinished(RunSummary, exit: ExitCode)
    }
}

extension RunEvent.Kind {
    /// What a downloader tells of itself as a whole.
    init(_ event: DownloaderEvent) {
        self =
            switch event {
            case .sessionRebuilt(let reason): .sessionRebuilt(reason)
            case .memoryPressure(let relief):
                .memoryPressure(bufferBytes: relief.bufferBytes, handles: relief.handleCount)
            case .waitingForNetwork: .networkWaiting
            }
    }
}

/// Where events go. Called from many threads; must not block.
package typealias RunObserver = @Sendable (RunEvent) -> Void
