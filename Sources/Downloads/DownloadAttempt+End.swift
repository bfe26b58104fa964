import Platform
import Transfer

/// The end of a try: what becomes of its partial file, and what is reported.
extension DownloadAttempt {
    /// Where the partial file couldn't even be opened.
    func concludeUnopened(_ failure: AttemptFailure) {
        lease.end()
        report(.ended(.failed(failure, heldBytes: 0)))
    }

    /// Where nobody was asked.
    func concludeUnasked(_ outcome: SegmentBoard.Outcome, _ writer: PartialWriter) {
        let board = SegmentBoard(plan.url, held: writer.found, totalBytes: nil, policy: plan.split)
        conclude(outcome, board, writer)
    }

    /// Brings the partial file into its final state, and reports. Blocks on the disk.
    func conclude(
        _ outcome: SegmentBoard.Outcome, _ board: SegmentBoard, _ writer: PartialWriter, mayBeginNext: Bool = false
    ) {
        let end: End
        switch outcome {
        case .stopped:
            leave(board, writer, isWorthless: false)
            end = .stopped
        case .failed(let failure): end = failed(failure, board, writer)
        case .completed:
            do throws(AttemptFailure) { end = try completed(board, writer) } catch {
                end = failed(error, board, writer)
            }
        }
        report(.ended(end, mayBeginNext: mayBeginNext))
    }

    private func failed(_ failure: AttemptFailure, _ board: SegmentBoard, _ writer: PartialWriter) -> End {
        let sparesBytes =
            switch failure.error.code {
            // Bytes from before this try are of use to somebody with another budget,
            case .overBudget: board.resumedBytes > 0 || !writer.isTouched
            // and to another source where this one only told that it has something else.
            case .sizeMismatch: failure.remedy == .nextSource && !writer.isTouched
            default: false
            }
        return .failed(
            explained(failure), heldBytes: leave(board, writer, isWorthless: failure.discardsBytes && !sparesBytes))
    }

    /// Where a reply ended too early, what it was may tell why.
    private func explained(_ failure: AttemptFailure) -> AttemptFailure {
        guard [.transportFailure, .sizeMismatch].contains(failure.error.code), let hint = response?.hint, !hint.isEmpty
        else { return failure }
        return failure.explained(by: hint)
    }

    @discardableResult
    private func leave(_ board: SegmentBoard, _ writer: PartialWriter, isWorthless: Bool) -> Int64 {
        let held = writer.settle(held: board.plan.held, isWorthless: isWorthless)
        lease.end()
        return held
    }

    private func completed(_ board: SegmentBoard, _ writer: PartialWriter) throws(AttemptFailure) -> End {
        let sizeBytes = board.plan.held.contiguousBytes
        let isProven = !board.hasGuessedLength || plan.digest != nil || response?.framing != .close
        let digest: SHA256Digest?
        do throws(SystemError) { digest = try writer.digest?.finalize() } catch { throw AttemptFailure(error) }
        if let wanted = plan.digest, let digest, digest != wanted {
            guard !board.isPutTogether else {
                var failure = mismatch(digest, wanted, isOfOneVersion(board, writer) ? .restartAfterOthers : .restart)
                failure.isOfRanges = board.resumedBytes == 0
                throw failure
            }
            let wrong = WrongBytes(
                url: plan.url, wantedDigest: wanted, digest: digest, sizeBytes: sizeBytes, partial: writer.partial)
            throw mismatch(digest, wanted, .nextSource, seemsToBe: inspect(wrong))
        }
        let record = writer.finish(sizeBytes: sizeBytes)
        let file = DownloadedFile(
            partial: writer.partial, sizeBytes: sizeBytes, digest: digest, resumedBytes: board.resumedBytes,
            isProvenComplete: isProven, sourceURL: plan.url, finalURL: response?.url ?? plan.url,
            validator: validator(record), wholeBytes: wholeBytes.withLock { $0 },
            suggestedName: response?.suggestedName, record: record,
            hasRecordOnDisk: writer.hasRecordOnDisk, lease: lease)
        return .completed(file, sizeBytes: sizeBytes, digest: digest)
    }

    /// Whether a strong tag has shown that the asset's end, which came first, is of the version that the rest is of: fetched in one go it would be the
    /// same, unless the source's ranges aren't what they say.
    private func isOfOneVersion(_ board: SegmentBoard, _ writer: PartialWriter) -> Bool {
        board.isOfOneSource && writer.record?.entityTag != nil && !isDiverted.withLock { $0 }
    }

    /// Bytes of several requests may not belong together: they are fetched again. Those of one are the source's own fault, unless they are
    /// something that never was an asset.
    private func mismatch(
        _ digest: SHA256Digest, _ wanted: SHA256Digest, _ remedy: AttemptFailure.Remedy, seemsToBe what: String? = nil
    ) -> AttemptFailure {
        let message = "the asset's SHA-256 is \(digest) where \(wanted) was asked for"
        var failure = AttemptFailure(.digestMismatch, what ?? message, remedy)
        if remedy == .nextSource { failure.fault = .wrongBytes }
        return failure
    }

    /// What this try's source says of the version; another one's validator stands for nothing here.
    private func validator(_ record: ResumeData?) -> String? {
        // A date that the clock had not left yet may come to stand for other bytes as well.
        if let response, response.entityTag ?? response.lastModified != nil {
            return response.entityTag ?? response.strongLastModified
        }
        return record?.url == plan.url.text ? record?.validator : nil
    }
}
