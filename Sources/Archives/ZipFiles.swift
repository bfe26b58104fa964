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
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return max(1, min(cores, files.count, Self.maximumWorkers))
    }

    private func extractSome() {
        let writer = FileWriter(into: directory, policy: policy, observer: observer)
        while let index = work.withLock({ $0.take() }) {
            do throws(ArchiveError) {
                let outcome = try extract(index, with: writer)
                work.withLock { $0.finish(index, with: outcome) }
            } catch {
                work.withLock { $0.fail(index, with: error) }
            }
            tell()
        }
    }

    private func extract(_ index: Int, with writer: FileWriter) throws(ArchiveError) -> ExtractedEntry? {
        let entry = archive.directory.entries[Int(files[index].entry)]
        return try archive.located(entry) { () throws(ArchiveError) in
            let path = try tree.validPath(of: files[index].node)
            var content = archive.content(of: entry)
            if entry.sizeBytes >= ReadAhead.worthwhileBytes { content = ReadAhead(content) }
            return try writer.extract(
                content, to: path, mode: UInt32(entry.mode), modified: archive.modificationTime(of: entry)
            ) { (_) throws(ArchiveError) in
                // The budget was charged with what the directory says, of which no content yields a byte more.
                if work.withLock({ $0.isMoot(index) }) { throw ArchiveError(.stopped, "stopped") }
            }
        }
    }

    private func tell() {
        var entries = work.withLock { $0.beginTelling() }
        while !entries.isEmpty {
            for case let entry? in entries { observer.didCreate(entry) }
            entries = work.withLock { $0.continueTelling() }
        }
    }
}
