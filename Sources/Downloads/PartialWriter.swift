import Glibc
import Platform
import Transfer

/// A partial file under one try's hands: what of it can be believed, the bytes that join it, its running digest, and the record that keeps pace.
///
/// A record never stands beside bytes it doesn't describe: before the first byte of another version is written the old record is gone, before the
/// first byte is written beyond a gap the record says that the file may have holes, and what a record calls flushed was flushed before the record
/// was written.
final class PartialWriter: Sendable {
    let partial: PartialFile
    private let plan: AttemptPlan
    /// What can be gone on with, as it was found.
    let found: ByteRangeSet
    /// Nil where none is taken.
    let digest: FrontierDigest?
    private let ledger: Locked<Ledger>
    /// Held while a record is written, so that an older one never replaces a newer one.
    private let recordOrder = WorkLock()

    private struct Ledger {
        /// What the held bytes are; nil when nothing is held that could be gone on with.
        var record: ResumeData?
        /// Whether there is a record on the disk, be it readable or not, ours or not.
        var hasRecordOnDisk: Bool
        /// Whether the file is as this try left it, no longer as it was found.
        var isTouched = false
        var lastFlush = ContinuousClock.now
        var isFlushing = false
        /// What was written since the record on the disk.
        var unrecordedBytes: Int64 = 0
    }

    /// A download that is this small is never paused: its record would cost more than fetching it again.
    private static let smallBytes: Int64 = 256 << 10
    /// Bytes older than this are flushed, and the record says so: what a power loss may cost.
    private static let flushInterval: Duration = .seconds(10)
    /// What a kill may cost where the file may have holes, and only the record says where.
    private static let recordBytes: Int64 = 2 << 20

    /// Opens the file and looks at what is there. Nothing is changed yet: the server may not answer at all.
    init(_ location: PartialFile.Location, plan: AttemptPlan) throws(AttemptFailure) {
        self.plan = plan
        var partial: PartialFile
        do throws(DownloadError) { partial = try PartialFile(location) } catch { throw AttemptFailure(error, .giveUp) }
        var (found, believed) = (ByteRangeSet(), ResumeData?.none)
        let hasRecordOnDisk: Bool
        do throws(SystemError) {
            let record = try partial.readRecord()
            hasRecordOnDisk = record != .none
            if case .readable(var record) = record, plan.trust(in: record) != .none {
                record.digest = plan.digest ?? record.digest
                let held = partial.believable(by: record)
                if held.upperBound <= record.totalBytes ?? plan.expectedBytes ?? .max {
                    (found, believed) = (held, record)
                }
            }
        } catch {
            throw AttemptFailure(error)
        }
        let isWhole = found.contiguousBytes == believed?.totalBytes ?? plan.expectedBytes
        if !partial.isAlone, found.contiguousBytes > 0, !isWhole || found.upperBound != partial.found.sizeBytes {
            do throws(DownloadError) { partial = try partial.copiedAlone() } catch {
                throw AttemptFailure(error, .giveUp)
            }
        }
        self.partial = partial
        digest = plan.takesDigest ? FrontierDigest(of: partial.file) : nil
        self.found = found
        ledger = Locked(Ledger(record: believed, hasRecordOnDisk: hasRecordOnDisk))
    }

    var record: ResumeData? { ledger.withLock { $0.record } }
    var isTouched: Bool { ledger.withLock { $0.isTouched } }
    /// The asset's length, as far as it is known before anybody is asked.
    var knownTotalBytes: Int64? { record?.totalBytes ?? plan.expectedBytes }

    /// What the first reply is judged by.
    var resumePoint: ResumePoint {
        let held = found.contiguousBytes
        var point = resumePoint(at: held, from: plan.url)
        point.endBytes = found.gaps(in: held..<max(held, found.upperBound)).first?.upperBound
        point.isConditional = plan.condition != nil
        return point
    }

    /// What the reply of a source is judged by that brings bytes from a position on.
    func resumePoint(at position: Int64, from source: TransferURL) -> ResumePoint {
        let record = record
        return ResumePoint(
            heldBytes: position, record: record,
            trust: record.map { plan.trust(in: $0, from: source) } ?? .none, expectedBytes: plan.expectedBytes,
            isProvenByDigest: plan.digest != nil, url: source)
    }

