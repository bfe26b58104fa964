import Glibc
import Platform

/// Content that was found damaged is built anew, of what is left of it and what else the library has, and takes its place in one step.
extension LibraryWriter {
    /// What became of an attempt to mend content without fetching anything.
    package enum Mending: Sendable {
        /// Nothing is wrong with it, after all.
        case whole
        /// It is as its receipt says, in the place where it stood: so many of its files, links and directories had not been.
        case mended(count: Int)
        /// So many of its files are nowhere in the library. Nothing has changed.
        case lacking(files: Int)
    }

    /// Notes files that may be needed to mend content whose receipts can't be read.
    package func note(wanted digests: some Sequence<SHA256Digest>) {
        state.withLock { $0.wantedFiles.formUnion(digests) }
    }

    /// Where in the library files of these digests are. The receipts of the whole library are read through once for all content that is damaged.
    package func storedFiles(for wanted: Set<SHA256Digest>) throws(LibraryError) -> StoredFiles {
        try fileSearch.withLock { stored throws(LibraryError) in
            if let known = stored.files, wanted.isSubset(of: stored.wanted) { return known }
            let (damaged, noted) = state.withLock { ($0.damaged, $0.wantedFiles) }
            stored.wanted.formUnion(wanted.union(noted))
            for address in damaged {
                guard let content = try library.store.open(address), let receipt = try? content.receipt() else {
                    continue
                }
                for case .file(let file) in receipt.entries.map(\.content) { stored.wanted.insert(file.sha256) }
            }
            let files = try StoredFiles(for: stored.wanted, in: library)
            stored.files = files
            return files
        }
    }

    /// Notes that content isn't what its receipt says: it is not taken for what a bundle asks for, and what is committed in its place replaces it.
    package func note(damaged contents: Set<StoreAddress>) { state.withLock { $0.damaged.formUnion(contents) } }

    package func isDamaged(_ content: StoreAddress) -> Bool { state.withLock { $0.damaged.contains(content) } }

    /// The content a bundle of this origin would have, if it is here and not known to be damaged, nor is seen to be by now.
    package func find(_ origin: Receipt.Origin) throws(LibraryError) -> StoredContent? {
        guard !isDamaged(origin.address), let content = try library.store.find(origin) else { return nil }
        if content.hasItsExtent { return content }
        note(damaged: [content.address])
        return nil
    }

    /// Holds content against its receipt, and builds it anew where they differ.
    /// - Parameters:
    ///   - checkRoom: asked before anything is copied whether there is room for so many bytes.
    ///   - isStopped: asked again and again; after a yes `lacking` is returned.
    /// - Throws: `damaged` where the receipt can't be read, and what `checkRoom` does.
    package func mend(
        _ content: StoredContent, checkRoom: (Int64) throws(LibraryError) -> Void = { _ in },
        isStopped: @escaping @Sendable () -> Bool
    ) throws(LibraryError) -> Mending {
        let damage = try ContentSurvey(ContentInspection(content), isStopped).damage
        guard !damage.isEmpty else {
            if isStopped() { return .lacking(files: 0) }
            state.withLock { _ = $0.damaged.remove(content.address) }
            return .whole
        }
        let receipt = try content.receipt()
        let staging = try makeStaging()
        do throws(LibraryError) {
            var rebuilding = ContentRebuilding(receipt, content, damage, in: staging)
            let lacking = try rebuilding.build(searching: self, checkRoom, isStopped)
            guard lacking == 0 else {
                try staging.discard()
                return .lacking(files: lacking)
            }
            let sealed = try staging.seal(digests: rebuilding.proven)
            guard sealed.entries == receipt.entries else {
                throw LibraryError(.damaged, "\(content.address) changes while it is being mended; try again")
            }
            try translating { () throws(SystemError) in
                let parent = try library.store.bundleDirectory(content.address.bundle)
                try replaceContent(at: content.address, in: parent, by: staging.names)
            }
            try staging.discard()
            try discardSalvage(knownBy: receipt)
        } catch {
            try? staging.discard()
            throw error
        }
        state.withLock { _ = $0.damaged.remove(content.address) }
        return .mended(count: damage.count)
    }
}

