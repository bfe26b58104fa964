import Glibc
import Platform
import Transfer

/// A complete asset on the disk, shared by every caller who asked for it.
///
/// It lies where it gathered until somebody takes it away. When the last reference goes and nobody has, it is removed; `keep` prevents that.
public final class DownloadedFile: Sendable {
    /// The asset's length.
    public let sizeBytes: Int64
    /// The SHA-256 of the bytes; nil only where the downloader was told not to take digests and none was asked for.
    public let digest: SHA256Digest?
    /// How many of the bytes were there before, and not fetched again.
    public let resumedBytes: Int64
    /// False when the server closed the connection without ever saying how long the asset is, and nothing else proved that it is complete.
    public let isProvenComplete: Bool
    /// Which of the request's sources brought the file, or went on with it, or said that it is whole; where the file was proved without asking
    /// anybody, the one that would have been asked.
    public let sourceURL: TransferURL
    /// Where its redirects led, when the bytes or the last of them came; without redirects, or where nobody was asked, `sourceURL`.
    public let finalURL: TransferURL
    /// What that source says distinguishes these bytes from later ones: their entity tag, weak or strong, or else their modification date, if that
    /// is strong; for a `DownloadCondition`. Nil when it says nothing.
    public let validator: String?
    /// How long what is at the URL is in all, where this is a part of it and the server said so (`Content-Range`, RFC 9110 §14.4).
    package let wholeBytes: Int64?
    /// The name the server suggests (RFC 6266), reduced to a safe last component; nil when there is none.
    public let suggestedName: String?

    private let partial: PartialFile
    /// What lets the complete file be found again; nil where nothing could prove that it is still the right one.
    private let record: ResumeData?
    /// Whether one lies beside the file.
    private let hasRecordOnDisk: Locked<Bool>
    /// Ended once, when the partial file's name is free for another download.
    private let lease: PlaceLease
    private let isLinked = Locked(false)
    private let fate = Locked(Fate.waiting)

    private enum Fate {
        case waiting, kept, taken
    }

    init(
        partial: PartialFile, sizeBytes: Int64, digest: SHA256Digest?, resumedBytes: Int64, isProvenComplete: Bool,
        sourceURL: TransferURL, finalURL: TransferURL, validator: String?, wholeBytes: Int64?,
        suggestedName: String?, record: ResumeData?, hasRecordOnDisk: Bool, lease: PlaceLease
    ) {
        self.partial = partial
        self.sizeBytes = sizeBytes
        self.digest = digest
        self.resumedBytes = resumedBytes
        self.isProvenComplete = isProvenComplete
        self.sourceURL = sourceURL
        self.finalURL = finalURL
        self.validator = validator
        self.wholeBytes = wholeBytes
        self.suggestedName = suggestedName
        self.record = record
        self.hasRecordOnDisk = Locked(hasRecordOnDisk)
        self.lease = lease
    }

    deinit {
        let last = fate.withLock { $0 }
        guard last != .taken else { return }
        if last == .waiting { try? partial.discard() }
        partial.file.unlock()
        lease.endLater()
    }

    /// The open file: valid wherever it is moved to, as long as this object lives.
    package var descriptor: OwnedDescriptor { partial.file }

    /// Leaves the file where it is, with a record that says it is complete: asking again will not fetch it again. Where its digest is known then
    /// nobody is asked at all; otherwise the server is, for the last byte, which shows whether it still has this version. A file that neither
    /// a validator nor a digest could vouch for is not kept.
    public func keep() {
        guard let record else { return }
        let isFirst = fate.withLock { fate in
            guard fate == .waiting else { return false }
            fate = .kept
            return true
        }
        // Without a record it would only be fetched again; that is no failure of anybody's.
        guard isFirst else { return }
        hasRecordOnDisk.withLock { $0 = true }
        try? partial.writeRecord(record)
    }

    /// Removes the file unless it was taken.
    /// - Throws: `DownloadError` when it can't be removed.
    public func discard() throws(DownloadError) {
        guard claim() else { return }
        defer { lease.end() }
        do { try partial.discard() } catch { throw DownloadError(error) }
    }

