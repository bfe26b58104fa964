import Glibc
import Platform

/// Holds what stands in a content directory against its receipt, part by part: names, kinds, modes of directories and targets of links here; the
/// files themselves are for the caller to read, see ``FileInspection``.
///
/// The receipt is read through first, since before its end nothing of it is proven. In memory are one part, and the names of one directory.
package final class ContentInspection: Sendable {
    /// What of the content comes next.
    package struct Part: Sendable {
        /// Files that are there, with what the receipt says of each.
        package fileprivate(set) var files: [File] = []
        package fileprivate(set) var damage: [ContentDamage] = []
        /// Everything up to here was in this part or before it; nil where nothing is left.
        package fileprivate(set) var end: RelativePath?

        fileprivate var bytes: Int64 = 0
    }

    package struct File: Sendable {
        package let path: RelativePath
        package let expected: Receipt.File
    }

    /// How much of the content one part is.
    package struct Portion: Sendable {
        /// Files at most, and findings.
        package var count = 256
        /// No further file is added behind so many bytes, unless there are fewer than `least`.
        package var bytes: Int64 = 256 << 20
        package var least = 8

        package init() {}
    }

    package let directory: Directory
    /// The lock is the walk's own: nobody waits for it but another caller of this inspection.
    private let state: Locked<InspectionState>

    /// - Parameter position: what comes before it, and itself, was looked at already.
    /// - Throws: `damaged` for a receipt that isn't what was written.
    package convenience init(_ content: StoredContent, after position: RelativePath? = nil) throws(LibraryError) {
        try self.init(content.open(), receipt: content.openReceipt(), after: position)
    }

    init(_ directory: Directory, receipt file: OwnedDescriptor, after position: RelativePath? = nil)
        throws(LibraryError)
    {
        try ReceiptReader.check(file)
        var reader = try ReceiptReader(file)
        try reader.skipSources()
        self.directory = directory
        state = Locked(try InspectionState(reader, directory, after: position))
    }

    /// Goes on to what comes next.
    package func next(_ portion: Portion = Portion()) throws(LibraryError) -> Part {
        try state.withLock { state throws(LibraryError) in
            var part = Part()
            while part.damage.count < portion.count, part.files.count < portion.count,
                part.bytes < portion.bytes || part.files.count < portion.least
            {
                part.end = try state.step(&part)
                if part.end == nil { break }
            }
            if part.end == nil { part.damage += state.emptyDirectoryDamage() }
            part.damage += state.tree.takeDamage()
            return part
        }
    }
}

/// A walk through a receipt and through what stands on the disk, side by side.
private struct InspectionState {
    private let directory: Directory
    private var reader: ReceiptReader
    var tree: StoredTree
    private var entry: Receipt.Entry?
    private var item: (path: RelativePath, kind: StoredTree.Kind)?
    // Those of the one that were not come to in the other. They stand at different places: receipts have no slash behind their names.
    private var expectedEmptyDirectories: Set<RelativePath> = []
    private var foundEmptyDirectories: Set<RelativePath> = []

    init(
        _ reader: ReceiptReader, _ directory: Directory, after position: RelativePath?
    ) throws(LibraryError) {
        self.reader = reader
        self.directory = directory
        tree = StoredTree(directory)
        func isPast(_ path: RelativePath) -> Bool { position.map { !($0 < path) } ?? false }
        repeat { try nextEntry() } while entry.map { isPast($0.path) } ?? false
        repeat { nextItem() } while item.map { isPast($0.path) } ?? false
    }

    private mutating func nextEntry() throws(LibraryError) {
        while true {
            entry = try reader.nextEntry()
            guard let entry, case .emptyDirectory = entry.content else { return }
            if foundEmptyDirectories.remove(entry.path) == nil { expectedEmptyDirectories.insert(entry.path) }
        }
    }

    private mutating func nextItem() {
        while true {
            item = tree.next()
            guard let item, item.kind == .emptyDirectory else { return }
            if expectedEmptyDirectories.remove(item.path) == nil { foundEmptyDirectories.insert(item.path) }
        }
    }

    /// Takes what comes first: of the receipt, of the disk, or of both.
    /// - Returns: its path; nil at the end of both.
    mutating func step(_ part: inout ContentInspection.Part) throws(LibraryError) -> RelativePath? {
        guard let path = [entry?.path, item?.path].compactMap(\.self).min(by: { $0 < $1 }) else { return nil }
        let isExpected = entry?.path == path
        let isThere = item?.path == path
        if let entry, let item, isExpected, isThere {
            part.take(entry, item.kind, in: directory)
        } else {
            part.damage.append(ContentDamage(path, isExpected ? .missing : .foreign))
        }
        if isExpected { try nextEntry() }
        if isThere { nextItem() }
        return path
    }

    /// At the end of both.
    func emptyDirectoryDamage() -> [ContentDamage] {
        expectedEmptyDirectories.map { ContentDamage($0, .missing) }
            + foundEmptyDirectories.map { ContentDamage($0, .foreign) }
    }
}

extension ContentInspection.Part {
    /// Takes what is in the receipt, and on the disk under the same name.
    fileprivate mutating func take(_ entry: Receipt.Entry, _ kind: StoredTree.Kind, in directory: Directory) {
        switch (entry.content, kind) {
        case (.file(let expected), .file):
            files.append(ContentInspection.File(path: entry.path, expected: expected))
            bytes &+= expected.sizeBytes
        case (.symbolicLink(let expected), .symbolicLink):
            do {
                let target = try directory.linkTarget(of: entry.path)
                if target != expected { damage.append(ContentDamage(entry.path, .wrongTarget(target))) }
            } catch {
                damage.append(ContentDamage(entry.path, .unreadable("\(error)")))
            }
        default: damage.append(ContentDamage(entry.path, .wrongKind))
        }
    }
}