extension LibraryWriter {
    /// What a killed run had brought to mend content is of no use any more; what it had brought of a newer version is.
    private func discardSalvage(knownBy receipt: Receipt) throws(LibraryError) {
        let bundle = receipt.header.origin.bundle
        guard let salvage = salvage(of: bundle) else { return }
        var known = Set(receipt.sources.map(\.sha256))
        for case .file(let file) in receipt.entries.map(\.content) { known.insert(file.sha256) }
        if salvage.sources.allSatisfy({ known.contains($0.sha256) }) { try discardSalvage(of: bundle) }
    }
}

/// Everything that differs between content and its receipt.
struct ContentSurvey {
    private(set) var damage: [ContentDamage] = []

    init(
        _ inspection: ContentInspection, _ isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws(LibraryError) {
        let files = FileInspection(inspection.directory, willRead: { _ in }, isStopped: isStopped)
        while true {
            let part = try inspection.next()
            damage += part.damage
            for file in part.files {
                switch files.inspect(file) {
                case .whole: break
                case .damaged(let found): damage.append(found)
                case .stopped: return
                }
            }
            if part.end == nil { return }
        }
    }
}

/// Content that is put together in staging as its receipt tells.
private struct ContentRebuilding {
    private let receipt: Receipt
    private let remains: ContentSharing?
    private let staging: Staging
    private let damage: [RelativePath: ContentDamage]
    /// What needn't be read again.
    private(set) var proven: [RelativePath: SHA256Digest] = [:]

    init(_ receipt: Receipt, _ content: StoredContent, _ damage: [ContentDamage], in staging: Staging) {
        self.receipt = receipt
        self.staging = staging
        self.damage = Dictionary(
            damage.compactMap { found in found.path.map { ($0, found) } }, uniquingKeysWith: { first, _ in first })
        remains = (try? content.open()).map { ContentSharing($0, [:]) }
    }

    /// - Returns: how many files could be had nowhere.
    mutating func build(
        searching writer: LibraryWriter, _ checkRoom: (Int64) throws(LibraryError) -> Void,
        _ isStopped: @Sendable () -> Bool
    ) throws(LibraryError) -> Int {
        var missing: [(path: RelativePath, file: Receipt.File)] = []
        for entry in receipt.entries {
            switch entry.content {
            case .emptyDirectory:
                try translating { () throws(SystemError) in try staging.directory.makeDirectories(entry.path) }
            case .symbolicLink(let target):
                try translating { () throws(SystemError) in
                    if let parent = entry.path.parent { try staging.directory.makeDirectories(parent) }
                    try staging.directory.makeSymbolicLink(entry.path, target: target)
                }
            case .file(let file):
                if isStopped() { return receipt.entries.count }
                if try keep(entry.path, file) { continue }
                missing.append((entry.path, file))
            }
        }
        if missing.isEmpty { return 0 }
        // Sizes of files that were on one disk: their sum fits.
        try checkRoom(missing.reduce(0) { $0.addingClamped($1.file.sizeBytes) })
        return try restore(missing, searching: writer, isStopped)
    }

    /// - Returns: how many files could be had nowhere.
    private func restore(
        _ missing: [(path: RelativePath, file: Receipt.File)], searching writer: LibraryWriter,
        _ isStopped: @Sendable () -> Bool
    ) throws(LibraryError) -> Int {
        let files = try writer.storedFiles(for: Set(missing.map(\.file.sha256)))
        var lacking = 0
        for (path, file) in missing {
            if isStopped() { return missing.count }
            if try !files.restore(file, at: path, in: staging) { lacking += 1 }
        }
        return lacking
    }

    /// Takes a file over that is as it should be, but for its mode.
    private mutating func keep(_ path: RelativePath, _ file: Receipt.File) throws(LibraryError) -> Bool {
        let isIntact =
            switch damage[path]?.problem {
            case nil, .wrongMode: true
            default: false
            }
        guard isIntact, let remains,
            try remains.restore(path, isProven: true, at: path, as: file, in: staging)
        else { return false }
        proven[path] = file.sha256
        return true
    }
}
