import Archives
import ContentLibrary
import Platform

/// Entries of a zip archive on their way from one run to the next: those that runs which were cut short had unpacked, and those that this one does.
///
/// A file is taken for an entry only where the entry's bytes, as they are here now, have the digest of those that the file was made of, and the file
/// still has the digest of what was made. So it doesn't matter whose bytes they were, nor what of all that a loss of power left on the disk.
struct StagedEntries: Sendable {
    private let staging: Staging
    private let salvage: Salvage?
    private let known: [EntryProof: Receipt.Source]
    private let outlines: Set<EntryOutline>
    private let control: RunControl

    init(_ salvage: Salvage?, in staging: Staging, _ control: RunControl) {
        let entries = (salvage?.sources ?? []).compactMap { source in EntryProof(source.url).map { ($0, source) } }
        known = Dictionary(entries, uniquingKeysWith: { $1 })
        outlines = Set(known.keys.map(\.outline))
        (self.salvage, self.staging, self.control) = (salvage, staging, control)
    }

    var journal: EntryJournal {
        EntryJournal(
            mayHold: outlines.contains,
            take: { proof, path in
                control.noteActivity()
                return take(proof, to: path)
            },
            note: { proof, path, digest in
                // Where it can't be noted, the next run unpacks it again.
                try? note(proof, digest, at: path)
            })
    }

    private func take(_ proof: EntryProof, to path: RelativePath) -> SHA256Digest? {
        guard let salvage, let source = known[proof], source.sizeBytes == proof.outline.sizeBytes else { return nil }
        // First: a file that is there and that nobody knows of is lost.
        guard (try? note(proof, source.sha256, at: path)) != nil,
            (try? salvage.take(
                source.sha256, sizeBytes: source.sizeBytes, to: path, in: staging, isToBeChanged: true,
                isStopped: { control.reason != nil })) == true
        else { return nil }
        return source.sha256
    }

    private func note(_ proof: EntryProof, _ digest: SHA256Digest, at path: RelativePath) throws(SystemError) {
        let source = Receipt.Source(url: proof.text, sizeBytes: proof.outline.sizeBytes, sha256: digest)
        try staging.note(source, at: path)
    }
}

extension Salvage {
    /// How many bytes of an archive's content may be here unpacked.
    var unpackedBytes: Int64 {
        let entries = sources.compactMap { source in EntryProof(source.url).map { ($0, source) } }
        // Each run that was cut short may have noted the same, and the next one has taken the file.
        return Dictionary(entries, uniquingKeysWith: { $1 }).values.reduce(0) { sum, source in
            mayHold(source) ? sum.addingClamped(max(0, source.sizeBytes)) : sum
        }
    }
}
