import Glibc
import Platform

/// Creates what an `ExtractionPlan` allows beneath one directory: each thing by handle, never through a link, with the modes 0644, 0755 and no
/// others. Directories come before what is in them; links come last, so that nothing can pass through one.
final class Extractor {
    var plan: ExtractionPlan
    var budget: ExtractionBudget
    private(set) var files = 0
    /// Nil when all is read and checked, and nothing is created.
    private let directory: Directory?
    private let policy: ExtractionPolicy
    private let observer: UnpackObserver
    private let writer: FileWriter
    /// How many nodes of the plan's tree have been looked at for directories to make.
    private var preparedNodes = 1
    private var directoryTimes: [PathTree.Node: Timestamp] = [:]
    /// Of files that have further names.
    private var linkedDigests: [PathTree.Node: SHA256Digest] = [:]

    init(into directory: Directory?, plan: ExtractionPlan, policy: ExtractionPolicy, observer: UnpackObserver) {
        self.directory = directory
        self.plan = plan
        self.policy = policy
        self.observer = observer
        budget = ExtractionBudget(policy.limits)
        writer = FileWriter(into: directory, policy: policy, observer: observer)
    }

    /// Makes the directories that the plan has gained since the last call.
    func createDirectories() throws(ArchiveError) {
        guard let directory else { return }
        while preparedNodes < plan.tree.count {
            let node = plan.tree.node(at: preparedNodes)
            preparedNodes += 1
            guard plan.tree.kind(of: node) == .directory else { continue }
            try observer.checkStop()
            let path = try plan.tree.validPath(of: node)
            do {
                try directory.makeDirectory(path, mode: 0o755)
                // The umask may have taken bits away.
                try directory.subdirectory(path).descriptor.setMode(0o755)
            } catch { throw ArchiveError(creating: error, entry: path.description) }
        }
    }

    /// Notes the time that the directory will get once everything in it is made.
    func setTime(_ modified: Timestamp?, of node: PathTree.Node) {
        guard policy.preservesTimes, node != .root else { return }
        directoryTimes[node] = modified
    }

    /// Writes the file at `node`.
    /// - Parameter mode: the archive's; only whether anybody may execute the file is kept.
    func writeFile(
        _ node: PathTree.Node, mode: UInt32, modified: Timestamp?, content: any ByteStream
    ) throws(ArchiveError) {
        let entry = try writer.extract(content, to: plan.tree.validPath(of: node), mode: mode, modified: modified) {
            (piece) throws(ArchiveError) in try self.budget.charge(piece)
        }
        files += 1
        if let entry { observer.didCreate(entry) }
    }

    /// Makes what had to wait until all entries were known, and the plan judged as a whole: further names, symbolic links, the times of
    /// directories.
    func finish() throws(ArchiveError) {
        guard let directory else {
            files += plan.hardLinks.count
            return
        }
        try createDirectories()
        for (link, file) in plan.hardLinks { try createHardLink(link, to: file, in: directory) }
        for (link, target) in plan.linkTargets.sorted(by: { $0.key.index < $1.key.index }) {
            try observer.checkStop()
            let path = try plan.tree.validPath(of: link)
            do { try directory.makeSymbolicLink(path, target: target) } catch {
                throw ArchiveError(creating: error, entry: path.description)
            }
            observer.didCreate(
                ExtractedEntry(relativePath: path, content: .symbolicLink(target: target), modified: nil))
        }
        for index in 1..<plan.tree.count { try finishDirectory(plan.tree.node(at: index), in: directory) }
    }

    private func finishDirectory(_ node: PathTree.Node, in directory: Directory) throws(ArchiveError) {
        guard plan.tree.kind(of: node) == .directory else { return }
        let path = try plan.tree.validPath(of: node)
        let time = directoryTimes[node]
        if let time {
            do { try directory.subdirectory(path).descriptor.setModificationTime(time) } catch {
                throw ArchiveError(writing: error, entry: path.description)
            }
        }
        observer.didCreate(ExtractedEntry(relativePath: path, content: .directory, modified: time))
    }

    private func createHardLink(
        _ link: PathTree.Node, to node: PathTree.Node, in directory: Directory
    ) throws(ArchiveError) {
        try observer.checkStop()
        let (path, file) = (try plan.tree.validPath(of: link), try plan.tree.validPath(of: node))
        do { try directory.link(file, to: path) } catch { throw ArchiveError(creating: error, entry: path.description) }
        let (opened, status): (OwnedDescriptor, FileStatus)
        do throws(SystemError) {
            opened = try directory.open(file, flags: O_RDONLY)
            status = try opened.status()
        } catch { throw ArchiveError(writing: error, entry: path.description) }
        if observer.takesDigests, linkedDigests[node] == nil {
            linkedDigests[node] = try digest(of: opened, sizeBytes: status.sizeBytes, entry: path)
        }
        files += 1
        observer.didCreate(
            ExtractedEntry(
                file: path, sizeBytes: status.sizeBytes, digest: linkedDigests[node],
                isExecutable: status.mode & 0o111 != 0, modified: policy.preservesTimes ? status.modified : nil))
    }

    private func digest(
        of file: OwnedDescriptor, sizeBytes: Int64, entry: RelativePath
    ) throws(ArchiveError) -> SHA256Digest {
        let hasher = SHA256()
        let count: Int64
        do { count = try hasher.update(from: file, isStopped: observer.shouldStop) } catch {
            throw ArchiveError(writing: error, entry: entry.description)
        }
        guard count == sizeBytes else { throw ArchiveError(.stopped, "stopped") }
        return hasher.finalize()
    }
}
