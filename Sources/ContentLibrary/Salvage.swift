import Glibc
import Platform

/// What runs that were cut short had brought of a bundle's files: they lie in the staging directories of those runs until the bundle is in the
/// store. A file is believed when it has the digest that its journal tells.
package final class Salvage: Sendable {
    /// What was fetched, and from where; of one URL the latest is the last.
    package var sources: [Receipt.Source] { kept.withLock { $0 } }

    fileprivate struct File: Sendable {
        let directory: Directory
        let path: RelativePath
    }

    private let kept: Locked<[Receipt.Source]>
    private let sizes: [SHA256Digest: Int64]
    /// Those that nobody has taken yet.
    private let files: Locked<[SHA256Digest: [File]]>
    private typealias Journal = (directory: Directory, notes: StagingNotes)

    /// Each run's, the last one at the end.
    private let journals: [Journal]

    convenience init(_ leftovers: [StagingLeftover], in parent: Directory) {
        self.init(
            leftovers.compactMap { leftover in
                guard let directory = try? parent.subdirectory(leftover.names.content) else { return nil }
                return (directory, StagingJournal.notes(leftover.names.journal, in: parent))
            })
    }

    private init(_ journals: [Journal]) {
        var sources: [Receipt.Source] = []
        var files: [SHA256Digest: [File]] = [:]
        for (directory, notes) in journals {
            for (path, source) in notes.files {
                sources.append(source)
                files[source.sha256, default: []].append(File(directory: directory, path: path))
            }
        }
        kept = Locked(sources)
        sizes = Dictionary(sources.map { ($0.sha256, $0.sizeBytes) }, uniquingKeysWith: { first, _ in first })
        self.files = Locked(files)
        self.journals = journals
    }

    /// What those runs alone had brought that kept a record of this name; nil where none did.
    package func ofRuns(thatKept record: String) -> Salvage? {
        let own = journals.filter { $0.notes.records[record] != nil }
        return own.isEmpty ? nil : Salvage(own)
    }

    /// Whether any run kept a record.
    package var holdsRecords: Bool { journals.contains { !$0.notes.records.isEmpty } }

    /// A record as each run left it, in its pieces; the last run's is at the end.
    package func records(named name: String) -> [[String]] { journals.compactMap { $0.notes.records[name] } }

    /// The file at `path` that was being made of several sources, in the order in which they were joined. Its journal is about that file alone.
    package func joinedFile(at path: RelativePath) -> JoinedSalvage? {
        for (directory, notes) in journals.reversed() where notes.files.allSatisfy({ $0.path == path }) {
            guard let file = try? directory.open(path, flags: O_RDWR | O_NONBLOCK),
                let status = try? file.status(), status.kind == .file,
                // It is going to be cut and written: no other name may share its bytes.
                status.linkCount == 1
            else { continue }
            return JoinedSalvage(directory: directory, path: path, file: file, sources: notes.files.map(\.source))
        }
        return nil
    }

    /// Lets go of what is of no use: else each run that is cut short would leave more of it. Of one URL's files only the latest stays; of those of
    /// one digest the latest, and one for each URL that is still asked for: each of these has a place of its own.
    /// - Parameters:
    ///   - isNamed: whether a URL is still asked for.
    ///   - isWanted: whether a file may be taken, by where it came from and what it is.
    package func prune(
        naming isNamed: (_ url: String) -> Bool, keeping isWanted: (Receipt.Source) -> Bool
    ) {
        var seenURLs: Set<String> = []
        var keptSources: [Receipt.Source] = []
        var keptFiles: [SHA256Digest: [File]] = [:]
        for (directory, notes) in journals.reversed() {
            for (path, source) in notes.files.reversed() {
                // What was noted, and then never came, stands for nothing.
                guard (try? directory.status(of: path)) != nil else { continue }
                let isNew =
                    seenURLs.insert(source.url).inserted && (isNamed(source.url) || keptFiles[source.sha256] == nil)
                if isNew, isWanted(source) {
                    keptSources.append(source)
                    keptFiles[source.sha256, default: []].append(File(directory: directory, path: path))
                } else {
                    // What can't be removed now is removed with the rest.
                    try? directory.remove(path)
                }
            }
        }
        kept.withLock { $0 = keptSources.reversed() }
        files.withLock { $0 = keptFiles }
    }

    /// How many bytes of a digest's file may be here; 0 for none.
    package func heldBytes(of digest: SHA256Digest) -> Int64 { sizes[digest] ?? 0 }

    /// Moves the file of this digest to `path` in staging: a file less to fetch. It comes back where that staging is discarded.
    /// - Parameters:
    ///   - isToBeChanged: whether it will get another mode or time, so that no other name may share it; nor may anything be at `path`.
    ///   - isStopped: asked before each piece of a file is read; after a yes nothing more is taken.
    /// - Returns: false when there is no such file, or what is there is something else.
    package func take(
        _ digest: SHA256Digest, sizeBytes: Int64, to path: RelativePath, in staging: Staging,
        isToBeChanged: Bool = false, isStopped: () -> Bool = { false }
    ) throws(LibraryError) -> Bool {
        // What isn't taken now others may take.
        var left: [File] = []
        defer { files.withLock { [left] in if !left.isEmpty { $0[digest, default: []] += left } } }
        while !isStopped(), let file = files.withLock({ $0[digest]?.popLast() }) {
            guard let found = try? file.directory.open(file.path, flags: O_RDONLY | O_NONBLOCK),
                let status = try? found.status(), status.kind == .file, status.sizeBytes == sizeBytes
            else { continue }
            guard !isToBeChanged || status.linkCount == 1 else {
                left.append(file)
                continue
            }
            guard (try? Self.digest(of: found, isStopped)) == digest else {
                if isStopped() { left.append(file) }
                continue
            }
            try translating { () throws(SystemError) in
                if let parent = path.parent { try staging.directory.makeDirectories(parent) }
                try file.directory.rename(file.path, to: path, in: staging.directory, replacing: !isToBeChanged)
            }
            staging.note(Loan(of: digest, at: path, from: file, in: self))
            return true
        }
        return false
    }

    /// Puts a file back where it was taken from: what becomes of it is for the next one who asks.
    fileprivate func takeBack(_ loan: Loan, from directory: Directory) {
        // Where its old place is gone nobody wants it any more.
        guard
            (try? directory.rename(
                loan.path, to: loan.origin.path, in: loan.origin.directory, replacing: false)) != nil
        else { return }
        files.withLock { $0[loan.digest, default: []].append(loan.origin) }
    }

    /// Of the part that was read, where that was stopped.
    private static func digest(of file: OwnedDescriptor, _ isStopped: () -> Bool) throws(SystemError) -> SHA256Digest {
        let hasher = SHA256()
        _ = try hasher.update(from: file, isStopped: isStopped)
        return hasher.finalize()
    }

    /// Whether a file of this digest may be taken, as far as its length tells.
    package func mayHold(_ source: Receipt.Source) -> Bool {
        files.withLock { $0[source.sha256] ?? [] }.contains { file in
            guard let status = try? file.directory.status(of: file.path) else { return false }
            return status.kind == .file && status.sizeBytes == source.sizeBytes
        }
    }
}

