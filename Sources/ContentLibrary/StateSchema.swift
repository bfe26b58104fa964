/// The tables of the index.
enum StateSchema {
    /// What makes each version of the one before; a file's `user_version` says how many of them it has seen.
    private static let steps = [
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
        """,
        """
        CREATE TABLE sources (
            source TEXT PRIMARY KEY, manifest TEXT NOT NULL, serial INTEGER NOT NULL, sha256 TEXT NOT NULL,
            validator TEXT, expires INTEGER, settled INTEGER, settledBy TEXT, lastSuccess INTEGER,
            lastUse INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE months (month TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE distrust (
            source TEXT NOT NULL, sha256 TEXT NOT NULL, failures INTEGER NOT NULL, lastFailure INTEGER NOT NULL,
            PRIMARY KEY (source, sha256)) WITHOUT ROWID;
        CREATE TABLE rejections (source TEXT PRIMARY KEY, validator TEXT NOT NULL, time INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        ALTER TABLE sources ADD COLUMN bundles INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sources ADD COLUMN lastComplete INTEGER;
        DROP TABLE rejections;
        CREATE TABLE rejections (
            source TEXT NOT NULL, sha256 TEXT NOT NULL, validator TEXT NOT NULL, failures INTEGER NOT NULL,
            lastFailure INTEGER NOT NULL, PRIMARY KEY (source, sha256)) WITHOUT ROWID;
        """,
        """
        ALTER TABLE bundles ADD COLUMN nextTry INTEGER;
        ALTER TABLE bundles ADD COLUMN paused INTEGER;
        ALTER TABLE bundles ADD COLUMN plannedBytes INTEGER;
        ALTER TABLE bundles ADD COLUMN heldBytes INTEGER;
        """,
        """
        CREATE TABLE verifications (
            manifest TEXT NOT NULL, bundle TEXT NOT NULL, name TEXT NOT NULL, time INTEGER, position TEXT, damage TEXT,
            PRIMARY KEY (manifest, bundle, name)) WITHOUT ROWID;
        """,
        """
        CREATE TABLE waits (source TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        ALTER TABLE sources ADD COLUMN signer TEXT;
        """,
        """
        ALTER TABLE runs ADD COLUMN stop TEXT;
        ALTER TABLE runs ADD COLUMN mended INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE runs ADD COLUMN bytesFromCouriers INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE runs ADD COLUMN bytesCopied INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE refusals (
            source TEXT PRIMARY KEY, reason TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        ALTER TABLE refusals ADD COLUMN manifest TEXT;
        UPDATE refusals SET manifest = (SELECT manifest FROM sources WHERE sources.source = refusals.source);
        """,
    ]

    /// Checks the database, and brings it up to the newest version; an empty one gets all tables.
    /// - Throws: `SQLITE_CORRUPT` or `SQLITE_NOTADB` for what can't be used.
    static func prepare(_ database: SQLiteDatabase) throws(SQLiteError) {
        // A power loss at the wrong moment may damage it; that is why it is checked below.
        try database.run("PRAGMA synchronous = NORMAL")
        // A journal that is emptied costs a flush less than one that is removed.
        try database.run("PRAGMA journal_mode = TRUNCATE")
        let found = try version(of: database)
        guard (0...steps.count).contains(found) else { throw .unusable("it is of version \(found)") }
        if found < steps.count {
            try database.transaction { () throws(SQLiteError) in
                for step in steps[found...] { try database.execute(step) }
                try database.execute("PRAGMA user_version = \(steps.count)")
            }
        }
        var verdict = ""
        try database.run("PRAGMA quick_check(1)") { verdict = $0.text(0) }
        guard verdict == "ok" else { throw .unusable(verdict) }
    }

    /// Whether the tables are those of this program.
    static func isCurrent(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        try version(of: database) == steps.count
    }

    private static func version(of database: SQLiteDatabase) throws(SQLiteError) -> Int {
        var found: Int64 = 0
        try database.run("PRAGMA user_version") { found = $0.integer(0) }
        return Int(found)
    }
}
