import Platform

/// That the manifest at some place can't be followed, run after run.
package struct RefusalRecord: Hashable, Sendable {
    /// Why, the last time, in a line that names the place.
    package let reason: String
    /// When it was found so first, and last.
    package let since: Timestamp
    package let last: Timestamp
}

/// What became of the manifest at a place.
package struct ManifestFate: Hashable, Sendable {
    /// Which one it was, as far as anybody can tell.
    package let manifest: ContentID?
    /// Why it could not be followed; nil where it could.
    package let refusal: String?

    package init(of manifest: ContentID?, refusal: String? = nil) {
        (self.manifest, self.refusal) = (manifest, refusal)
    }
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
        _ fates: [SHA256Digest: ManifestFate], at time: Timestamp, in database: SQLiteDatabase
    ) throws(SQLiteError) {
        for (source, fate) in fates where fate.refusal == nil {
            try database.run("DELETE FROM refusals WHERE source = ?", [.digest(source)])
            if let manifest = fate.manifest { try forgetRefusals(of: manifest, but: fates, in: database) }
        }
        for (source, fate) in fates {
            guard let reason = fate.refusal else { continue }
            try database.run(
                """
                INSERT INTO refusals (source, reason, since, last, manifest) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET reason = excluded.reason, last = excluded.last,
                manifest = coalesce(excluded.manifest, manifest)
                """,
                [
                    .digest(source), .text(reason), .time(time), .time(time),
                    .text(fate.manifest?.description),
                ])
        }
        try database.run(
            "DELETE FROM refusals WHERE last < ?",
            [.time(Timestamp(seconds: time.seconds &- keptRefusalSeconds))])
    }

    /// A manifest is followed: nobody waits any more for what it was called for elsewhere, unless that was asked for again.
    private static func forgetRefusals(
        of manifest: ContentID, but fates: [SHA256Digest: ManifestFate], in database: SQLiteDatabase
    ) throws(SQLiteError) {
        var sources: [String] = []
        try database.run("SELECT source FROM refusals WHERE manifest = ?", [.id(manifest)]) { row in
            sources.append(row.text(0))
        }
        let asked = Set(fates.keys.map(\.description))
        for source in sources where !asked.contains(source) {
            try database.run("DELETE FROM refusals WHERE source = ?", [.text(source)])
        }
    }

    /// Forgets that a manifest could not be followed, wherever that was.
    /// - Returns: whether there was anything to forget.
    package func forgetRefusals(of manifest: ContentID) throws(LibraryError) -> Bool {
        var count: Int64 = 0
        try useInTransaction { database throws(SQLiteError) in
            try database.run("SELECT count(*) FROM refusals WHERE manifest = ?", [.id(manifest)]) { row in
                count = row.integer(0)
            }
            try database.run("DELETE FROM refusals WHERE manifest = ?", [.id(manifest)])
        }
        return count > 0
    }
}
