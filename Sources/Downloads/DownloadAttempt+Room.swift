import Platform
import Transfer

extension DownloadAttempt {
    /// What the disk can't hold is refused before its first byte, and not once the disk is full.
    func checkRoom(_ verdict: ResponseVerdict, _ writer: PartialWriter) throws(AttemptFailure) {
        let missingBytes: Int64?
        switch verdict {
        case .append(let total):
            missingBytes = writer.missingBytes(of: total ?? writer.knownTotalBytes, startingAnew: false)
        case .fresh(let total): missingBytes = writer.missingBytes(of: total, startingAnew: true)
        case .alreadyWhole, .fail: missingBytes = nil
        }
        guard let missingBytes else { return }
        if let objection = makeRoom(missingBytes) { throw AttemptFailure(.noSpace, objection, .giveUp) }
        // A file system that doesn't answer now will say what is wrong when it is written to.
        guard let freeBytes = try? writer.partial.file.freeBytes(), freeBytes < missingBytes else { return }
        throw AttemptFailure(
            .noSpace,
            "\(missingBytes) bytes are to be fetched into \(writer.partial.location), and \(freeBytes) are free there; free some space",
            .giveUp)
    }

    /// What can't be gone on with later is begun only where all of it may still be received, and no other takes that away: it would begin anew, and
    /// spend all that there is, each time. On the session's thread, before the first byte is taken.
    func withinCredit(
        _ verdict: ResponseVerdict, _ response: TransferResponse, at point: ResumePoint
    ) -> ResponseVerdict {
        guard case .fresh(let totalBytes?) = verdict, let credit, let creditShare,
            !mayBeGoneOnWith(response, at: point)
        else { return verdict }
        guard totalBytes <= credit.totalBytes else {
            return .fail(
                AttemptFailure(
                    .beyondCredit,
                    "the server sends its \(totalBytes) bytes in one go alone, and \(credit.totalBytes) may be received; allow more, or name a server that does ranges",
                    .nextSource))
        }
        guard let leftBytes = creditShare.reserve(totalBytes) else { return verdict }
        return .fail(
            AttemptFailure(
                .creditSpent,
                "the server sends its \(totalBytes) bytes in one go alone, and of the \(credit.totalBytes) that may be received \(leftBytes) are left",
                .nextSource))
    }

    /// Whether a later request may go on where this reply is cut: where the server doesn't say whether it does ranges, what it made of one shows.
    private func mayBeGoneOnWith(_ response: TransferResponse, at point: ResumePoint) -> Bool {
        guard plan.digest != nil || response.strongEntityTag ?? response.strongLastModified != nil else { return false }
        switch response.headers["Accept-Ranges"]?.lowercased() {
        case "bytes": return true
        case nil: return point.offsetBytes == 0
        default: return false
        }
    }
}
