/// How much of the policy's limits an unpacking has used.
struct ExtractionBudget {
    private let limits: ExtractionPolicy.Limits
    private var entries = 0
    private(set) var totalBytes: Int64 = 0

    init(_ limits: ExtractionPolicy.Limits) { self.limits = limits }

    mutating func countEntry() throws(ArchiveError) {
        entries += 1
        guard entries <= limits.entries else {
            throw ArchiveError(.limitExceeded, "there are more entries than the limit of \(limits.entries)")
        }
    }

    /// Takes a piece of output.
    mutating func charge(_ piece: FileWriter.Piece) throws(ArchiveError) {
        guard piece.fileBytes <= limits.entryBytes else {
            throw ArchiveError(.limitExceeded, "is longer than the limit of \(limits.entryBytes) bytes")
        }
        let (total, overflow) = totalBytes.addingReportingOverflow(piece.bytes)
        guard !overflow, total <= limits.totalBytes else {
            throw ArchiveError(.limitExceeded, "all files together exceed the limit of \(limits.totalBytes) bytes")
        }
        totalBytes = total
    }
}

/// How much comes out of an archive's bytes, whoever wants it: what is passed over was decompressed nevertheless.
struct Expansion {
    private let limits: ExtractionPolicy.Limits
    private var bytes: Int64 = 0

    init(_ limits: ExtractionPolicy.Limits) { self.limits = limits }

    /// Takes a piece of output.
    /// - Parameter inputBytes: how much of the archive it and all before came from.
    mutating func charge(_ count: Int64, inputBytes: Int64) throws(ArchiveError) {
        let (sum, overflow) = bytes.addingReportingOverflow(count)
        bytes = sum
        guard !overflow, bytes <= limits.ratioFloorBytes || bytes / max(1, limits.ratio) <= inputBytes else {
            throw ArchiveError(.limitExceeded, "expands to more than \(limits.ratio) times the archive's bytes")
        }
    }
}
