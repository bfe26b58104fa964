import JSONSyntax
import Platform

extension LibraryWriter {
    /// Opens the index. One that is missing, damaged or of another version starts anew (the old file is set aside in `.larder/quarantine`),
    /// and one that a killed run left behind is brought up to the generations on disk.
    package func openStateIndex() throws(LibraryError) -> StateIndex {
        let index = StateIndex(try openDatabase())
        let recorded = try index.recordedGeneration()
        for number in try library.generations.numbers() where number.value > recorded {
            // One that can't be read says nothing here; who needs it will tell.
            guard let generation = try? library.generations.open(number) else { continue }
            try index.recordPublication(number, serials: generation.serials())
        }
        return index
    }

    private func openDatabase() throws(LibraryError) -> sending SQLiteDatabase {
        let status = try translating { () throws(SystemError) in
            try library.internals.status(of: LibraryLayout.stateIndex)
        }
        // SQLite would follow a link to somewhere else.
        if let status, status.kind != .file { try setDatabaseAside() }
        do { return try Self.open(library.stateIndexPath) } catch {
            guard error.isDamage else { throw LibraryError(error) }
        }
        try setDatabaseAside()
        do { return try Self.open(library.stateIndexPath) } catch { throw LibraryError(error) }
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

extension Generation {
    /// The serial of each manifest, from the exact bytes that were published.
    package func serials() throws(LibraryError) -> [ContentID: Int] {
        var serials: [ContentID: Int] = [:]
        for manifest in manifests.keys {
            guard let bytes = try manifestBytes(manifest) else { continue }
            let document = try? JSONDocument(bytes, name: manifest.description)
            serials[manifest] = document?.root["serial"]?.integer
        }
        return serials
    }
}

extension Library {
    /// SQLite opens by path only.
    var stateIndexPath: String { "\(path)/\(LibraryLayout.internals)/\(LibraryLayout.stateIndex)" }
}

/// The tables of the index.
enum StateSchema {
    private static let version: Int64 = 1

    /// Checks the database, and makes the tables of an empty one.
    /// - Throws: `SQLITE_CORRUPT` or `SQLITE_NOTADB` for what can't be used.
    static func prepare(_ database: SQLiteDatabase) throws(SQLiteError) {
        // A power loss at the wrong moment may damage it; that is why it is checked below.
        try database.run("PRAGMA synchronous = NORMAL")
        var found: Int64 = 0
        try database.run("PRAGMA user_version") { found = $0.integer(0) }
        if found == 0 { try create(database) } else if found != version { throw .unusable("it is of version \(found)") }
        var verdict = ""
        try database.run("PRAGMA quick_check(1)") { verdict = $0.text(0) }
        guard verdict == "ok" else { throw .unusable(verdict) }
    }

    private static func create(_ database: SQLiteDatabase) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            try database.execute(
                """
                CREATE TABLE runs (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, command TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER,
                    exit INTEGER, published INTEGER NOT NULL DEFAULT 0, unchanged INTEGER NOT NULL DEFAULT 0,
                    failed INTEGER NOT NULL DEFAULT 0, paused INTEGER NOT NULL DEFAULT 0,
                    bytesFetched INTEGER NOT NULL DEFAULT 0, bytesResumed INTEGER NOT NULL DEFAULT 0);
                CREATE TABLE bundles (
                    manifest TEXT NOT NULL, bundle TEXT NOT NULL, lastSuccess INTEGER, lastFailure INTEGER, failure TEXT,
                    failures INTEGER NOT NULL, PRIMARY KEY (manifest, bundle)) WITHOUT ROWID;
                CREATE TABLE manifests (manifest TEXT PRIMARY KEY, highestSerial INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE publication (generation INTEGER NOT NULL);
                INSERT INTO publication VALUES (0);
                PRAGMA user_version = \(version);
                """)
        }
    }
}
