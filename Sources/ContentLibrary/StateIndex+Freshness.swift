import Platform

/// How long what was asked for has been waited for. A place of which nothing has come so far is waited for since it was first asked, and one that
/// has another manifest by now since that was noticed.
extension StateIndex {
    /// How many such places are remembered: beyond these the oldest are forgotten, and no --max-age speaks up for them any more.
    private static let keptWaits = 20_000

    /// When all that was asked for of the manifest at a place was last up to date; where it never was, since when it is waited for. Nil where
    /// nobody knows.
    package func freshness(of source: SHA256Digest) throws(LibraryError) -> Timestamp? {
        try use { database throws(SQLiteError) in
            var time: Timestamp?
            try database.run(
                """
                SELECT coalesce((SELECT lastSuccess FROM sources WHERE source = ?1),
                (SELECT since FROM waits WHERE source = ?1))
                """, [.digest(source)]
            ) { row in time = row.optionalTime(0) }
            return time
        }
    }

    /// Notes that places are waited for from now on, unless more is known of them.
    package func noteWaits(for sources: [SHA256Digest], at time: Timestamp) throws(LibraryError) {
        var unknown: [SHA256Digest] = []
        for source in sources where try freshness(of: source) == nil { unknown.append(source) }
        guard !unknown.isEmpty else { return }
        try useInTransaction { database throws(SQLiteError) in
            for source in unknown {
                try database.run("INSERT OR REPLACE INTO waits VALUES (?, ?)", [.digest(source), .time(time)])
            }
            try database.run(
                "DELETE FROM waits WHERE source NOT IN (SELECT source FROM waits ORDER BY since DESC LIMIT ?)",
                [.integer(Self.keptWaits)])
        }
    }

    /// A place that has another manifest than it had is waited for anew.
    static func noteChange(
        of source: SHA256Digest, to manifest: ContentID, at time: Timestamp, in database: SQLiteDatabase
    ) throws(SQLiteError) {
        try database.run(
            "INSERT OR REPLACE INTO waits SELECT source, ? FROM sources WHERE source = ? AND manifest <> ?",
            [.time(time), .digest(source), .id(manifest)])
    }

    static func endWait(for source: SHA256Digest, in database: SQLiteDatabase) throws(SQLiteError) {
        try database.run("DELETE FROM waits WHERE source = ?", [.digest(source)])
    }
}
