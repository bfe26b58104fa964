import Glibc
import Platform

/// Lays a library out, at its first run or where an earlier attempt was cut short.
struct LibrarySetup {
    let path: String

    /// The lock file is made last: where there is one, the file system has been probed.
    func run() throws(LibraryError) {
        let (root, isNew) = try openRoot()
        if try !isProbed(root) {
            if !isNew { try refuseLibraryAround() }
            try refuseStrangers(in: root)
            try probe(root)
        }
        try translating { () throws(SystemError) in
            // Not before: some file systems that can't carry a library refuse this as well, and tell less of the reason.
            if isNew { try root.descriptor.setMode(LibraryLayout.directoryMode) }
            let internals = try root.durableSubdirectory(LibraryLayout.internals)
            for name in Self.internalFolders { _ = try internals.durableSubdirectory(name) }
            for name in [LibraryLayout.store, LibraryLayout.generations] { _ = try root.durableSubdirectory(name) }
            guard try internals.status(of: LibraryLayout.lock) == nil else { return }
            _ = try internals.open(LibraryLayout.lock, flags: O_RDWR | O_CREAT, mode: LibraryLayout.fileMode)
            try internals.synchronize()
        }
    }

    private func isProbed(_ root: Directory) throws(LibraryError) -> Bool {
        try translating { () throws(SystemError) in
            do throws(SystemError) {
                return try root.subdirectory(LibraryLayout.internals).status(of: LibraryLayout.lock) != nil
            } catch {
                guard error.isNotFound else { throw error }
                return false
            }
        }
    }

    /// What isn't a library and isn't empty is somebody else's folder, named by mistake.
    private func refuseStrangers(in root: Directory) throws(LibraryError) {
        let names = try translating { () throws(SystemError) in try root.names() }
        // A first run that was cut short left some of a library, and so may whoever copied one; a file system of its own has a folder that nobody
        // put there.
        let isLibrary =
            names.contains(LibraryLayout.internals) || names.contains(LibraryLayout.current)
            || Self.isContentOfLibrary(root)
        let own = isLibrary ? Self.ownNames : []
        let stranger = names.filter { $0 != Self.fileSystemFolder && !own.contains($0) }.map(\.description).min()
        guard let stranger else { return }
        throw LibraryError(
            .unusablePlace,
            "\(escapedText(path)) is no library, and not empty: it holds '\(escapedText(stranger))'; name a library, an empty folder, or one that doesn't exist yet"
        )
    }

    static let ownNames: Set = [
        LibraryLayout.internals, LibraryLayout.store, LibraryLayout.generations, LibraryLayout.current,
    ]
    static let internalFolders = [LibraryLayout.partial, LibraryLayout.staging, LibraryLayout.quarantine]

    /// Whether there is at least one generation, and a store: as in a copy that was made of these alone.
    static func isContentOfLibrary(_ root: Directory) -> Bool {
        guard root.leadsToDirectory(LibraryLayout.store),
            let generations = try? root.subdirectory(LibraryLayout.generations), let names = try? generations.names()
        else { return false }
        return names.contains { GenerationNumber($0.bytes) != nil }
    }

    static let fileSystemFolder: RelativePath = "lost+found"

    private func openRoot() throws(LibraryError) -> (Directory, isNew: Bool) {
        let found = try translating { () throws(SystemError) -> Directory? in
            do throws(SystemError) { return try Directory.open(path) } catch {
                guard error.isNotFound else { throw error }
                return nil
            }
        }
        if let found { return (found, false) }
        try refuseLibraryAround()
        return try translating { () throws(SystemError) in (try Directory.open(path, create: true), true) }
    }

    /// Whatever lies in a library is its own: it would be taken for an orphan there, or published over.
    private func refuseLibraryAround() throws(LibraryError) {
        guard let parent = ResolvedPath(path).parent, let outer = Library.around(parent.text) else { return }
        throw LibraryError(
            .unusablePlace,
            "\(escapedText(path)) lies in the library \(escapedText(outer)); name a folder outside of it")
    }

    /// Leaves nothing behind where a library can't be.
    private func probe(_ root: Directory) throws(LibraryError) {
        let missing = try translating { () throws(SystemError) -> String? in
            let internals = try root.subdirectory(LibraryLayout.internals, create: true)
            // A name of its own: another first run may be at the same point.
            let name = try internals.temporarySibling(of: LibraryLayout.probe)
            defer { _ = try? internals.removeTree(name) }
            let probe = FileSystemProbe(directory: try internals.subdirectory(name, create: true))
            if let missing = try probe.missingFeature() { return missing }
            try internals.descriptor.setMode(LibraryLayout.directoryMode)
            try root.synchronize()
            return nil
        }
        guard let missing else { return }
        try? root.removeDirectory(LibraryLayout.internals)
        throw LibraryError(
            .unsupportedFileSystem,
            "the file system of \(root.name) offers no \(missing), which a library needs; name a directory on another one (ext4, xfs, btrfs)"
        )
    }
}
