import Platform

/// What lies in the store from earlier, and letting go of it.
extension ResumeStore {
    /// The paused downloads, the one that was paused first at the front. Those in use, by this process or another, are not among them.
    /// - Throws: `DownloadError` when the folder can't be read.
    public func pausedDownloads() throws(DownloadError) -> [PausedDownload] {
        var result: [PausedDownload] = []
        for location in try locations() {
            guard let partial = PartialFile(existing: location), let status = try? partial.file.status() else {
                continue
            }
            var record: ResumeData?
            if case .readable(let found) = try? partial.readRecord() { record = found }
            result.append(PausedDownload(location, status, record))
        }
        return result.sorted { $0.modified < $1.modified }
    }

    /// All unfinished downloads, those in use too, the one that was written to first at the front: a look that takes no lock and needs no leave to
    /// write. How far one is that is in use is known as of its last record.
    /// - Throws: `DownloadError` when the folder can't be read.
    package func unfinishedDownloads() throws(DownloadError) -> [PausedDownload] {
        var result: [PausedDownload] = []
        for location in try locations() {
            guard let status = try? directory.status(of: location.name), status.kind == .file else { continue }
            let record = try? directory.readFile(location.recordName, limitBytes: ResumeData.limitBytes)
            result.append(PausedDownload(location, status, record.flatMap { ResumeData(decoding: $0) }))
        }
        return result.sorted { $0.modified < $1.modified }
    }

    private func locations() throws(DownloadError) -> [PartialFile.Location] {
        try names().filter { $0.hasSuffix(Self.suffix) }
            .compactMap { try? PartialFile.Location(directory: directory, name: $0) }
    }

    /// Lets paused downloads go, the one that was paused first before the others, until at most so many bytes are left. What is in use stays, and
    /// doesn't count.
    /// - Parameter keptBytes: 0 lets all go.
    /// - Returns: what was removed.
    /// - Throws: `DownloadError` when the folder can't be read or a file can't be removed.
    @discardableResult
    public func purge(keepingBytes keptBytes: Int64 = 0) throws(DownloadError) -> [PausedDownload] {
        let paused = try pausedDownloads()
        var heldBytes = paused.reduce(0) { $0 + $1.heldBytes }
        let doomed = paused.filter { download in
            guard heldBytes > keptBytes || download.url == nil else { return false }
            heldBytes -= download.heldBytes
            return true
        }
        let removed = try discard(doomed)
        try removeStrayRecords()
        return removed
    }

    /// Lets these paused downloads go; one that somebody uses by now stays.
    /// - Returns: what was removed.
    package func discard(_ downloads: [PausedDownload]) throws(DownloadError) -> [PausedDownload] {
        var removed: [PausedDownload] = []
        for download in downloads {
            guard let partial = PartialFile(existing: download.location) else { continue }
            do throws(SystemError) { try partial.discard() } catch { throw DownloadError(error) }
            removed.append(download)
        }
        return removed
    }

    /// Removes records whose bytes are gone: they describe nothing.
    private func removeStrayRecords() throws(DownloadError) {
        let names = try names()
        let partials = Set(names.filter { $0.hasSuffix(Self.suffix) })
        for record in names where record.hasSuffix(Self.suffix + PartialFile.recordSuffix) {
            guard let name = try? RelativePath(record.bytes.dropLast(PartialFile.recordSuffix.utf8.count)),
                !partials.contains(name)
            else { continue }
            do throws(SystemError) { try directory.remove(record) } catch {
                if !error.isNotFound { throw DownloadError(error) }
            }
        }
    }

    private func names() throws(DownloadError) -> [RelativePath] {
        do throws(SystemError) { return try directory.names() } catch { throw DownloadError(error) }
    }
}

extension RelativePath {
    fileprivate init(_ bytes: ArraySlice<UInt8>) throws(PathProblem) { try self.init(Array(bytes)) }

    fileprivate func hasSuffix(_ suffix: String) -> Bool {
        bytes.count > suffix.utf8.count && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