    /// What the disk has to take in until the asset is whole; nil where that is unknown, or so little that it is simply tried.
    /// - Parameter startingAnew: what is held goes first.
    func missingBytes(of totalBytes: Int64?, startingAnew: Bool) -> Int64? {
        guard let totalBytes, totalBytes > Self.smallBytes else { return nil }
        let presentBytes = startingAnew ? (try? partial.file.status().allocatedBytes) ?? 0 : found.countBytes
        return max(0, totalBytes - presentBytes)
    }

    // MARK: Write

    /// Gets ready to go on with what was found.
    func goOn(totalBytes: Int64?) throws(SystemError) {
        let mustRecord = ledger.withLock { ledger in
            begin(&ledger)
            guard var record = ledger.record else { return false }
            // What a record says that an earlier boot wrote, or of another file, is believed only as far as it was flushed, if at all.
            let mustRecord = record.mayHaveHoles || record != written(record)
            record.totalBytes = totalBytes
            record.held = found
            // What was flushed once and is gone may be written again, and isn't flushed then.
            record.flushed = record.flushed.intersection(found)
            record.mayHaveHoles = found.ranges.count > 1
            ledger.record = record
            return mustRecord
        }
        plan.arriving?.begin(partial.file, held: found, totalBytes: totalBytes)
        // What lies behind the held bytes goes. After that the length of a file without holes says what is held, and the record that it does.
        try partial.file.truncate(to: found.upperBound)
        if mustRecord { try writeRecord(held: found) }
    }

    /// Gets ready for the asset from its first byte.
    func startAnew(_ response: TransferResponse, totalBytes: Int64?) throws(SystemError) {
        plan.arriving?.begin(partial.file, held: [], totalBytes: totalBytes)
        let hadRecord = ledger.withLock { ledger in
            begin(&ledger)
            defer { ledger.hasRecordOnDisk = false }
            return ledger.hasRecordOnDisk
        }
        // The old record first: it must never stand beside bytes of another version.
        if hadRecord { try partial.removeRecord() }
        // Most files are new.
        if partial.found.sizeBytes > 0 { try partial.file.truncate(to: 0) }
        digest?.reset()
        let record = ResumeData(
            url: plan.url.text, finalURL: response.url.text, part: plan.part, entityTag: response.strongEntityTag,
            lastModified: response.strongLastModified, totalBytes: totalBytes, contentCoding: response.contentCoding,
            digest: plan.digest, held: ByteRangeSet(), flushed: ByteRangeSet(), mayHaveHoles: false,
            bootID: BootIdentity.current)
        ledger.withLock { $0.record = record }
        if totalBytes ?? .max > Self.smallBytes { try writeRecord(held: ByteRangeSet()) }
    }

    private func begin(_ ledger: inout Ledger) {
        ledger.isTouched = true
        ledger.lastFlush = .now
    }

    /// Before anything is written beyond a gap: from now on nobody takes the file's length for what is held. While only one writes.
    func prepareForHoles(held: ByteRangeSet) throws(SystemError) {
        let isNew = ledger.withLock { ledger in
            defer { ledger.record?.mayHaveHoles = true }
            return ledger.record?.mayHaveHoles == false
        }
        if isNew { try writeRecord(held: held) }
    }

    func write(_ body: UnsafeRawBufferPointer, at position: Int64) throws(SystemError) {
        try partial.file.write(body, at: position)
    }

    private enum Due {
        case nothing, record, flush
    }

    /// Lets the record keep pace with what was written.
    /// - Parameter held: all that is, these bytes included.
    /// - Returns: whether somebody reads the asset's end first, and just now learned so.
    func didWrite(_ countBytes: Int64, held: ByteRangeSet) throws(SystemError) -> Bool {
        let isEndWanted = plan.arriving?.advance(held: held) ?? false
        let due = ledger.withLock { ledger -> Due in
            ledger.unrecordedBytes += countBytes
            if !ledger.isFlushing, ContinuousClock.now - ledger.lastFlush >= Self.flushInterval {
                ledger.isFlushing = true
                return .flush
            }
            let isDue = ledger.record?.mayHaveHoles == true && ledger.unrecordedBytes >= Self.recordBytes
            return isDue ? .record : .nothing
        }
        switch due {
        case .nothing: break
        case .record: try writeRecord(held: held)
        case .flush: try flush(held: held)
        }
        return isEndWanted
    }

