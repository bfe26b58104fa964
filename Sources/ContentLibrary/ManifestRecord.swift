import Platform

/// What a run knew of a manifest when it ended, so that the next one has less to ask and less to look at.
package struct ManifestRecord: Hashable, Sendable {
    package let manifest: ContentID
    package let serial: Int
    /// Of the exact bytes that were read there: those that are published, unless a pin holds them, or nothing of it could be published so far.
    package let digest: SHA256Digest
    package let expires: Timestamp?
    /// What the server says distinguishes these bytes from later ones; nil for a file, and where it says nothing.
    package var validator: String?
    /// The generation that has all of it, where nobody needs to be asked about any of its bundles; nil where that isn't so.
    package var settled: GenerationNumber?
    /// By which way of planning it is settled: a program with another one looks again.
    package var settledBy: String?
    /// The public key by which exactly these bytes were found to be signed, in the words of whoever keeps keys; nil where nobody asked.
    package var signer: String?
    /// How many bundles it has.
    package let bundleCount: Int
    /// When all that a run was asked for of it was last known to be published and up to date.
    package var lastSuccess: Timestamp?
    /// The same of all of its bundles.
    package var lastComplete: Timestamp?

    package init(
        manifest: ContentID, serial: Int, digest: SHA256Digest, expires: Timestamp?, validator: String? = nil,
        settled: GenerationNumber? = nil, settledBy: String? = nil, signer: String? = nil, bundleCount: Int,
        lastSuccess: Timestamp? = nil,
        lastComplete: Timestamp? = nil
    ) {
        self.manifest = manifest
        self.serial = serial
        self.digest = digest
        self.expires = expires
        self.validator = validator
        self.settled = settled
        self.settledBy = settledBy
        self.signer = signer
        self.bundleCount = bundleCount
        self.lastSuccess = lastSuccess
        self.lastComplete = lastComplete
    }
}

extension StateIndex {
    /// How many places that manifests were read from are remembered.
    private static let keptSources = 1_000

    /// What is known of the manifest that was last read from a place.
    /// - Parameter source: a digest of the place's name, which may hold secrets.
    package func manifest(from source: SHA256Digest) throws(LibraryError) -> ManifestRecord? {
        try use { database throws(SQLiteError) in
            var record: ManifestRecord?
            try database.run(
                "SELECT \(Self.recordColumns) FROM sources WHERE source = ?", [.digest(source)]
            ) { record = ManifestRecord($0) }
            return record
        }
    }

    /// What is known of manifests by what was published of them, wherever it was read from: the places' digests tell nobody anything.
    package func publishedManifests() throws(LibraryError) -> [SHA256Digest: ManifestRecord] {
        try use { database throws(SQLiteError) in
            var records: [SHA256Digest: ManifestRecord] = [:]
            try database.run("SELECT \(Self.recordColumns) FROM sources ORDER BY lastUse") { row in
                if let record = ManifestRecord(row) { records[record.digest] = record }
            }
            return records
        }
    }

    private static let recordColumns =
        "manifest, serial, sha256, expires, validator, settled, settledBy, bundles, lastSuccess, lastComplete, signer"

    static func write(
        _ manifests: [SHA256Digest: ManifestRecord], at time: Timestamp, in database: SQLiteDatabase
    ) throws(SQLiteError) {
        guard !manifests.isEmpty else { return }
        for (source, record) in manifests {
            try noteChange(of: source, to: record.manifest, at: time, in: database)
            try database.run(
                """
                INSERT INTO sources (
                    source, manifest, serial, sha256, expires, validator, settled, settledBy, bundles, lastSuccess,
                    lastComplete, lastUse, signer)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET manifest = excluded.manifest, serial = excluded.serial,
                sha256 = excluded.sha256, expires = excluded.expires, validator = excluded.validator,
                settled = excluded.settled, settledBy = excluded.settledBy,
                bundles = excluded.bundles, lastSuccess = coalesce(
                    excluded.lastSuccess, CASE WHEN manifest = excluded.manifest THEN lastSuccess END),
                lastComplete = coalesce(
                    excluded.lastComplete, CASE WHEN manifest = excluded.manifest THEN lastComplete END),
                lastUse = excluded.lastUse, signer = excluded.signer
                """,
                [
                    .digest(source), .id(record.manifest), .integer(record.serial), .digest(record.digest),
                    .time(record.expires), .text(record.validator), .integer(record.settled?.value),
                    .text(record.settledBy), .integer(record.bundleCount), .time(record.lastSuccess),
                    .time(record.lastComplete), .time(time), .text(record.signer),
                ])
            if record.lastSuccess != nil { try endWait(for: source, in: database) }
        }
        try database.run(
            "DELETE FROM sources WHERE source NOT IN (SELECT source FROM sources ORDER BY lastUse DESC LIMIT ?)",
            [.integer(Self.keptSources)])
    }
}

extension ManifestRecord {
    /// Nil for what no run wrote.
    fileprivate init?(_ row: SQLiteRow) {
        guard let manifest = ContentID(row.text(0)), let digest = SHA256Digest(hex: row.text(2)) else { return nil }
        self.init(
            manifest: manifest, serial: Int(row.integer(1)), digest: digest,
            expires: row.optionalTime(3), validator: row.optionalText(4),
            settled: row.optionalInteger(5).flatMap { GenerationNumber(Int($0)) }, settledBy: row.optionalText(6),
            signer: row.optionalText(10),
            bundleCount: row.count(7), lastSuccess: row.optionalTime(8),
            lastComplete: row.optionalTime(9))
    }
}

extension SQLiteValue {
    static func digest(_ digest: SHA256Digest) -> SQLiteValue { .text(digest.description) }
    static func time(_ time: Timestamp?) -> SQLiteValue { time.map { .time($0) } ?? .null }
    static func integer(_ value: Int?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
    static func text(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
}
