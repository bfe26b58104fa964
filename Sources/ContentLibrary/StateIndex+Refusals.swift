import Platform

/// That the manifest at some place can't be followed, run after run.
package struct RefusalRecord: Hashable, Sendable {
    /// Why, the last time, in a line that names the place.
    package let reason: String
    /// When it was found so first, and last.
    package let since: Timestamp
    package let last: Timestamp
}

extension StateIndex {
    /// A place that nobody has asked for this long is nobody's any more.
    private static let keptRefusalSeconds: Int64 = 30 * 86_400

    /// The places whose manifests can't be followed, those that have been so for longest first.
    package func refusals() throws(LibraryError) -> [RefusalRecord] {
        try use { database throws(SQLiteError) in
            var records: [RefusalRecord] = []
            try database.run("SELECT reason, since, last FROM refusals ORDER BY since, source") { row in
                records.append(
                    RefusalRecord(
                        reason: row.text(0), since: row.time(1),
                        last: row.time(2)))
            }
            return records
        }
    }

    static func write(
        refusals: [SHA256Digest: String?], at time: Timestamp, in database: SQLiteDatabase
    ) throws(SQLiteError) {
        for (source, reason) in refusals {
            guard let reason else {
                try database.run("DELETE FROM refusals WHERE source = ?", [.digest(source)])
                continue
            }
            try database.run(
                """
                INSERT INTO refusals (source, reason, since, last) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET reason = excluded.reason, last = excluded.last
                """,
                [.digest(source), .text(reason), .time(time), .time(time)])
        }
        try database.run(
            "DELETE FROM refusals WHERE last < ?",
            [.time(Timestamp(seconds: time.seconds &- keptRefusalSeconds))])
    }
}
