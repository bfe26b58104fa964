import Platform

/// When stored content was last held against its receipt, and what was found. Lost, the next verification begins anew, and what it finds
/// damaged is known again.
extension StateIndex {
    /// What is known of all content.
    package func verifications() throws(LibraryError) -> [StoreAddress: VerificationRecord] {
        try use { database throws(SQLiteError) in
            var records: [StoreAddress: VerificationRecord] = [:]
            try database.run("SELECT manifest, bundle, name, time, position, damage FROM verifications") { row in
                guard let address = StoreAddress(row) else { return }
                records[address] = VerificationRecord(
                    time: row.optionalTime(3),
                    position: row.optionalText(4).flatMap(Hexadecimal.decode).flatMap { try? RelativePath($0) },
                    damage: row.optionalText(5))
            }
            return records
        }
    }

    /// The content that was found damaged, and hasn't been mended since.
    package func damagedContents() throws(LibraryError) -> Set<StoreAddress> {
        try use { database throws(SQLiteError) in
            var addresses: Set<StoreAddress> = []
            try database.run("SELECT manifest, bundle, name FROM verifications WHERE damage IS NOT NULL") { row in
                if let address = StoreAddress(row) { addresses.insert(address) }
            }
            return addresses
        }
    }

    /// Notes what is known of content by now, all in one step.
    package func record(_ verifications: [StoreAddress: VerificationRecord]) throws(LibraryError) {
        guard !verifications.isEmpty else { return }
        try useInTransaction { database throws(SQLiteError) in
            for (address, record) in verifications {
                try database.run(
                    "INSERT OR REPLACE INTO verifications VALUES (?, ?, ?, ?, ?, ?)",
                    address.key + [
                        record.time.map(SQLiteValue.time) ?? .null,
                        record.position.map { .text(Hexadecimal.encode($0.bytes)) } ?? .null,
                        record.damage.map(SQLiteValue.text) ?? .null,
                    ])
            }
        }
    }

    /// Forgets content that is gone.
    package func forgetVerifications(of gone: some Collection<StoreAddress>) throws(LibraryError) {
        guard !gone.isEmpty else { return }
        try useInTransaction { database throws(SQLiteError) in
            for address in gone {
                try database.run(
                    "DELETE FROM verifications WHERE manifest = ? AND bundle = ? AND name = ?", address.key)
            }
        }
    }
}

/// What is known of content at rest.
package struct VerificationRecord: Hashable, Sendable {
    /// When all of it had been looked at; nil: never yet.
    package var time: Timestamp?
    /// How far a look that was cut short had come: it goes on behind this path.
    package var position: RelativePath?
    /// What was found first, in a line; nil where nothing was.
    package var damage: String?

    package init(time: Timestamp? = nil, position: RelativePath? = nil, damage: String? = nil) {
        (self.time, self.position, self.damage) = (time, position, damage)
    }
}

extension StoreAddress {
    fileprivate var key: [SQLiteValue] { [.id(bundle.manifest), .id(bundle.bundle), .text(name.description)] }

    /// From the first three columns.
    fileprivate init?(_ row: SQLiteRow) {
        guard let manifest = ContentID(row.text(0)), let bundle = ContentID(row.text(1)),
            let name = StoreName(row.text(2).utf8)
        else { return nil }
        self.init(bundle: BundleAddress(manifest: manifest, bundle: bundle), name: name)
    }
}

extension Library {
    /// The index, for whoever has no lock, to be noted in where that is possible: one that is missing, damaged, or of another version is nil; to
    /// one on a read-only disk, or of another user, nothing can be written, and each attempt fails.
    package func openStateIndexForNotes() -> StateIndex? {
        guard let status = try? internals.status(of: LibraryLayout.stateIndex), status.kind == .file,
            // Asked to write, SQLite opens for reading where that is all there is.
            let database = try? SQLiteDatabase(path: stateIndexPath), (try? StateSchema.isCurrent(database)) == true
        else { return nil }
        return StateIndex(database, of: self)
    }
}
