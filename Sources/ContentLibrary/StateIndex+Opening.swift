import Glibc
import JSONSyntax
import Platform

extension LibraryWriter {
    /// Opens the index. One that is missing, damaged, unreadable or of another version starts anew (the old file is set aside in
    /// `.larder/quarantine`), and one that a killed run left behind is brought up to the generations on disk.
    package func openStateIndex() throws(LibraryError) -> StateIndex {
        let index = StateIndex(try openDatabase(), of: library)
        let recorded = try index.recordedGeneration()
        for number in try library.generations.numbers() where number.value > recorded {
            // One that can't be read says nothing here; who needs it will tell.
            guard let generation = try? library.generations.open(number) else { continue }
            try index.recordPublication(number, serials: generation.serials())
        }
        return index
    }

    private func openDatabase() throws(LibraryError) -> sending SQLiteDatabase {
        try library.checkPlace()
        if try !isUsable(LibraryLayout.stateIndex) { try setDatabaseAside() }
        do { return try Self.open(library.stateIndexPath) } catch {
            guard error.isDamage else { throw LibraryError(error) }
        }
        try setDatabaseAside()
        do { return try Self.open(library.stateIndexPath) } catch { throw LibraryError(error) }
    }

    /// Whether SQLite may be given the file to open, or make: it would follow a link to somewhere else, and of a file that this user may not open it
    /// tells nothing but that it can't.
    private func isUsable(_ name: RelativePath) throws(LibraryError) -> Bool {
        try translating { () throws(SystemError) in
            guard let status = try library.internals.status(of: name) else { return true }
            guard status.kind == .file else { return false }
            do throws(SystemError) { _ = try library.internals.open(name, flags: O_RDWR) } catch {
                guard error.code == EACCES || error.code == EPERM else { throw error }
                return false
            }
            return true
        }
    }

    /// Keeps one damaged index, the last, for whoever wants to look.
    private func setDatabaseAside() throws(LibraryError) {
        try translating { () throws(SystemError) in
            let name = LibraryLayout.stateIndex
            try library.quarantine.removeTree(name)
            try library.internals.rename(name, to: name, in: library.quarantine)
            // What is left of a transaction belongs to the old file; applied to the new one it would damage it.
            try library.internals.removeTree(LibraryLayout.stateJournal)
        }
    }

    private static func open(_ path: String) throws(SQLiteError) -> sending SQLiteDatabase {
        let database = try SQLiteDatabase(path: path)
        try StateSchema.prepare(database)
        return database
    }
}

extension Library {
    /// The index as the last run left it, for whoever has no lock; nil where there is none that can be read.
    package func readStateIndex() -> StateIndex? {
        guard let status = try? internals.status(of: LibraryLayout.stateIndex), status.kind == .file,
            let database = try? SQLiteDatabase(path: stateIndexPath, isReadOnly: true),
            (try? StateSchema.isCurrent(database)) == true
        else { return nil }
        return StateIndex(database, of: self)
    }
}

extension Generation {
    /// The serial of each manifest, from the exact bytes that were published.
    package func serials() throws(LibraryError) -> [ContentID: Int] {
        var serials: [ContentID: Int] = [:]
        for manifest in manifests.keys {
            serials[manifest] = try document(of: manifest)?.root["serial"]?.integer
        }
        return serials
    }

    /// A manifest as it was published; nil where it can't be read.
    func document(of manifest: ContentID) throws(LibraryError) -> JSONDocument? {
        try manifestBytes(manifest).flatMap { try? JSONDocument($0, name: manifest.description) }
    }
}

extension Library {
    /// SQLite opens by path only.
    var stateIndexPath: String { "\(path)/\(LibraryLayout.internals)/\(LibraryLayout.stateIndex)" }
}
