import Platform

/// What the caller of an unpacking is asked and told while it runs. The closures are called on whatever threads do the work: all but
/// `didCreate` by several at once, where the archive is a zip.
public struct UnpackObserver: Sendable {
    /// Asked between pieces of at most 4 MiB: true ends the unpacking with an error of the code `stopped`.
    public var shouldStop: @Sendable () -> Bool
    /// Told how many bytes have been written since the last call.
    public var didWrite: @Sendable (_ bytes: Int) -> Void
    /// Told of each file and link once it is complete, one after the other in the archive's order, and of each directory at the end.
    public var didCreate: @Sendable (ExtractedEntry) -> Void
    /// Shown the content of each selected file, piece by piece and with the offset of each, when an archive is checked and nothing is created. The
    /// bytes are valid during the call only.
    package var didExamine: (@Sendable (RelativePath, UnsafeRawBufferPointer, _ offset: Int64) -> Void)?
    /// Whether the digests of files are wanted; where not, the files that `didCreate` is told of have none.
    package var takesDigests = true
    /// What was made of a zip's entries before, and where it is noted what is made now.
    package var journal: EntryJournal?
    /// Whether the disk is to begin with what is written at once, and not when the kernel thinks so: for whoever flushes all of it in the end.
    package var startsWriteback = false
    /// Asked once all of a zip's directory is judged, and before anything is created, whether so many bytes may be unpacked: false ends that like
    /// `shouldStop`.
    package var mayUnpack: @Sendable (_ bytes: Int64) -> Bool = { _ in true }
    /// Told when a file of a zip has failed, while others may still wait for bytes that arrive: nothing comes of those any more.
    package var didFail: @Sendable () -> Void = {}

    /// An observer that never stops the work and ignores what it hears, but for the closures given.
    public init(
        shouldStop: @escaping @Sendable () -> Bool = { false },
        didWrite: @escaping @Sendable (_ bytes: Int) -> Void = { _ in },
        didCreate: @escaping @Sendable (ExtractedEntry) -> Void = { _ in }
    ) {
        self.shouldStop = shouldStop
        self.didWrite = didWrite
        self.didCreate = didCreate
    }

    /// Ends the work when the caller wants it to.
    func checkStop() throws(ArchiveError) {
        if shouldStop() { throw ArchiveError(.stopped, "stopped") }
    }
}