/// A file in staging that was taken from what a run had left which was cut short.
struct Loan: Sendable {
    fileprivate let path: RelativePath
    fileprivate let digest: SHA256Digest
    fileprivate let origin: Salvage.File
    private let owner: Salvage

    fileprivate init(of digest: SHA256Digest, at path: RelativePath, from origin: Salvage.File, in owner: Salvage) {
        (self.digest, self.path, self.origin, self.owner) = (digest, path, origin, owner)
    }

    func giveBack(from directory: Directory) { owner.takeBack(self, from: directory) }
}

/// A file that a run which was cut short had been joining.
package struct JoinedSalvage: Sendable {
    private let directory: Directory
    private let path: RelativePath
    package let file: OwnedDescriptor
    /// What it was made of, one behind the other, as far as its journal tells.
    package let sources: [Receipt.Source]

    fileprivate init(directory: Directory, path: RelativePath, file: OwnedDescriptor, sources: [Receipt.Source]) {
        (self.directory, self.path, self.file, self.sources) = (directory, path, file, sources)
    }

    /// Moves the file to its place in staging, to be gone on with behind the first `count` sources. Whatever cuts this short, one of the two
    /// journals tells the truth about the file.
    package func move(to staging: Staging, keeping count: Int) throws(SystemError) {
        try file.truncate(to: sources.prefix(count).reduce(0) { $0 &+ $1.sizeBytes })
        for source in sources.prefix(count) { try staging.note(source, at: path) }
        if let parent = path.parent { try staging.directory.makeDirectories(parent) }
        try directory.rename(path, to: path, in: staging.directory)
    }
}

