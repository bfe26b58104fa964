import ContentLibrary
import Downloads
import JSONSyntax
import Platform

/// What a library holds, and how it fares: as far as a look can tell that takes no lock, changes nothing, and opens no content.
package struct LibraryStatus: Sendable {
    /// Absolute.
    package let path: String
    /// When it was looked at.
    package let time: Timestamp
    /// What readers see, and since when; nil before anything was published.
    package let current: GenerationNumber?
    package let published: Timestamp?
    /// All that are kept, lowest first.
    package let generations: [GenerationNumber]
    package let pin: LibraryPin?
    /// The process that is changing the library right now, as far as anybody can tell.
    package let writingProcess: Int32?
    /// Whether there is an index that can be read: without, nobody knows how runs and bundles fared.
    package let hasIndex: Bool
    package let lastRun: RunRecord?
    /// Of manifests that the last runs which asked for them could not follow.
    package let refusals: [RefusalRecord]
    package let manifests: [ManifestStatus]
    /// The one that was written to last at the end.
    package let unfinished: [PausedDownload]
    package let disk: Disk
    /// What could not be looked at, in a line each.
    package let problems: [String]

    package struct Disk: Sendable {
        /// Of the file system that the library is on: for an ordinary user, and in all.
        package let freeBytes: Int64?
        package let totalBytes: Int64?
        /// What is taken by unfinished downloads, and by bytes that were found to be wrong.
        package let unfinishedBytes: Int64
        package let quarantineBytes: Int64
    }

    /// Whether it tells of anything that a name means.
    package func knows(_ name: BundleName) -> Bool {
        manifests.contains { manifest in
            manifest.bundles.contains { name.means(BundleAddress(manifest: manifest.id, bundle: $0.id)) }
        }
    }

    /// Bytes of what is published, each content counted once.
    package var contentBytes: Int64 {
        manifests.flatMap(\.bundles).reduce(0) { $0.addingClamped($1.content?.header.contentBytes ?? 0) }
    }
}

/// What readers see of a manifest, and how its bundles fare.
package struct ManifestStatus: Sendable {
    package let id: ContentID
    /// Nil where nothing of it is published, or what is can't be read.
    package let serial: Int?
    package let expires: Timestamp?
    /// When all that a run was asked for of it, and when all of its bundles, were last known to be up to date.
    package let lastSuccess: Timestamp?
    package let lastComplete: Timestamp?
    package let bundles: [BundleStatus]
}

/// What is here of a bundle, and how it fares.
package struct BundleStatus: Sendable {
    package let id: ContentID
    package let state: State
    /// What readers see.
    package let content: ContentSummary?
    package let record: BundleRecord?
    /// Files that lie in staging until the bundle is complete.
    package let staged: (files: Int, bytes: Int64)?

    package enum State: String, Sendable {
        /// It is published, and was up to date when a run last looked.
        case upToDate
        /// It is published; nothing is known of whether it is up to date.
        case published
        /// The last run that worked on it ended before it was complete. An older version may be published.
        case paused
        /// The last run that worked on it failed. An older version may be published.
        case failed
        /// The manifest has it, and it isn't here.
        case missing
        /// It is published, but its content isn't there, is not to be believed, or was found damaged.
        case damaged
    }
}
