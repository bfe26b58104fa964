import Platform

/// What was fetched in which month, and single numbers that outlive a run.
extension StateIndex {
    /// How many months are remembered.
    private static let keptMonths = 24

    /// Body bytes that were received in a month, `2026-11`; nil where the index knows nothing of it.
    package func fetchedBytes(inMonth month: String) throws(LibraryError) -> Int64? {
        try use { database throws(SQLiteError) in
            var bytes: Int64?
            try database.run("SELECT bytes FROM months WHERE month = ?", [.text(month)]) { row in
                bytes = max(0, row.integer(0))
            }
            return bytes
        }
    }

    /// Adds to what was received in a month.
    package func add(fetchedBytes bytes: Int64, inMonth month: String) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            try database.run(
                "INSERT INTO months VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes",
                [.text(month), .integer(max(0, bytes))])
            try database.run(
                "DELETE FROM months WHERE month NOT IN (SELECT month FROM months ORDER BY month DESC LIMIT ?)",
                [.integer(Self.keptMonths)])
        }
    }

    /// When the first run began that is remembered; nil for none.
    package func firstRun() throws(LibraryError) -> Timestamp? {
        try use { database throws(SQLiteError) in
            var time: Timestamp?
            try database.run("SELECT min(started) FROM runs") { row in
                time = row.optionalTime(0)
            }
            return time
        }
    }

    /// A number that outlives a run.
    package enum Fact: String, Sendable {
        /// The time, in seconds, that the clock showed at the last run.
        case lastTime
        /// The generation whose changes were told to whoever asked to be told.
        case announcedGeneration
    }

    package func value(of fact: Fact) throws(LibraryError) -> Int64? {
        try use { database throws(SQLiteError) in
            var value: Int64?
            try database.run("SELECT value FROM facts WHERE name = ?", [.text(fact.rawValue)]) {
                value = $0.integer(0)
            }
            return value
        }
    }

    package func set(_ fact: Fact, to value: Int64) throws(LibraryError) {
        try use { database throws(SQLiteError) in try Self.set(fact, to: value, in: database) }
    }

    static func set(_ fact: Fact, to value: Int64, in database: SQLiteDatabase) throws(SQLiteError) {
        try database.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", [.text(fact.rawValue), .integer(value)])
    }
}

extension Library {
    /// What was put into the store since a moment, and what is in the folder of unfinished downloads: all that is left to tell how much was
    /// fetched when the index is lost. Of archives it is what they unpacked to; rather too much than too little.
    package func estimatedFetchedBytes(since isRecent: (Timestamp) -> Bool) -> Int64 {
        var bytes: Int64 = 0
        func add(_ more: Int64) {
            let (sum, overflow) = bytes.addingReportingOverflow(max(0, more))
            bytes = overflow ? .max : sum
        }
        try? forEachStoredBundle { bundle, directory throws(SystemError) in
            for name in ((try? directory.names()) ?? []).compactMap({ StoreName($0.bytes) }) {
                let content = try? store.open(StoreAddress(bundle: bundle, name: name))
                guard let header = content?.header, isRecent(header.origin.created) else { continue }
                add(header.contentBytes)
            }
        }
        for name in (try? partial.names()) ?? [] {
            guard let status = try? partial.status(of: name), isRecent(status.modified) else { continue }
            add(status.sizeBytes)
        }
        return bytes
    }
}
