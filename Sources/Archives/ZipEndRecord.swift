/// What ends a zip archive and says where its central directory is (APPNOTE 4.3.14 to 4.3.16).
struct ZipEndRecord: Hashable {
    /// Where the record itself begins, the ZIP64 one if there is one: the directory can't reach beyond.
    let offset: Int64
    /// Where the central directory really begins, prefix data included.
    let directoryOffset: Int64
    let directoryBytes: Int64
    let entryCount: Int64
    /// What has to be added to every offset in the archive: the length of what was put before it without correcting them.
    let prefixBytes: Int64
    /// Bytes behind the end record and its comment.
    let trailingBytes: Int64
    /// A directory stands both straight before the record and where the offset literally says.
    let isPlaceAmbiguous: Bool
}

extension ZipEndRecord {
    static let signature: UInt32 = 0x0605_4b50
    static let fixedBytes = 22
    static let directorySignature: UInt32 = 0x0201_4b50

    /// Finds the one end record of `source`; an archive in which two tools could find different ones is refused.
    static func find(in source: any ByteSource) throws(ArchiveError) -> ZipEndRecord {
        let window = SourceWindow(source, readAheadBytes: 128)
        var meant: [(candidate: ZipEndCandidate, record: ZipEndRecord)] = []
        var lastProblem = ArchiveError(
            .malformed, "no end of central directory record: no zip archive, or cut short")
        for candidate in try ZipEndCandidate.all(in: source) {
            // A signature whose pointers lead to no directory is text in a comment, or noise.
            do throws(ArchiveError) { meant.append((candidate, try candidate.locate(in: window))) } catch {
                if error.code == .unreadable { throw error }
                lastProblem = error
            }
        }
        guard let (chosen, record) = meant.last else { throw lastProblem }
        guard chosen.endOffset <= source.lengthBytes else {
            throw ArchiveError(
                .malformed, "the comment of the end record reaches beyond the end of the file",
                offsetBytes: chosen.offset)
        }
        guard !record.isPlaceAmbiguous else {
            throw ArchiveError(.malformed, "two places could be its central directory", offsetBytes: chosen.offset)
        }
        for (other, itsRecord) in meant.dropLast() {
            // An archive that is stored in this one ends before this one's directory; two records may also name the same directory.
            let isNested = other.endOffset <= chosen.offset && other.offset < record.directoryOffset
            guard isNested || itsRecord.namesSameDirectory(as: record) else {
                throw ArchiveError(
                    .malformed,
                    "more than one end record could be meant: at offsets \(other.offset) and \(chosen.offset)",
                    offsetBytes: chosen.offset)
            }
        }
        return record
    }

    private func namesSameDirectory(as other: ZipEndRecord) -> Bool {
        (directoryOffset, directoryBytes, entryCount, prefixBytes)
            == (other.directoryOffset, other.directoryBytes, other.entryCount, other.prefixBytes)
    }
}
