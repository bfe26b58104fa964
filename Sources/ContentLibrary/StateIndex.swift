import Platform

/// `state.db`: the history of runs, how each bundle fared, and the highest serial of each manifest.
///
/// An index, never the truth: when it is lost or damaged it starts anew from the kept generations, and no content is fetched again. It has a
/// rollback journal rather than a write-ahead log: it is written a few times a run, so the log's speed is worth nothing, and without the log's
/// shared memory it is one file that can be read on a network mount or a courier disk.
package final class StateIndex: Sendable {
    /// The lock is the database's own: nobody waits for it but another caller of this index.
    private let database: Locked<SQLiteDatabase>
    /// SQLite opens its journal by path, each time anew.
    private let library: Library

    /// How many runs are remembered.
    private static let keptRuns = 1_000

    init(_ database: sending SQLiteDatabase, of library: Library) {
        self.database = Locked(database)
        self.library = library
    }

    // MARK: Runs

    /// Notes that a run began, and what the clock showed then.
    /// - Returns: its number.
    package func beginRun(command: String, at time: Timestamp = .now) throws(LibraryError) -> Int64 {
        try use { database throws(SQLiteError) in
            var run: Int64 = 0
            try database.transaction { () throws(SQLiteError) in
                run = try Self.addRun(command, at: time, in: database)
            }
            return run
        }
    }

    private static func addRun(
        _ command: String, at time: Timestamp, in database: SQLiteDatabase
    ) throws(SQLiteError) -> Int64 {
        try database.run("DELETE FROM runs WHERE id <= (SELECT max(id) FROM runs) - ?", [.integer(keptRuns - 1)])
        try database.run("INSERT INTO runs (command, started) VALUES (?, ?)", [.text(command), .time(time)])
        let run = database.lastInsertedRow
        try set(.lastTime, to: time.seconds, in: database)
        return run
    }

    /// Notes how a run ended, and what is known of its manifests by now, all in one step.
    package func endRun(
        _ run: Int64, _ end: RunEnd, at time: Timestamp = .now
    ) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            try Self.endRun(run, end, at: time, in: database)
        }
    }

    /// Notes a run of which nothing was noted before it ended, in one step: a step costs flushes, and a run that finds nothing to do little else.
    package func addRun(
        command: String, from started: Timestamp, _ end: RunEnd, at time: Timestamp = .now
    ) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            let run = try Self.addRun(command, at: started, in: database)
            try Self.endRun(run, end, at: time, in: database)
        }
    }

    private static func endRun(
        _ run: Int64, _ end: RunEnd, at time: Timestamp, in database: SQLiteDatabase
    ) throws(SQLiteError) {
        try write(end.manifests, at: time, in: database)
        try write(end.fates, at: time, in: database)
        let counts = end.counts
        try database.run(
            """
            UPDATE runs SET ended = ?, exit = ?, published = ?, unchanged = ?, failed = ?, paused = ?,
            bytesFetched = ?, bytesResumed = ?, mended = ?, bytesFromCouriers = ?, bytesCopied = ?, stop = ? WHERE id = ?
            """,
            [
                .time(time), .integer(end.exit), .integer(counts.published), .integer(counts.unchanged),
                .integer(counts.failed), .integer(counts.paused), .integer(counts.bytesFetched),
                .integer(counts.bytesResumed), .integer(counts.mended), .integer(counts.bytesFromCouriers),
                .integer(counts.bytesCopied), .text(end.stop), .integer(run),
            ])
    }

    /// The last runs, newest first.
    package func runs(limit: Int) throws(LibraryError) -> [RunRecord] {
        try use { database throws(SQLiteError) in
            var runs: [RunRecord] = []
            try database.run(
                "SELECT \(RunRecord.columns) FROM runs ORDER BY id DESC LIMIT ?", [.integer(limit)]
            ) { runs.append(RunRecord($0)) }
            return runs
        }
    }

    // MARK: Bundles

    /// Notes how bundles fared, all in one step. A success keeps the time of the last failure but clears its message and count; a pause keeps
    /// both, since nothing has become of it yet.
    package func record(_ outcomes: [BundleOutcome], at time: Timestamp = .now) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            for outcome in outcomes { try Self.record(outcome, at: time, in: database) }
        }
    }

    private static func record(
        _ outcome: BundleOutcome, at time: Timestamp, in database: SQLiteDatabase
    ) throws(SQLiteError) {
        let key: [SQLiteValue] = [.id(outcome.bundle.manifest), .id(outcome.bundle.bundle), .time(time)]
        switch outcome.fate {
        case .success:
            try database.run(
                """
                INSERT INTO bundles (manifest, bundle, lastSuccess, failures) VALUES (?, ?, ?, 0)
                ON CONFLICT DO UPDATE SET lastSuccess = excluded.lastSuccess, failure = NULL, failures = 0,
                nextTry = NULL, paused = NULL
                """, key)
        case .failure(let message, let nextTry):
            try database.run(
                """
                INSERT INTO bundles (manifest, bundle, lastFailure, failure, nextTry, failures) VALUES (?, ?, ?, ?, ?, 1)
                ON CONFLICT DO UPDATE SET lastFailure = excluded.lastFailure, failure = excluded.failure,
                nextTry = excluded.nextTry, failures = failures + 1, paused = NULL
                """, key + [.text(message), .time(nextTry)])
        case .paused(let planned, let held):
            try database.run(
                """
                INSERT INTO bundles (manifest, bundle, paused, plannedBytes, heldBytes, failures) VALUES (?, ?, ?, ?, ?, 0)
                ON CONFLICT DO UPDATE SET paused = excluded.paused, plannedBytes = excluded.plannedBytes,
                heldBytes = excluded.heldBytes
                """, key + [.integer(planned), .integer(held)])
        }
    }

    /// What is known of a manifest's bundles.
    package func bundles(of manifest: ContentID) throws(LibraryError) -> [ContentID: BundleRecord] {
        try use { database throws(SQLiteError) in
            var bundles: [ContentID: BundleRecord] = [:]
            try database.run(
                "SELECT bundle, \(BundleRecord.columns) FROM bundles WHERE manifest = ?", [.id(manifest)]
            ) { row in
                if let bundle = ContentID(row.text(0)) { bundles[bundle] = BundleRecord(row) }
            }
            return bundles
        }
    }

    /// Forgets bundles of a manifest that it doesn't list any more: nobody will ever hear of them again.
    package func forgetBundles(of manifest: ContentID, unless isListed: (ContentID) -> Bool) throws(LibraryError) {
        let gone = try bundles(of: manifest).keys.filter { !isListed($0) }
        guard !gone.isEmpty else { return }
        try useInTransaction { database throws(SQLiteError) in
            for bundle in gone {
                try database.run(
                    "DELETE FROM bundles WHERE manifest = ? AND bundle = ?", [.id(manifest), .id(bundle)])
            }
        }
    }

    /// The manifests of which any bundle is known.
    package func knownManifests() throws(LibraryError) -> Set<ContentID> {
        try use { database throws(SQLiteError) in
            var manifests: Set<ContentID> = []
            try database.run("SELECT DISTINCT manifest FROM bundles") { row in
                if let manifest = ContentID(row.text(0)) { manifests.insert(manifest) }
            }
            return manifests
        }
    }

    /// Forgets all of a manifest but the highest serial that was published of it.
    package func forget(_ manifest: ContentID) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            try database.run(
                "DELETE FROM waits WHERE source IN (SELECT source FROM sources WHERE manifest = ?)", [.id(manifest)])
            for table in ["bundles", "sources"] {
                try database.run("DELETE FROM \(table) WHERE manifest = ?", [.id(manifest)])
            }
        }
    }

    // MARK: Publications

    /// Notes what a publication carried: the serial of each manifest that it set.
    package func recordPublication(
        _ generation: GenerationNumber, serials: [ContentID: Int]
    ) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            for (manifest, serial) in serials {
                try database.run(
                    """
                    INSERT INTO manifests (manifest, highestSerial) VALUES (?, ?)
                    ON CONFLICT DO UPDATE SET highestSerial = max(highestSerial, excluded.highestSerial)
                    """, [.id(manifest), .integer(serial)])
            }
            try database.run("UPDATE publication SET generation = max(generation, ?)", [.integer(generation.value)])
        }
    }

    /// The highest serial that was ever published for a manifest; nil when none was.
    package func highestSerial(of manifest: ContentID) throws(LibraryError) -> Int? {
        try use { database throws(SQLiteError) in
            var serial: Int?
            try database.run("SELECT highestSerial FROM manifests WHERE manifest = ?", [.id(manifest)]) { row in
                serial = Int(row.integer(0))
            }
            return serial
        }
    }

    /// The newest generation that was recorded; 0 when none was.
    func recordedGeneration() throws(LibraryError) -> Int {
        try use { database throws(SQLiteError) in
            var generation = 0
            try database.run("SELECT generation FROM publication") { generation = Int($0.integer(0)) }
            return generation
        }
    }

    // MARK: Access

    func use<Result: Sendable>(
        _ body: (SQLiteDatabase) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        try library.checkPlace()
        do {
            return try database.withLock { database throws(SQLiteError) in try body(database) }
        } catch { throw LibraryError(error) }
    }

    func useInTransaction(_ body: (SQLiteDatabase) throws(SQLiteError) -> Void) throws(LibraryError) {
        try use { database throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in try body(database) }
        }
    }
}

extension LibraryError {
    init(_ error: SQLiteError) {
        if error.isNoSpace {
            self.init(.noSpace, "can't write \(error.message); free some space there, the next run carries on")
        } else {
            self.init(.indexUnusable, "can't use \(error.message); it is only an index and may be removed")
        }
    }
}

extension SQLiteValue {
    static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }
    static func integer(_ value: Int32) -> SQLiteValue { .integer(Int64(value)) }
    static func time(_ time: Timestamp) -> SQLiteValue { .integer(time.seconds) }
    static func id(_ id: ContentID) -> SQLiteValue { .text(id.description) }
}
