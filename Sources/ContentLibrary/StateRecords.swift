import Platform

/// What a run did, in numbers.
package struct RunCounts: Hashable, Sendable {
    /// Bundles.
    package var published = 0
    package var unchanged = 0
    package var failed = 0
    package var paused = 0
    /// Of the unchanged ones those that were damaged, and are whole again.
    package var mended = 0
    /// Body bytes that were received, and bytes that resume data saved.
    package var bytesFetched: Int64 = 0
    package var bytesResumed: Int64 = 0
    /// Bytes that came from couriers, and from files of this machine.
    package var bytesFromCouriers: Int64 = 0
    package var bytesCopied: Int64 = 0

    package init() {}
}

/// A run in the history.
package struct RunRecord: Hashable, Sendable {
    package let id: Int64
    package let command: String
    package let started: Timestamp
    /// Nil while it runs, and for ever when it was killed.
    package let ended: Timestamp?
    package let exit: Int32?
    package let counts: RunCounts
    /// What stopped it before its time, in the words of whoever keeps reasons; nil for nothing.
    package let stop: String?

    init(_ row: SQLiteRow) {
        id = row.integer(0)
        command = row.text(1)
        started = row.time(2)
        ended = row.optionalTime(3)
        exit = row.optionalInteger(4).map { Int32(truncatingIfNeeded: $0) }
        var counts = RunCounts()
        (counts.published, counts.unchanged) = (row.count(5), row.count(6))
        (counts.failed, counts.paused) = (row.count(7), row.count(8))
        (counts.bytesFetched, counts.bytesResumed) = (row.integer(9), row.integer(10))
        (counts.mended, counts.bytesFromCouriers) = (row.count(11), row.integer(12))
        counts.bytesCopied = row.integer(13)
        self.counts = counts
        stop = row.optionalText(14)
    }

    static let columns =
        "id, command, started, ended, exit, published, unchanged, failed, paused, bytesFetched, bytesResumed, mended, bytesFromCouriers, bytesCopied, stop"
}

/// What is known of a run when it ends.
package struct RunEnd: Sendable {
    package let exit: Int32
    /// What stopped it before its time; nil for nothing.
    package var stop: String?
    package var counts = RunCounts()
    /// What the next run may know of manifests, by the digests of their places.
    package var manifests: [SHA256Digest: ManifestRecord] = [:]
    /// What became of the manifests at places.
    package var fates: [SHA256Digest: ManifestFate] = [:]

    package init(exit: Int32) { self.exit = exit }
}

/// How a bundle fared in a run.
package struct BundleOutcome: Hashable, Sendable {
    package enum Fate: Hashable, Sendable {
        /// It is published or up to date.
        case success
        /// Why it failed, in a line, and before when those who failed it aren't asked again; nil: the next run asks.
        case failure(String, nextTry: Timestamp?)
        /// The run ended before the bundle was complete: so many bytes were to be fetched, so many of them are here.
        case paused(plannedBytes: Int64, heldBytes: Int64)
    }

    package let bundle: BundleAddress
    package let fate: Fate

    package init(bundle: BundleAddress, _ fate: Fate) { (self.bundle, self.fate) = (bundle, fate) }
}

/// What the index knows of a bundle.
package struct BundleRecord: Hashable, Sendable {
    package let lastSuccess: Timestamp?
    package let lastFailure: Timestamp?
    /// Why it failed, if the last run that tried did.
    package let failure: String?
    /// Failures in a row.
    package let failureCount: Int
    /// Before when `refresh` doesn't ask those again who failed it; nil: the next run does.
    package let nextTry: Timestamp?
    /// How far it was when the last run ended before it was complete; nil where that isn't so.
    package let pause: Pause?

    package struct Pause: Hashable, Sendable {
        package let time: Timestamp
        package let plannedBytes: Int64
        package let heldBytes: Int64
    }

    /// The columns from the second on, in the order of ``columns``.
    init(_ row: SQLiteRow) {
        lastSuccess = row.optionalTime(1)
        lastFailure = row.optionalTime(2)
        failure = row.optionalText(3)
        failureCount = row.count(4)
        nextTry = row.optionalTime(5)
        pause = row.optionalInteger(6).map { time in
            Pause(time: Timestamp(seconds: time), plannedBytes: row.integer(7), heldBytes: row.integer(8))
        }
    }

    static let columns = "lastSuccess, lastFailure, failure, failures, nextTry, paused, plannedBytes, heldBytes"
}
