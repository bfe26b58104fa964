import Glibc
import Platform

/// Content that is complete, has the modes it will be published with, and is on the disk to stay: what can be committed.
package struct SealedContent: Sendable {
    let staging: Staging
    /// In the order of the paths' bytes.
    package let entries: [Receipt.Entry]
    /// How many of the files share their bytes with an older version, and how many bytes that saves.
    package let sharedFiles: Int
    package let sharedBytes: Int64
}

extension Staging {
    /// Ends the building: sets the published modes, takes stock, and flushes every file and then every directory to the disk.
    /// - Parameters:
    ///   - digests: what the caller has already verified, by path; other files are hashed here.
    ///   - sharing: an older version of the bundle, to share the bytes of unchanged files with.
    /// - Throws: `damaged` for what is neither a file, a directory nor a link.
    package func seal(
        digests: [RelativePath: SHA256Digest] = [:], sharing: ContentSharing? = nil
    ) throws(LibraryError) -> SealedContent {
        var inventory = StagingInventory(staging: self, digests: digests, sharing: sharing)
        try inventory.take()
        try inventory.flush()
        return SealedContent(
            staging: self, entries: inventory.entries.sorted { $0.path < $1.path },
            sharedFiles: inventory.sharedFiles, sharedBytes: inventory.sharedBytes)
    }
}

/// The walk through a staging directory.
private struct StagingInventory {
    let staging: Staging
    let digests: [RelativePath: SHA256Digest]
    let sharing: ContentSharing?

    var entries: [Receipt.Entry] = []
    var sharedFiles = 0
    var sharedBytes: Int64 = 0
    private var directories: [RelativePath] = []
    /// Files whose bytes are not on the disk yet.
    private var unflushed: [RelativePath] = []
    private static let fewFiles = 8

    init(staging: Staging, digests: [RelativePath: SHA256Digest], sharing: ContentSharing?) {
        self.staging = staging
        self.digests = digests
        self.sharing = sharing
    }

    mutating func take() throws(LibraryError) {
        try takeDirectory(staging.directory, path: nil)
        // The list grows while it is walked: it is the queue of the walk, too.
        var next = 0
        while next < directories.count {
            let path = directories[next]
            next += 1
            let directory = try translating { () throws(SystemError) in try staging.directory.subdirectory(path) }
            if try takeDirectory(directory, path: path) == 0 {
                entries.append(Receipt.Entry(path: path, content: .emptyDirectory))
            }
        }
    }

    @discardableResult
    private mutating func takeDirectory(_ directory: Directory, path: RelativePath?) throws(LibraryError) -> Int {
        let names = try translating { () throws(SystemError) in
            try directory.descriptor.setMode(LibraryLayout.directoryMode)
            return try directory.names()
        }
        for name in names {
            let full: RelativePath
            do { full = try path?.appending(name) ?? name } catch {
                throw LibraryError(.damaged, "\(directory.name)/\(name) can't be published: \(error)")
            }
            try takeItem(name, in: directory, path: full)
        }
        return names.count
    }

    private mutating func takeItem(
        _ name: RelativePath, in directory: Directory, path: RelativePath
    ) throws(LibraryError) {
        let status = try translating { () throws(SystemError) in try directory.status(of: name) }
        if let status, let file = takeLinked(status, path: path) {
            entries.append(Receipt.Entry(path: path, content: .file(file)))
            return
        }
        switch status?.kind {
        case .directory:
            directories.append(path)
        case .symbolicLink:
            let target = try translating { () throws(SystemError) in try directory.linkTarget(of: name) }
            entries.append(Receipt.Entry(path: path, content: .symbolicLink(target: target)))
        case .file:
            let file = try takeFile(name, in: directory, path: path)
            entries.append(Receipt.Entry(path: path, content: .file(file)))
        case .other, nil:
            throw LibraryError(
                .damaged, "\(directory.name)/\(name) can't be published: it is no file, directory or link")
        }
    }

    /// A file of the store that got a name here as well, as it is to be published: nothing is left to do for it. Nil for any other.
    private mutating func takeLinked(_ status: FileStatus, path: RelativePath) -> Receipt.File? {
        guard status.kind == .file, let digest = digests[path], staging.isLinked(path, status),
            [LibraryLayout.fileMode, LibraryLayout.executableMode].contains(status.mode)
        else { return nil }
        sharedFiles += 1
        sharedBytes &+= status.sizeBytes
        return Receipt.File(sizeBytes: status.sizeBytes, mode: status.mode, modified: status.modified, sha256: digest)
    }

    private mutating func takeFile(
        _ name: RelativePath, in directory: Directory, path: RelativePath
    ) throws(LibraryError) -> Receipt.File {
        let (file, status) = try translating { () throws(SystemError) in
            let file = try directory.open(name, flags: O_RDONLY | O_NONBLOCK)
            let isExecutable = try file.status().mode & 0o111 != 0
            let mode = isExecutable ? LibraryLayout.executableMode : LibraryLayout.fileMode
            if try file.status().mode != mode { try file.setMode(mode) }
            return (file, try file.status())
        }
        let digest =
            if let known = digests[path] { known } else {
                try translating { () throws(SystemError) in try file.sha256() }
            }
        let result = Receipt.File(
            sizeBytes: status.sizeBytes, mode: status.mode, modified: status.modified, sha256: digest)
        if let sharing, try sharing.replace(file, with: result, at: path, in: staging) {
            sharedFiles += 1
            sharedBytes &+= result.sizeBytes
        } else {
            file.startWriteback()
        }
        unflushed.append(path)
        return result
    }

    /// Files first, then the directories that name them; or all at once, where there are so many that a flush of each would take longer than
    /// the work itself.
    func flush() throws(LibraryError) {
        try translating { () throws(SystemError) in
            if unflushed.count + directories.count > Self.fewFiles {
                if try staging.directory.descriptor.synchronizeFileSystem() { return }
            }
            for path in unflushed { try staging.directory.open(path, flags: O_RDONLY | O_NONBLOCK).synchronize() }
            for path in directories { try staging.directory.subdirectory(path).synchronize() }
            try staging.directory.synchronize()
        }
    }
}

extension OwnedDescriptor {
    /// The digest of the whole file.
    func sha256() throws(SystemError) -> SHA256Digest {
        let hasher = SHA256()
        _ = try hasher.update(from: self)
        return hasher.finalize()
    }
}

extension RelativePath {
    static func < (left: RelativePath, right: RelativePath) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
