import Glibc
import Platform

/// The files of a zip archive on their way to the disk: workers on all cores take one after the other. The archive has been judged as a whole
/// and its directories are there, so that no file depends on another.
final class ZipFiles: Sendable {
    private let archive: ZipArchive
    /// What becomes which file: places in the archive's directory, and in the tree.
    private let files: [(entry: UInt32, node: PathTree.Node)]
    private let tree: PathTree
    private let directory: Directory?
    private let policy: ExtractionPolicy
    private let observer: UnpackObserver
    private let work: Locked<OrderedWork<ExtractedEntry?>>

    /// With more, a machine of many cores would take more memory than time is left to be won.
    private static let maximumWorkers = 16

    /// - Parameter directory: nil when all is read and checked, and nothing is created.
    init(
        _ files: [(entry: UInt32, node: PathTree.Node)], of archive: ZipArchive, in tree: PathTree,
        into directory: Directory?, policy: ExtractionPolicy, observer: UnpackObserver
    ) {
        self.archive = archive
        self.files = files
        self.tree = tree
        self.directory = directory
        self.policy = policy
        self.observer = observer
        work = Locked(OrderedWork(count: files.count))
    }

    /// Extracts all files. When it returns or throws, no worker is left.
    func extract() throws(ArchiveError) {
        let threads = (1..<workers).compactMap { _ in try? WorkerThread(ifGranted: "unzip") { self.extractSome() } }
        extractSome()
        for thread in threads { thread.join() }
        if let failure = work.withLock({ $0.failure }) { throw failure }
    }

    private var workers: Int {
        // Whoever looks at the contents sees one after the other.
        if observer.didExamine != nil { return 1 }
        return max(1, min(Processors.count, files.count, Self.maximumWorkers))
    }

    private func extractSome() {
        let writer = FileWriter(into: directory, policy: policy, observer: observer)
        let reader = EntryReader(archive, workers: workers, hashesPacked: journal != nil)
        // Contents lie in its memory.
        defer { withExtendedLifetime(reader) {} }
        while let (index, entry) = take() {
            do throws(ArchiveError) {
                let outcome = try extract(index, entry.get(), reader, writer)
                work.withLock { $0.finish(index, with: outcome) }
            } catch {
                work.withLock { $0.fail(index, with: error) }
                observer.didFail()
            }
            tell()
        }
    }

    private func take() -> (index: Int, entry: Result<ZipEntry, ArchiveError>)? {
        if let headers = archive.arrivingHeaders {
            return headers.next { work.withLock { $0.take() }.map { ($0, files[$0].entry) } }
                .map { ($0.taken, $0.entry) }
        }
        return work.withLock { $0.take() }.map { ($0, .success(archive.directory.entries[Int(files[$0].entry)])) }
    }

    private func extract(
        _ index: Int, _ entry: ZipEntry, _ reader: EntryReader, _ writer: FileWriter
    ) throws(ArchiveError) -> ExtractedEntry? {
        try archive.located(entry) { () throws(ArchiveError) -> ExtractedEntry? in
            let path = try tree.validPath(of: files[index].node)
            let (mode, modified) = (UInt32(entry.mode), archive.modificationTime(of: entry))
            if let digest = try take(entry, to: path, reader) {
                return try writer.adopt(
                    path, sizeBytes: entry.sizeBytes, digest: digest, mode: mode, modified: modified)
            }
            let extracted = try writer.extract(
                reader.content(of: entry), to: path, mode: mode, modified: modified
            ) { (_) throws(ArchiveError) in
                // The budget was charged with what the directory says, of which no content yields a byte more.
                if work.withLock({ $0.isMoot(index) }) { throw ArchiveError(.stopped, "stopped") }
            }
            if let journal, let extracted, let digest = extracted.digest, let proof = reader.proof(of: entry) {
                journal.note(proof, path, digest)
            }
            return extracted
        }
    }

    /// Takes the file that was made of the same bytes before, where there is one.
    private func take(
        _ entry: ZipEntry, to path: RelativePath, _ reader: EntryReader
    ) throws(ArchiveError) -> SHA256Digest? {
        guard let journal, journal.mayHold(EntryOutline(entry)), let proof = try reader.proof(reading: entry, observer)
        else { return nil }
        return journal.take(proof, path)
    }

    /// Nobody notes what isn't created.
    private var journal: EntryJournal? { directory == nil ? nil : observer.journal }

    private func tell() {
        var entries = work.withLock { $0.beginTelling() }
        while !entries.isEmpty {
            for case let entry? in entries { observer.didCreate(entry) }
            entries = work.withLock { $0.continueTelling() }
        }
    }
}
