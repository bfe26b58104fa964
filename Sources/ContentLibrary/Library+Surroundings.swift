import Platform

extension Library {
    /// The library in which a path lies, so that nobody who means another place writes over what is published there, or over the lock.
    /// - Parameter unmade: where a library will be, for one that isn't there yet.
    /// - Returns: its path; nil where there is none.
    package static func around(_ path: String, unmade: String? = nil) -> String? {
        let future = unmade.map { ResolvedPath($0) }
        var next: ResolvedPath? = ResolvedPath(path)
        while let folder = next {
            if folder == future || isMade(at: folder.text) { return folder.text }
            next = folder.parent
        }
        return nil
    }

    /// The lock file is what is made last of a library; a copy of one may lack it.
    private static func isMade(at path: String) -> Bool {
        guard let root = try? Directory.open(path) else { return false }
        let internals = try? root.subdirectory(LibraryLayout.internals)
        return (try? internals?.status(of: LibraryLayout.lock)) != nil || LibrarySetup.isContentOfLibrary(root)
    }
}
