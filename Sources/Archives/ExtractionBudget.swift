/// How much of the policy's limits an unpacking has used.
struct ExtractionBudget {
    private let limits: ExtractionPolicy.Limits
    private var entries = 0
    private(set) var totalBytes: Int64 = 0

    /// Below this much output a high ratio is fine.
    private static let ratioFloorBytes: Int64 = 64 << 20

    init(_ limits: ExtractionPolicy.Limits) { self.limits = limits }

    mutating func countEntry() throws(ArchiveError) {
        entries += 1
        guard entries <= limits.entries else {
            throw ArchiveError(.limitExceeded, "there are more entries than the limit of \(limits.entries)")
        }
    }

    /// Takes `bytes` more of output.
    /// - Parameters:
    ///   - entryBytes: what this entry has come to, these bytes included.
    ///   - inputBytes: how much of the archive they and all before came from.
    mutating func charge(_ bytes: Int64, entryBytes: Int64, inputBytes: Int64) throws(ArchiveError) {
        guard entryBytes <= limits.entryBytes else {
            throw ArchiveError(.limitExceeded, "is longer than the limit of \(limits.entryBytes) bytes")
        }
        let (total, overflow) = totalBytes.addingReportingOverflow(bytes)
        guard !overflow, total <= limits.totalBytes else {
            throw ArchiveError(.limitExceeded, "all files together exceed the limit of \(limits.totalBytes) bytes")
        }
        totalBytes = total
        guard total <= Self.ratioFloorBytes || total / max(1, limits.ratio) <= inputBytes else {
            throw ArchiveError(
                .limitExceeded, "expands to more than \(limits.ratio) times the archive's bytes")
        }
    }
}
