import Platform

/// Letting paused downloads go for want of room, or because nobody came back for them.
extension ResumeStore {
    /// What the bytes of a request's asset are called while they gather here.
    package func partialName(of request: DownloadRequest) -> RelativePath? {
        request.partialFile == nil ? try? location(SourceKey(request), DigestKey(request)).name : nil
    }

    /// Lets go of what `choose` chooses among the paused downloads.
    /// - Parameters:
    ///   - spared: names that are never chosen.
    ///   - wanted: tells which somebody means to go on with; asked only where anything is paused.
    /// - Returns: what was removed.
    func evict(
        sparing spared: Set<RelativePath>, wanted: PausedDownload.Choice,
        choose: ([Eviction.Candidate]) -> [Eviction.Candidate]
    ) throws(DownloadError) -> [PausedDownload] {
        let paused = try pausedDownloads().filter { !spared.contains($0.location.name) }
        if paused.isEmpty { return [] }
        let isWanted = wanted()
        let candidates = paused.map { download in
            Eviction.Candidate(
                name: download.location.name, bytes: download.diskBytes, paused: download.modified,
                isWanted: isWanted(download))
        }
        let byName = Dictionary(paused.map { ($0.location.name, $0) }, uniquingKeysWith: { first, _ in first })
        return try discard(choose(candidates).compactMap { byName[$0.name] })
    }
}
