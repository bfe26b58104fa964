import Glibc
import Platform
import Transfer

/// A partial file under one try's hands: what of it can be believed, the bytes that join it, its running digest, and the record that keeps pace.
///
/// A record never stands beside bytes it doesn't describe: before the first byte of another version is written the old record is gone, and what
/// a record calls flushed was flushed before the record was written.
final class PartialWriter {
    let partial: PartialFile
    private let plan: AttemptPlan

    /// Where the next byte goes: all before it are held.
    private(set) var positionBytes: Int64 = 0
    var totalBytes: Int64?
    /// What the held bytes are; nil when nothing is held that could be gone on with.
    private(set) var record: ResumeData?
    /// Whether there is a record on the disk, be it readable or not, ours or not.
    private var hasRecordOnDisk: Bool
    private let hasher: SHA256?
    private var lastCheckpoint = ContinuousClock.now
    /// Whether the file is as this try left it, no longer as it was found.
    private(set) var isTouched = false

    /// A download that is this small is never paused: its record would cost more than fetching it again.
    private static let smallBytes: Int64 = 256 << 10
    /// Bytes older than this are flushed, and the record says so: what a power loss may cost.
    private static let checkpointInterval: Duration = .seconds(10)

    /// Opens the file and looks at what is there. Nothing is changed yet: the server may not answer at all.
    init(_ location: PartialFile.Location, plan: AttemptPlan) throws(AttemptFailure) {
        self.plan = plan
        hasher = plan.takesDigest ? SHA256() : nil
        do throws(DownloadError) { partial = try PartialFile(location) } catch { throw AttemptFailure(error, .giveUp) }
        do throws(SystemError) {
            let found = try partial.readRecord()
            hasRecordOnDisk = found != .none
            if case .readable(let record) = found, plan.trust(in: record) != .none {
                let held = record.believableBytes(
                    fileBytes: try partial.file.status().sizeBytes, bootID: BootIdentity.current)
                if held <= record.totalBytes ?? plan.expectedBytes ?? .max {
                    positionBytes = held
                    self.record = record
                }
            }
        } catch {
            throw AttemptFailure(error)
        }
        totalBytes = record?.totalBytes ?? plan.expectedBytes
    }

    /// What a reply is judged by.
    var resumePoint: ResumePoint {
        ResumePoint(
            heldBytes: positionBytes, record: record, trust: record.map { plan.trust(in: $0) } ?? .none,
            expectedBytes: plan.expectedBytes, isConditional: plan.isConditional)
    }

    /// Whether held bytes must be read before any can join them: the running digest takes them in.
    var mustReadHeld: Bool { hasher != nil && positionBytes > 0 }

    /// Lets the running digest take in what is held. For many gigabytes that takes a while; whoever stops it has no use for this writer's
    /// digest any more.
    /// - Parameter isStopped: asked before each piece.
    func readHeld(isStopped: () -> Bool) throws(SystemError) {
        guard let hasher else { return }
        let count = try hasher.update(from: partial.file, lengthBytes: positionBytes, isStopped: isStopped)
        guard count == positionBytes || isStopped() else {
            throw SystemError(code: EIO, operation: "read", subject: partial.file.name)
        }
    }

    /// What the disk has to take in until the asset is whole; nil where that is unknown, or so little that it is simply tried.
    /// - Parameter startingAnew: what is held goes first.
    func missingBytes(startingAnew: Bool) -> Int64? {
        guard let totalBytes, totalBytes > Self.smallBytes else { return nil }
        guard startingAnew else { return max(0, totalBytes - positionBytes) }
        return max(0, totalBytes - ((try? partial.file.status().allocatedBytes) ?? 0))
    }

    // MARK: Write

    /// Gets ready to go on behind the held bytes, which were read: what lies behind them goes.
    func goOn() throws(SystemError) {
        isTouched = true
        lastCheckpoint = .now
        try partial.file.truncate(to: positionBytes)
    }

    /// Gets ready for the asset from its first byte.
    func startAnew(_ response: TransferResponse) throws(SystemError) {
        isTouched = true
        lastCheckpoint = .now
        // The old record first: it must never stand beside bytes of another version.
        if hasRecordOnDisk { try partial.removeRecord() }
        hasRecordOnDisk = false
        try partial.file.truncate(to: 0)
        positionBytes = 0
        hasher?.reset()
        record = ResumeData(
            url: plan.url.text, finalURL: response.url.text, entityTag: response.strongEntityTag,
            lastModified: response.strongLastModified, totalBytes: totalBytes, contentCoding: response.contentCoding,
            digest: plan.digest, ranges: [0..<0], flushedBytes: 0, bootID: BootIdentity.current)
        if totalBytes ?? .max > Self.smallBytes { try writeRecord() }
    }

    func append(_ body: UnsafeRawBufferPointer) throws(SystemError) {
        hasher?.update(body)
        try partial.file.write(body, at: positionBytes)
        positionBytes += Int64(body.count)
        if ContinuousClock.now - lastCheckpoint >= Self.checkpointInterval { try checkpoint() }
    }

    /// Flushes what is held, and lets the record say so: in this order, so that it never claims what a power loss took.
    private func checkpoint() throws(SystemError) {
        try partial.file.synchronizeData()
        try writeRecord(flushedBytes: positionBytes)
        lastCheckpoint = .now
    }

    /// Writes the record that lets a later try go on, where one could.
    private func writeRecord(flushedBytes: Int64? = nil) throws(SystemError) {
        guard let current = currentRecord(flushedBytes: flushedBytes) else { return }
        try partial.writeRecord(current)
        record = current
        hasRecordOnDisk = true
    }

    /// The record of what is held right now; nil when nobody could go on with it.
    private func currentRecord(flushedBytes: Int64? = nil) -> ResumeData? {
        guard var record, record.canBeResumed else { return nil }
        record.ranges = [0..<positionBytes]
        record.totalBytes = totalBytes
        record.flushedBytes = flushedBytes ?? min(record.flushedBytes, positionBytes)
        record.bootID = BootIdentity.current
        return record
    }

    // MARK: End

    /// Lets go of an unfinished file: its bytes are kept where they can be of use.
    /// - Parameter isWorthless: they can't be.
    /// - Returns: how many bytes a later try can go on with.
    func settle(isWorthless: Bool) -> Int64 {
        let keeps = !isWorthless && positionBytes > 0 && record?.canBeResumed == true
        if keeps {
            // A disk that is full, say, doesn't take a record either; the one that is there still tells the truth.
            if isTouched { try? checkpoint() }
        } else if isTouched || isWorthless || !hasRecordOnDisk {
            try? partial.discard()
        }
        // The lock goes before anybody hears of the end: what follows may be another try with the same file.
        partial.file.unlock()
        return keeps ? positionBytes : 0
    }

    /// The end of a whole file: its digest, where one is taken, and the record that lets it be found whole again.
    func finish() -> (digest: SHA256Digest?, record: ResumeData?) {
        totalBytes = positionBytes
        if hasRecordOnDisk { try? writeRecord() }
        return (hasher?.finalize(), currentRecord())
    }
}
