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
        let doublings = min(max(0, failureCount - 1), 16)
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
                record = DistrustRecord(
                    failureCount: Int(row.integer(0)), lastFailure: Timestamp(seconds: row.integer(1)))
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

    /// How many sources of anything are known to have sent other bytes.
    package func distrustedSourceCount() throws(LibraryError) -> Int {
        try use { database throws(SQLiteError) in
            var count = 0
            try database.run("SELECT count(DISTINCT source) FROM distrust") { count = Int($0.integer(0)) }
            return count
        }
    }

    // MARK: Without a digest

    /// What a source said of a file without a digest that could not be used; nil for nothing.
    /// - Parameter source: a digest of its URL, which may hold secrets.
    package func rejectedValidator(of source: SHA256Digest) throws(LibraryError) -> String? {
        try use { database throws(SQLiteError) in
            var validator: String?
            try database.run("SELECT validator FROM rejections WHERE source = ?", [.digest(source)]) { row in
                validator = row.text(0)
            }
            return validator
        }
    }

    /// Notes that a file couldn't be used; nil: that it could, after all.
    package func setRejectedValidator(
        _ validator: String?, of source: SHA256Digest, at time: Timestamp = .now
    ) throws(LibraryError) {
        try useInTransaction { database throws(SQLiteError) in
            guard let validator else {
                return try database.run("DELETE FROM rejections WHERE source = ?", [.digest(source)])
            }
            try database.run(
                "INSERT OR REPLACE INTO rejections VALUES (?, ?, ?)", [.digest(source), .text(validator), .time(time)])
            try database.run(
                "DELETE FROM rejections WHERE source NOT IN (SELECT source FROM rejections ORDER BY time DESC LIMIT ?)",
                [.integer(Self.keptDistrusted)])
        }
    }
}
