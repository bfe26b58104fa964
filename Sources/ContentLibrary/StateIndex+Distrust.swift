import Platform

/// How often a source sent other bytes than the ones asked for.
package struct DistrustRecord: Hashable, Sendable {
    package let failureCount: Int
    package let lastFailure: Timestamp

    /// Six hours after the first time, twice as long after each further one, a week at most.
    private static let delays: (first: Int64, longest: Int64) = (6 * 3_600, 7 * 86_400)

    package init(failureCount: Int, lastFailure: Timestamp) {
        self.failureCount = failureCount
        self.lastFailure = lastFailure
    }

    /// When the source may be asked again.
    package var nextTry: Timestamp {
        let doublings = min(max(1, failureCount) - 1, 16)
        return Timestamp(
            seconds: lastFailure.seconds &+ min(Self.delays.first << Int64(doublings), Self.delays.longest))
    }

    /// Whether the source had better not be asked yet. A failure in the future is of a clock that was wrong, and holds nobody back.
    package func holdsBack(at now: Timestamp) -> Bool { now < nextTry && lastFailure.seconds <= now.seconds &+ 86_400 }
}

extension StateIndex {
    /// How many sources are remembered.
    private static let keptDistrusted = 1_000

    /// What is known against a source of what should have a digest; nil for nothing.
    /// - Parameter source: a digest of its URL, which may hold secrets.
    package func distrust(
        of source: SHA256Digest, for wanted: SHA256Digest
    ) throws(LibraryError) -> DistrustRecord? {
        try use { database throws(SQLiteError) in
            var record: DistrustRecord?
            try database.run(
                "SELECT failures, lastFailure FROM distrust WHERE source = ? AND sha256 = ?",
                [.digest(source), .digest(wanted)]
            ) { row in
                record = DistrustRecord(row, from: 0)
            }
            return record
        }
    }

    /// Notes that a source sent other bytes than those of a digest.
    package func noteWrongBytes(
        from source: SHA256Digest, insteadOf wanted: SHA256Digest, at time: Timestamp = .now
    ) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            try database.run(
                """
                INSERT INTO distrust VALUES (?, ?, 1, ?)
                ON CONFLICT DO UPDATE SET failures = failures + 1, lastFailure = excluded.lastFailure
                """, [.digest(source), .digest(wanted), .time(time)])
            try database.run(
                """
                DELETE FROM distrust WHERE (source, sha256) NOT IN
                (SELECT source, sha256 FROM distrust ORDER BY lastFailure DESC LIMIT ?)
                """, [.integer(Self.keptDistrusted)])
        }
    }

    /// How many sources had better not be asked yet for something.
    package func distrustedSourceCount(at now: Timestamp) throws(LibraryError) -> Int {
        try use { database throws(SQLiteError) in
            var sources: Set<String> = []
            try database.run("SELECT source, failures, lastFailure FROM distrust") { row in
                if DistrustRecord(row, from: 1).holdsBack(at: now) { sources.insert(row.text(0)) }
            }
            return sources.count
        }
    }

    // MARK: Without a digest

    /// What is known of a file without a digest that could not be used; nil for nothing.
    /// - Parameters:
    ///   - source: a digest of its URL, which may hold secrets.
    ///   - use: a digest of what was to be done with it.
    package func rejection(
        of source: SHA256Digest, for use: SHA256Digest
    ) throws(LibraryError) -> RejectionRecord? {
        try self.use { database throws(SQLiteError) in
            var record: RejectionRecord?
            try database.run(
                "SELECT validator, failures, lastFailure FROM rejections WHERE source = ? AND sha256 = ?",
                [.digest(source), .digest(use)]
            ) { row in
                record = RejectionRecord(validator: row.text(0), distrust: DistrustRecord(row, from: 1))
            }
            return record
        }
    }

    /// Notes that a file couldn't be used. Another version of it is judged anew.
    package func noteRejection(
        of validator: String, from source: SHA256Digest, for use: SHA256Digest, at time: Timestamp = .now
    ) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            try database.run(
                """
                INSERT INTO rejections VALUES (?, ?, ?, 1, ?)
                ON CONFLICT DO UPDATE SET failures = iif(validator = excluded.validator, failures + 1, 1),
                validator = excluded.validator, lastFailure = excluded.lastFailure
                """, [.digest(source), .digest(use), .text(validator), .time(time)])
            try database.run(
                """
                DELETE FROM rejections WHERE (source, sha256) NOT IN
                (SELECT source, sha256 FROM rejections ORDER BY lastFailure DESC LIMIT ?)
                """, [.integer(Self.keptDistrusted)])
        }
    }

    /// Notes that a file could be used, after all.
    package func removeRejection(of source: SHA256Digest, for use: SHA256Digest) throws(LibraryError) {
        try self.use { database throws(SQLiteError) in
            try database.run(
                "DELETE FROM rejections WHERE source = ? AND sha256 = ?", [.digest(source), .digest(use)])
        }
    }
}

/// A version of a file without a digest that could not be used.
package struct RejectionRecord: Hashable, Sendable {
    /// What the source said of it.
    package let validator: String
    /// What came may have been damaged on the way only: then it is worth another try.
    package let distrust: DistrustRecord
}

extension DistrustRecord {
    fileprivate init(_ row: SQLiteRow, from column: Int32) {
        self.init(
            failureCount: row.count(column), lastFailure: row.time(column + 1))
    }
}
