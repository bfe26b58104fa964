import Glibc
import Platform

/// An asset's bytes while they gather, and the record beside them that says what they are. Held by one process at a time.
public final class PartialFile: Sendable {
    /// A place for a partial file: `NAME` holds the bytes, `NAME.resume` the record.
    public struct Location: Sendable, CustomStringConvertible {
        let directory: Directory
        let name: RelativePath
        let recordName: RelativePath

        package init(directory: Directory, name: RelativePath) throws(PathProblem) {
            self.directory = directory
            self.name = name
            recordName = try RelativePath(name.bytes + Array(PartialFile.recordSuffix.utf8))
        }

        /// What tells it from every other place, however it was named.
        /// - Throws: where its folder can't be looked at.
        var place: PartialPlace {
            get throws(SystemError) {
                PartialPlace(directory: try directory.descriptor.status().identity, name: name.bytes)
            }
        }

        /// The path of the bytes, for messages.
        public var description: String { "\(directory.name)/\(name)" }

        /// The file at `path` and the record beside it.
        /// - Throws: `DownloadError` when the folder can't be opened or the name can't be one.
        public init(path: String) throws(DownloadError) {
            do {
                let (directory, name) = try Directory.openParent(of: path)
                try self.init(directory: directory, name: name)
            } catch let error as SystemError {
                throw DownloadError(error)
            } catch {
                throw DownloadError(.fileFailed, "'\(escapedText(path))' can't name a file: \(error)")
            }
        }
    }

    let location: Location
    let file: OwnedDescriptor
    /// What the file was when its lock was taken.
    let found: FileStatus
    /// What a record's name ends with, behind its partial's.
    static let recordSuffix = ".resume"

    /// Opens a partial file that is there and takes its lock; nil when there is none, or somebody is using it.
    init?(existing location: Location) {
        self.location = location
        guard let file = try? location.directory.open(location.name, flags: O_RDWR | O_NONBLOCK),
            let held = try? file.status(), held.kind == .file, (try? file.lock(exclusive: true)) == true,
            let named = try? location.directory.status(of: location.name), named.identity == held.identity
        else { return nil }
        self.file = file
        found = held
    }

    /// Opens, or makes, the partial file and takes its lock.
    init(_ location: Location) throws(DownloadError) {
        self.location = location
        do {
            (file, found) = try Self.openLocked(location)
        } catch {
            throw error as? DownloadError ?? (error as? SystemError).map(DownloadError.init)
                ?? DownloadError(.fileFailed, "\(error)")
        }
    }

    private static func openLocked(_ location: Location) throws -> (OwnedDescriptor, FileStatus) {
        var looks = 0
        while true {
            let file: OwnedDescriptor
            do throws(SystemError) {
                file = try location.directory.open(location.name, flags: O_RDWR | O_CREAT | O_NONBLOCK)
            } catch {
                throw [EISDIR, ELOOP, ENXIO].contains(error.code) ? noFile(location) : error
            }
            guard try file.lock(exclusive: true) else {
                // Whoever lists or purges what is paused has the lock for a moment.
                guard looks < 20 else {
                    throw DownloadError(.inUse, "another process is downloading into \(location)")
                }
                looks += 1
                usleep(5_000)
                continue
            }
            // Between opening and locking, its last holder may have moved it away: then what we locked is no longer what the name means.
            let held = try file.status()
            guard held.kind == .file else { throw noFile(location) }
            if let named = try location.directory.status(of: location.name), named.identity == held.identity {
                return (file, held)
            }
        }
    }

    private static func noFile(_ location: Location) -> DownloadError {
        DownloadError(
            .fileFailed, "\(location), where the bytes are to gather, is no regular file; remove what is there")
    }

    /// Whether the file had no other name when its lock was taken. One that has, as where a run was cut short that was putting it into a library, is
    /// read, and never written to: what it is elsewhere is not ours to change.
    var isAlone: Bool { found.linkCount <= 1 }

    /// The same place and record, with a copy that has no other name.
    func copiedAlone() throws(DownloadError) -> PartialFile {
        do throws(SystemError) {
            // The record may say that the bytes are flushed.
            try location.directory.placeCopy(of: file, at: location.name, flush: true)
        } catch {
            throw DownloadError(error)
        }
        return try PartialFile(location)
    }

    /// What there is of a record.
    enum FoundRecord: Hashable {
        case none
        /// One of another version, say, or damaged.
        case unreadable
        case readable(ResumeData)
    }

    /// Reads the record.
    /// - Throws: when it is unknown whether there is one.
    func readRecord() throws(SystemError) -> FoundRecord {
        do {
            // Mostly there is none, which costs less to see than to open.
            guard try location.directory.status(of: location.recordName) != nil else { return .none }
            let file = try location.directory.openIfThere(location.recordName, flags: O_RDONLY | O_NONBLOCK)
            guard let file else { return .none }
            let bytes = try file.readAll(limitBytes: ResumeData.limitBytes)
            return ResumeData(decoding: bytes).map { .readable($0) } ?? .unreadable
        } catch {
            // A file far too long, a folder, a link: none of ours.
            if [EFBIG, EISDIR, ELOOP].contains(error.code) { return .unreadable }
            throw error
        }
    }

    func writeRecord(_ record: ResumeData) throws(SystemError) {
        try location.directory.replaceFile(location.recordName, with: record.encoded, mode: 0o600, flush: false)
    }

    func removeRecord() throws(SystemError) { try Self.removeIfThere(location.recordName, location) }

    /// Removes the bytes and the record.
    func discard() throws(SystemError) {
        // The record first: bytes without one are never believed, a record without bytes would be.
        try removeRecord()
        try Self.removeIfThere(location.name, location)
    }

    private static func removeIfThere(_ name: RelativePath, _ location: Location) throws(SystemError) {
        do { try location.directory.remove(name) } catch { if !error.isNotFound { throw error } }
    }
}
