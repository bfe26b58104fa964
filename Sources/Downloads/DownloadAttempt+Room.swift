import Platform

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
}