/// A staging directory that its run left behind, with the journal of what is in it.
struct StagingLeftover {
    let names: StagingNames
    let bundle: BundleAddress

    /// What is kept of it.
    var kept: [RelativePath] { [names.content, names.journal] }

    /// What nobody has come back for by then goes.
    private static let longestStay: Int64 = 30 * 86_400

    /// Whether any of its files is still there: a later run may have taken them all, and then been cut short itself.
    private func isOfUse(in parent: Directory) throws(SystemError) -> Bool {
        guard try parent.status(of: names.content)?.kind == .directory else { return false }
        let directory = try parent.subdirectory(names.content)
        return StagingJournal.tells(names.journal, in: parent) { (try? directory.status(of: $0)) != nil }
    }

    /// All that are of use, in the order in which they were made.
    /// - Parameter forLooking: journals are for their owner; who only looks passes over those of others.
    static func all(in parent: Directory, forLooking: Bool = false) throws(SystemError) -> [StagingLeftover] {
        var found: [StagingLeftover] = []
        for name in try parent.names() {
            guard let names = StagingNames(content: name), let status = try parent.status(of: names.journal),
                status.kind == .file, Timestamp.now.seconds &- status.modified.seconds < longestStay
            else { continue }
            let bundle: BundleAddress?
            do { bundle = try StagingJournal.bundle(names.journal, in: parent) } catch {
                guard forLooking, error.code == EACCES else { throw error }
                continue
            }
            guard let bundle else { continue }
            let leftover = StagingLeftover(names: names, bundle: bundle)
            if try leftover.isOfUse(in: parent) { found.append(leftover) }
        }
        return found.sorted { $0.names.number < $1.names.number }
    }
}

extension Library {
    /// How many bytes runs noted that they had brought of bundles which aren't in the store yet, and how many files that were: by bundle. For a look
    /// from outside: a run that is at work is among them.
    package func stagedFigures() -> [BundleAddress: (files: Int, bytes: Int64)] {
        let leftovers = (try? StagingLeftover.all(in: staging, forLooking: true)) ?? []
        return Dictionary(grouping: leftovers, by: \.bundle).mapValues { leftovers in
            let entries = leftovers.flatMap { StagingJournal.notes($0.names.journal, in: staging).files }
            return (entries.count, entries.reduce(0) { $0.addingClamped($1.source.sizeBytes) })
        }
    }

    /// What runs that were cut short left of a bundle's files, as far as this user may read it. Opened for each bundle when it is asked for: there may
    /// be more of them than descriptors. Not while a run is under way: that has them.
    package func salvage() throws(LibraryError) -> (BundleAddress) -> Salvage? {
        let leftovers = try translating { () throws(SystemError) in
            try StagingLeftover.all(in: staging, forLooking: true)
        }
        let byBundle = Dictionary(grouping: leftovers, by: \.bundle)
        return { [staging] bundle in byBundle[bundle].map { Salvage($0, in: staging) } }
    }
}
