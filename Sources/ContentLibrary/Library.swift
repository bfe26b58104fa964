import Glibc
import Platform

/// A content library on disk, its directories held open: what a reader needs, without any lock.
///
/// Whoever changes it takes the lock first: ``beginWriting()``.
package final class Library: Sendable {
    package enum Access: Sendable {
        /// The library must exist; nothing is written, so a read-only mount will do.
        case reading
        /// The library must exist, and is going to be changed: what a copy of it lacks of what isn't content is made anew.
        case changing
        /// The library is made when missing. Fails where this user can't write.
        case writing
    }

    /// The path the operator named, as given.
    package let path: String
    /// Unfinished downloads, for the downloader.
    package let partial: Directory
    /// Bytes that were found to be wrong.
    package let quarantine: Directory

    let root: Directory
    let internals: Directory
    let staging: Directory
    let storeDirectory: Directory
    let generationsDirectory: Directory

    /// - Parameter standIns: what has folders to take the places of those that are missing, each for itself.
    private init(path: String, root: Directory, standIns: Directory? = nil) throws(SystemError) {
        self.path = path
        self.root = root
        internals = try Self.folder(LibraryLayout.internals, in: root, orElse: standIns)
        let folders = standIns.flatMap { try? $0.subdirectory(LibraryLayout.internals) }
        partial = try Self.folder(LibraryLayout.partial, in: internals, orElse: folders)
        staging = try Self.folder(LibraryLayout.staging, in: internals, orElse: folders)
        quarantine = try Self.folder(LibraryLayout.quarantine, in: internals, orElse: folders)
        storeDirectory = try root.subdirectory(LibraryLayout.store)
        generationsDirectory = try root.subdirectory(LibraryLayout.generations)
    }

    /// Opens the library at `path`.
    /// - Throws: `unsupportedFileSystem` at the first run on a file system that can't carry a library; `permissionDenied` where this user may
    ///   not write, `notALibrary` where there is none to read.
    package static func open(_ path: String, for access: Access) throws(LibraryError) -> Library {
        switch access {
        case .writing:
            try LibrarySetup(path: path).run()
        case .changing:
            if let root = try? Directory.open(path), LibrarySetup.isContentOfLibrary(root) {
                try LibrarySetup(path: path).run()
            }
        case .reading:
            break
        }
        do {
            return try openDirectories(path, for: access)
        } catch {
            guard error.isNotFound || error.code == ENOTDIR else { throw LibraryError(error) }
            throw LibraryError(
                .notALibrary, "\(escapedText(path)) holds no library (\(error)); name one, or let `larder sync` make it"
            )
        }
    }

    private static func openDirectories(_ path: String, for access: Access) throws(SystemError) -> Library {
        let root = try Directory.open(path)
        do throws(SystemError) {
            return try Library(path: path, root: root)
        } catch {
            guard error.isNotFound, access == .reading, LibrarySetup.isContentOfLibrary(root) else { throw error }
        }
        return try withoutInternals(path, root)
    }

    /// A copy of a library that was made without what isn't content, or without folders in which nothing was: for whoever only looks, empty ones stand
    /// for those.
    private static func withoutInternals(_ path: String, _ root: Directory) throws(SystemError) -> Library {
        let folder = try TemporaryFolder()
        // They stay open, and are nowhere any more.
        defer { folder.remove() }
        let internals = try folder.directory.subdirectory(LibraryLayout.internals, create: true)
        for name in LibrarySetup.internalFolders { try internals.makeDirectory(name) }
        return try Library(path: path, root: root, standIns: folder.directory)
    }

    private static func folder(
        _ name: RelativePath, in parent: Directory, orElse standIns: Directory?
    ) throws(SystemError) -> Directory {
        do throws(SystemError) { return try parent.subdirectory(name) } catch {
            guard error.isNotFound, let standIns else { throw error }
            return try standIns.subdirectory(name)
        }
    }

    /// The process that is changing the library right now, as far as anybody can tell.
    package var writingProcess: Int32? { LibraryLock.holder(in: internals) }

    /// What the disk holds for bytes that were found to be wrong.
    package var quarantinedBytes: Int64 { (try? internals.treeBytes(LibraryLayout.quarantine)) ?? 0 }

    package var store: Store { Store(directory: storeDirectory) }

    package var generations: Generations { Generations(root: root, directory: generationsDirectory) }

    /// Looks whether the library's path still leads to the directories that are held open. Somebody may have moved them, or put links in their places:
    /// then what is made goes where they are now, which is not where readers look, and what can only be opened by its path is none of ours.
    /// - Throws: `replaced`, with the name of what isn't what it was.
    func checkPlace() throws(LibraryError) {
        let isRootInPlace = try translating { () throws(SystemError) in
            guard let named = try? Directory.open(path) else { return false }
            return try named.descriptor.status().identity == root.descriptor.status().identity
        }
        guard isRootInPlace else { throw replaced(root) }
        let parts = [
            (LibraryLayout.internals, internals), (LibraryLayout.store, storeDirectory),
            (LibraryLayout.generations, generationsDirectory),
        ]
        for (name, directory) in parts {
            let isInPlace = try translating { () throws(SystemError) in
                try root.status(of: name)?.identity == directory.descriptor.status().identity
            }
            guard isInPlace else { throw replaced(directory) }
        }
    }

    private func replaced(_ directory: Directory) -> LibraryError {
        LibraryError(
            .replaced,
            "\(directory.name) is not the directory any more that it was when this run began; put that back, and run again"
        )
    }

    /// Takes the lock, if nobody else has it, and clears what a killed run left behind.
    /// - Parameters:
    ///   - needsCurrent: whether what is to be done takes more than ``currentGeneration()`` to know what is current. Without that, a
    ///     `current` that is lost and that the disk doesn't take again, since it is full, is in nobody's way.
    ///   - isStopped: asked again and again while what was left is read; after a yes it throws, and leaves all to the next run.
    package func beginWriting(
        needsCurrent: Bool = true, isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws(LibraryError) -> WriteAttempt {
        switch try LibraryLock.acquire(in: internals) {
        case .held(let lock):
            .granted(
                try LibraryWriter(library: self, lock: lock, needsCurrent: needsCurrent, isStopped: isStopped))
        case .busy(let processID): .busy(processID: processID)
        }
    }

    package enum WriteAttempt: Sendable {
        case granted(LibraryWriter)
        /// Another run holds the library: the process of that number, as far as known.
        case busy(processID: Int32?)
    }
}