    /// Puts the asset at `path` in `directory`, replacing what is there in one step. The first to take it moves it, later ones get a copy.
    /// - Parameter flush: the bytes are on the disk before the name is; the directory itself is not flushed.
    package func take(
        to path: RelativePath, in directory: Directory, mode: mode_t = 0o644, flush: Bool
    ) throws(SystemError) {
        guard claim() else {
            return try directory.placeCopy(of: partial.file, at: path, mode: mode, flush: flush)
        }
        do {
            try move(to: path, in: directory, mode: mode, flush: flush)
        } catch {
            // It is still where it was: what was fetched isn't lost with the place it was meant for.
            fate.withLock { $0 = .waiting }
            keep()
            throw error
        }
        lease.end()
    }

    /// Gives the asset a name at `path` as well, which must be free, and leaves it where it gathered: whoever is cut short before the last
    /// reference goes finds it there again. The first to ask shares the bytes, later ones get a copy. Nothing is flushed.
    package func link(to path: RelativePath, in directory: Directory, mode: mode_t = 0o644) throws(SystemError) {
        let isFirst = isLinked.withLock { isLinked in
            defer { isLinked = true }
            return !isLinked
        }
        if isFirst, isWaiting {
            try partial.file.setMode(mode)
            do throws(SystemError) {
                // Not by its name, which may be another download's as soon as somebody has taken this one.
                return try directory.link(partial.file, at: path)
            } catch {
                // Gone meanwhile, on another file system, or on one without hard links: the copy below.
                guard [ENOENT, EXDEV, EPERM, EMLINK, EOPNOTSUPP, ENOSYS].contains(error.code) else { throw error }
            }
        }
        try directory.placeCopy(of: partial.file, at: path, mode: mode, flush: false)
    }

    private func move(to path: RelativePath, in directory: Directory, mode: mode_t, flush: Bool) throws(SystemError) {
        if partial.found.mode != mode { try partial.file.setMode(mode) }
        if flush { try partial.file.synchronizeData() }
        // Once it is there, what can't be cleared up is no failure: a record without bytes claims nothing.
        do {
            try partial.location.directory.rename(partial.location.name, to: path, in: directory)
            if hasRecordOnDisk.withLock({ $0 }) { try? partial.removeRecord() }
        } catch {
            guard error.code == EXDEV else { throw error }
            try directory.placeCopy(of: partial.file, at: path, mode: mode, flush: flush)
            try? partial.discard()
        }
    }

    /// Whether the file still lies where it gathered, so that another caller of the same asset can have it.
    var isWaiting: Bool { fate.withLock { $0 == .waiting || $0 == .kept } }

    /// Whether this caller is the first to take the file away.
    private func claim() -> Bool {
        fate.withLock { fate in
            defer { fate = .taken }
            return fate != .taken
        }
    }

    /// Puts the asset at `path`, replacing what is there in one step.
    /// - Parameters:
    ///   - path: where to; its folder must exist.
    ///   - flush: whether this waits until bytes and name are on the disk; true by default.
    /// - Throws: `DownloadError` when it can't be put there.
    public func take(to path: String, flush: Bool = true) throws(DownloadError) {
        let target = try PartialFile.Location(path: path)
        do {
            try take(to: target.name, in: target.directory, flush: flush)
            if flush { try target.directory.synchronize() }
        } catch {
            throw DownloadError(error)
        }
    }

    /// Writes the asset to an open descriptor, such as standard output, and removes the file.
    /// - Throws: `DownloadError` when it can't be read or written; the file is kept then.
    public func write(to descriptor: Int32) throws(DownloadError) {
        try write { file throws(SystemError) in try file.copyAll(to: descriptor) }
    }

    /// Lets `body` write the asset to somewhere, and removes the file.
    package func write(_ body: (OwnedDescriptor) throws(SystemError) -> Void) throws(DownloadError) {
        do throws(SystemError) { try body(partial.file) } catch {
            keep()
            throw DownloadError(error)
        }
        try discard()
    }

    /// The asset's bytes.
    /// - Parameter limitBytes: a longer asset is refused with `overBudget`.
    /// - Throws: `DownloadError` when it is longer, or can't be read.
    public func bytes(limitBytes: Int) throws(DownloadError) -> [UInt8] {
        guard let size = Int(exactly: sizeBytes), size <= limitBytes else {
            throw DownloadError(.overBudget, "the asset's \(sizeBytes) bytes are over the \(limitBytes) allowed")
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try partial.file.read(into: buffer, at: 0) }
        }
        do {
            guard try result.get() == size else { throw DownloadError(.fileFailed, "the file was cut behind our back") }
        } catch let error as SystemError {
            throw DownloadError(error)
        } catch {
            throw error as? DownloadError ?? DownloadError(.fileFailed, "\(error)")
        }
        return bytes
    }
}
