import Platform

/// The local headers of a zip archive that still arrives, checked one after the other as they come.
final class ArrivingHeaders: Sendable {
    private let directory: ZipDirectory
    /// Whoever waits for this lock waits for a later entry than whoever has it, and so for bytes that come later.
    private let layout: Locked<ZipLayout>

    init(of directory: ZipDirectory, in source: any ByteSource) {
        self.directory = directory
        // What is read ahead would be waited for.
        layout = Locked(ZipLayout(of: directory, in: source, readAheadBytes: 0))
    }

    /// Takes an entry's turn, and waits for its header, having checked all that lie before it.
    /// - Parameter take: the entry's place in the directory; it lies behind those that were taken before. Nil when there is none.
    /// - Returns: what was taken, and the entry, completed by what its header says.
    func next<Taken: Sendable>(
        _ take: () -> (Taken, index: UInt32)?
    ) -> (taken: Taken, entry: Result<ZipEntry, ArchiveError>)? {
        layout.withLock { layout in
            guard let (taken, index) = take() else { return nil }
            return (taken, Result { () throws(ArchiveError) in try self.checkedEntry(index, &layout) })
        }
    }

    private func checkedEntry(_ index: UInt32, _ layout: inout ZipLayout) throws(ArchiveError) -> ZipEntry {
        while let next = try layout.checkNext(of: directory) {
            guard next.index == index else { continue }
            var entry = directory.entries[Int(index)]
            entry.headerBytes = next.headerBytes
            return entry
        }
        throw ArchiveError(.unsafe, "shares its place with another entry")
    }

    /// Checks the entries behind those that were taken.
    /// - Returns: what is odd about all of them.
    func finish() throws(ArchiveError) -> ZipLayout.Oddities {
        try layout.withLock { (layout) throws(ArchiveError) in
            while try layout.checkNext(of: directory) != nil {}
            return layout.oddities
        }
    }
}
