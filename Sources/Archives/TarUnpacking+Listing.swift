extension TarUnpacking {
    /// Tells what the headers say.
    func list(observer: UnpackObserver, _ body: (ListedEntry) -> Void) throws(ArchiveError) {
        var budget = ExtractionBudget(policy.limits)
        while let entry = try reader.next() {
            try observer.checkStop()
            do throws(ArchiveError) {
                try budget.countEntry()
                if let listed = policy.listed(ListedEntry(entry)) { body(listed) }
            } catch {
                throw error.located(entry: shownName(entry.name), offsetBytes: entry.offsetBytes)
            }
        }
    }
}

extension ListedEntry {
    fileprivate init(_ entry: TarEntry) {
        let kind: Kind =
            switch entry.kind {
            case .directory, .dumpDirectory: .directory
            case .symbolicLink: .symbolicLink
            case .hardLink: .hardLink
            case .special, .continuation, .volumeLabel: .other
            default: .file
            }
        self.init(
            name: entry.name, kind: kind, sizeBytes: entry.sparse?.realBytes ?? entry.data.remainingBytes,
            packedBytes: nil, method: nil, crc32: nil, modifiedSeconds: entry.modified?.seconds)
        if kind == .symbolicLink || kind == .hardLink { linkTarget = entry.linkName }
    }
}
