import Glibc
import Platform

/// What is where in a library.
///
///     LIBRARY/
///       current -> generations/000042
///       generations/000042/MANIFEST/BUNDLE -> ../../../store/MANIFEST/BUNDLE/NAME
///       generations/000042/MANIFEST/.manifest.json
///       generations/000042/MANIFEST/.manifest.json.minisig
///       generations/000042/.contents
///       store/MANIFEST/BUNDLE/NAME/…
///       store/MANIFEST/BUNDLE/NAME.receipt
///       .larder/  lock  pin  partial/  staging/  quarantine/  state.db
enum LibraryLayout {
    static let current: RelativePath = "current"
    static let generations: RelativePath = "generations"
    static let store: RelativePath = "store"
    static let internals: RelativePath = ".larder"

    /// Beneath `internals`.
    static let lock: RelativePath = "lock"
    static let partial: RelativePath = "partial"
    static let staging: RelativePath = "staging"
    static let quarantine: RelativePath = "quarantine"
    /// What keeps the library as it is, where there is such a thing.
    static let pin: RelativePath = "pin"
    static let stateIndex: RelativePath = "state.db"
    /// Beside the index while a transaction is being written.
    static let stateJournal: RelativePath = "state.db-journal"
    /// The link that is about to become `current`.
    static let nextCurrent: RelativePath = "next-current"

    /// Beneath a manifest's directory in a generation; hidden, so never the name of a bundle.
    static let manifestFile: RelativePath = ".manifest.json"
    /// The signature that came with it, where somebody asked for one.
    static let signatureFile: RelativePath = ".manifest.json.minisig"

    /// Beside a bundle's link in a generation: the link that is about to take its place.
    static func newLink(_ bundle: RelativePath) -> RelativePath { path(".\(bundle).new") }

    /// Beneath a generation: what it was published with.
    static let generationList: RelativePath = ".contents"

    /// Whose temporary sibling the folder is that a file system is tried in.
    static let probe: RelativePath = "probe"

    static func path(_ name: String) -> RelativePath {
        do { return try RelativePath(name) } catch { preconditionFailure("\(name) is made of letters and digits") }
    }

    static let directoryMode: UInt32 = 0o755
    static let fileMode: UInt32 = 0o644
    static let executableMode: UInt32 = 0o755
}

extension Directory {
    /// Opens the directory `name`; makes it, for all to read whatever the umask is, when it is missing, and then flushes this directory, so
    /// that what is put into the new one can't lose its parent to a power loss.
    func durableSubdirectory(_ name: RelativePath) throws(SystemError) -> Directory {
        do { return try subdirectory(name) } catch { guard error.isNotFound else { throw error } }
        do { try makeDirectory(name) } catch { guard error.code == EEXIST else { throw error } }
        let directory = try subdirectory(name)
        try directory.descriptor.setMode(LibraryLayout.directoryMode)
        try synchronize()
        return directory
    }
}
