import Glibc
import Platform

/// A content library on disk, its directories held open: what a reader needs, without any lock.
///
/// Whoever changes it takes the lock first: ``beginWriting()``.
package final class Library: Sendable {
    package enum Access: Sendable {
        /// The library must exist; nothing is written, so a read-only mount will do.
        case reading
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

    private init(path: String, root: Directory) throws(SystemError) {
        self.path = path
        self.root = root
        internals = try root.subdirectory(LibraryLayout.internals)
        partial = try internals.subdirectory(LibraryLayout.partial)
        staging = try internals.subdirectory(LibraryLayout.staging)
        quarantine = try internals.subdirectory(LibraryLayout.quarantine)
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
        case .reading:
            break
        }
        do {
            return try Library(path: path, root: Directory.open(path))
        } catch {
            guard error.isNotFound || error.code == ENOTDIR else { throw LibraryError(error) }
            throw LibraryError(
                .notALibrary, "\(escapedText(path)) holds no library (\(error)); name one, or let `larder sync` make it"
            )
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
    package func beginWriting() throws(LibraryError) -> WriteAttempt {
        switch try LibraryLock.acquire(in: internals) {
        case .held(let lock): .granted(try LibraryWriter(library: self, lock: lock))
        case .busy(let processID): .busy(processID: processID)
        }
    }

    package enum WriteAttempt: Sendable {
        case granted(LibraryWriter)
        /// Another run holds the library: the process of that number, as far as known.
        case busy(processID: Int32?)
    }
}
