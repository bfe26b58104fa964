import Platform

/// What a zip's directory says of an entry's content.
package struct EntryOutline: Hashable, Sendable {
    fileprivate let method: UInt16
    fileprivate let crc: UInt32
    fileprivate let packedBytes: Int64
    package let sizeBytes: Int64
}

extension EntryOutline {
    init(_ entry: ZipEntry) {
        (method, crc, packedBytes, sizeBytes) = (entry.method, entry.crc, entry.compressedBytes, entry.sizeBytes)
    }
}

/// What the content of a zip's entry follows from: entries that have this in common hold the same, in whatever archive they stand.
package struct EntryProof: Hashable, Sendable {
    package let outline: EntryOutline
    /// Of the entry's bytes as they stand in the archive.
    let packedDigest: SHA256Digest

    private static let scheme = "zip-entry"

    /// For a journal; ``init(_:)`` reads it.
    package var text: String {
        "\(Self.scheme):\(outline.method):\(outline.crc):\(outline.packedBytes):\(outline.sizeBytes):\(packedDigest)"
    }

    init(outline: EntryOutline, packedDigest: SHA256Digest) {
        (self.outline, self.packedDigest) = (outline, packedDigest)
    }

    /// Nil for what is no such text.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == Self.scheme, let method = UInt16(parts[1]), let crc = UInt32(parts[2]),
            let packedBytes = Int64(parts[3]), let sizeBytes = Int64(parts[4]),
            let digest = SHA256Digest(lowercaseHex: String(parts[5]))
        else { return nil }
        outline = EntryOutline(method: method, crc: crc, packedBytes: packedBytes, sizeBytes: sizeBytes)
        packedDigest = digest
    }
}

/// Files that were made of a zip's entries before, and what this unpacking makes. The closures are called by several threads at once.
package struct EntryJournal: Sendable {
    /// Whether such a file may be there. If not, nobody has to read the entry for that.
    let mayHold: @Sendable (EntryOutline) -> Bool
    /// Puts the file at a path where nothing is yet, and tells its digest; nil, with nothing done, when there is none.
    let take: @Sendable (EntryProof, RelativePath) -> SHA256Digest?
    /// Told of each file that is complete, but for those that were taken.
    let note: @Sendable (EntryProof, RelativePath, SHA256Digest) -> Void

    package init(
        mayHold: @escaping @Sendable (EntryOutline) -> Bool,
        take: @escaping @Sendable (EntryProof, RelativePath) -> SHA256Digest?,
        note: @escaping @Sendable (EntryProof, RelativePath, SHA256Digest) -> Void
    ) {
        (self.mayHold, self.take, self.note) = (mayHold, take, note)
    }
}