    /// Flushes what is held, and lets the record say so: in this order, so that it never claims what a power loss took.
    private func flush(held: ByteRangeSet) throws(SystemError) {
        try partial.file.synchronizeData()
        try writeRecord(held: held, flushed: held)
        ledger.withLock { ledger in
            ledger.lastFlush = .now
            ledger.isFlushing = false
        }
    }

    /// Writes the record that lets a later try go on, where one could.
    private func writeRecord(held: ByteRangeSet, flushed: ByteRangeSet? = nil) throws(SystemError) {
        try recordOrder.perform { () throws(SystemError) in
            let current = ledger.withLock { ledger -> ResumeData? in
                ledger.unrecordedBytes = 0
                guard ledger.record?.canBeResumed == true else { return nil }
                // More may have been recorded meanwhile than was held when this began.
                ledger.record?.held.formUnion(held)
                if let flushed { ledger.record?.flushed = flushed }
                ledger.record = ledger.record.map(written)
                ledger.hasRecordOnDisk = true
                return ledger.record
            }
            if let current { try partial.writeRecord(current) }
        }
    }

    /// A record as this process would write it of this file.
    private func written(_ record: ResumeData) -> ResumeData {
        let birth = partial.file.birth
        var record = record
        (record.bootID, record.file, record.mount) = (BootIdentity.current, birth?.file, birth?.mount)
        return record
    }

    // MARK: End

    /// Whether a whole file ends without a flush, or anything to be read: one that was never split, nor has a record.
    func endsAtOnce(sizeBytes: Int64) -> Bool {
        sizeBytes <= Self.smallBytes && !hasRecordOnDisk
    }

    /// Lets go of an unfinished file: its bytes are kept where they can be of use.
    /// - Parameters:
    ///   - held: what there is of it.
    ///   - isWorthless: it can't be of any.
    /// - Returns: how many bytes a later try can go on with.
    func settle(held: ByteRangeSet, isWorthless: Bool) -> Int64 {
        digest?.stop()
        let state = ledger.withLock { $0 }
        let keeps = !isWorthless && held.contiguousBytes > 0 && state.record?.canBeResumed == true
        if keeps {
            // A disk that is full, say, doesn't take a record either; the one that is there still tells the truth.
            if state.isTouched { try? flush(held: held) }
        } else if state.isTouched || isWorthless && (state.record != nil || !partial.isAlone) || isOfOurMaking(state) {
            try? partial.discard()
        }
        // The lock goes before anybody hears of the end: what follows may be another try with the same file.
        partial.file.unlock()
        return keeps ? held.countBytes : 0
    }

    /// Whether the file is there only since it was opened for this try. Anything else that was never written to may be somebody's.
    private func isOfOurMaking(_ ledger: Ledger) -> Bool {
        partial.found.sizeBytes == 0 && !ledger.hasRecordOnDisk
    }

    /// The end of a whole file: the record that lets it be found whole again.
    func finish(sizeBytes: Int64) -> ResumeData? {
        ledger.withLock { ledger in
            ledger.record?.totalBytes = sizeBytes
            // Whoever wrote beyond a gap has closed it.
            ledger.record?.mayHaveHoles = false
            ledger.record?.held = ByteRangeSet(prefixBytes: sizeBytes)
        }
        let whole = ByteRangeSet(prefixBytes: sizeBytes)
        if hasRecordOnDisk { try? writeRecord(held: whole) }
        return ledger.withLock { ledger in ledger.record.flatMap { $0.canBeResumed ? written($0) : nil } }
    }

    /// Whether there is a record on the disk.
    var hasRecordOnDisk: Bool { ledger.withLock { $0.hasRecordOnDisk } }
}
