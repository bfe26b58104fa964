import Diagnostics
import Glibc
import Platform

/// A bag (RFC 8493): a folder whose payload lies in `data/`, or is to be fetched.
struct Bag {
    let folder: SourceFolder
    let name: String
    /// From version 1.0 on a percent sign in a path is encoded, too (RFC 8493 §2.1.3).
    let encodesPercent: Bool
    /// In which the payload is listed, the best one first.
    let manifests: [DigestAlgorithm]
    private let shouldStop: () -> Bool

    private static let declaration: RelativePath = "bagit.txt"
    private static let info: RelativePath = "bag-info.txt"
    private static let fetchList: RelativePath = "fetch.txt"
    private static let payload: RelativePath = "data"
    private static let versions: Set<String> = ["0.93", "0.94", "0.95", "0.96", "0.97", "1.0"]
    private static let ownFilesOnly = "a bag has files of its own: put what is meant there itself"
    private static let longestLabels = 1 << 20

    init(_ folder: SourceFolder, shouldStop: @escaping () -> Bool) throws(ImportProblem) {
        self.folder = folder
        self.shouldStop = shouldStop
        name = folder.root.name
        guard let declared = try Self.labels(in: Self.declaration, of: folder) else {
            throw .invalid(
                "\(name): it has no bagit.txt, and so is no bag; `larder manifest create` makes a manifest of any folder"
            )
        }
        let version = declared.first { $0.label == "bagit-version" }?.value
        guard let version, Self.versions.contains(version) else {
            throw .invalid("\(name)/bagit.txt: it says no BagIt-Version that is known: 0.93 to 0.97, or 1.0")
        }
        let encoding = declared.first { $0.label == "tag-file-character-encoding" }?.value
        guard encoding?.uppercased() == "UTF-8" else {
            throw .invalid("\(name)/bagit.txt: Tag-File-Character-Encoding isn't UTF-8, and no other is read")
        }
        encodesPercent = version == "1.0"
        var manifests: [DigestAlgorithm] = []
        // SHA-256 is what a manifest has; of the others the strongest.
        for algorithm in [.sha256] + DigestAlgorithm.allCases.reversed().filter({ $0 != .sha256 })
        where try Self.exists(Self.manifest(algorithm), in: folder) { manifests.append(algorithm) }
        self.manifests = manifests
        guard !manifests.isEmpty else {
            throw .invalid("\(name): it has no payload manifest, manifest-sha256.txt or one of another digest")
        }
    }

    /// Every payload manifest lists all of the payload; before version 1.0 they could share it among them (RFC 8493 §2.1.3).
    var listsAllInEach: Bool { encodesPercent }

    // MARK: Its lists

    /// What the best of its lists is called in messages.
    var payloadName: String { "\(name)/\(Self.manifest(manifests[0]))" }

    func payload(by algorithm: DigestAlgorithm) throws(ImportProblem) -> BagList {
        try BagList(input(Self.manifest(algorithm)), fields: 2, decodingPercent: encodesPercent)
    }

    /// Nil where all of the payload is here.
    func fetchList() throws(ImportProblem) -> BagList? {
        guard try Self.exists(Self.fetchList, in: folder) else { return nil }
        return try BagList(input(Self.fetchList), fields: 3, decodingPercent: encodesPercent)
    }

    /// What `bag-info.txt` says, by labels in lower case.
    func information() throws(ImportProblem) -> [(label: String, value: String)] {
        try Self.labels(in: Self.info, of: folder) ?? []
    }

    /// Where a file of the bag is here; nil where nothing is.
    /// - Throws: `invalid` where something else stands in its place, or a link on its way.
    func local(_ path: RelativePath) throws(ImportProblem) -> LocalFile? {
        let status: FileStatus?
        do throws(SystemError) { status = try folder.root.status(of: path) } catch {
            switch error.code {
            // A file lies where the folder would.
            case ENOTDIR: return nil
            case ELOOP: throw .invalid("\(name)/\(path): a symbolic link leads there; \(Self.ownFilesOnly)")
            default: throw .system(error)
            }
        }
        guard let status else { return nil }
        guard status.kind == .file else { throw Self.notAFile(path, status.kind, in: folder) }
        return LocalFile(folder: folder, path: path, sizeBytes: status.sizeBytes)
    }

    /// Hands out the path of whatever lies in `data/` and is no folder.
    func forEachLocal(_ body: (RelativePath) throws(ImportProblem) -> Void) throws(ImportProblem) {
        var folders = try hasPayloadFolder() ? [Self.payload] : []
        while let path = folders.popLast() {
            guard !shouldStop() else { throw .stopped }
            let (directory, names) = try ImportProblem.asked { () throws(SystemError) in
                let directory = try folder.root.subdirectory(path)
                return (directory, try directory.names())
            }
            for name in names {
                let kind = try ImportProblem.asked { () throws(SystemError) in try directory.status(of: name)?.kind }
                guard let entry = try? path.appending(name) else {
                    throw .invalid("\(self.name)/\(path)/\(name): the path is too long to be listed")
                }
                switch kind {
                case .directory: folders.append(entry)
                case nil: continue
                default: try body(entry)
                }
            }
        }
    }

    /// - Throws: `invalid` where something else stands in its place.
    func hasPayloadFolder() throws(ImportProblem) -> Bool {
        let status = try ImportProblem.asked { () throws(SystemError) in try folder.root.status(of: Self.payload) }
        guard let status else { return false }
        guard status.kind == .directory else {
            throw .invalid(
                "\(name)/\(Self.payload): it is \(Self.shown(status.kind)), and no folder; \(Self.ownFilesOnly)")
        }
        return true
    }

    private static func notAFile(
        _ path: RelativePath, _ kind: FileStatus.Kind, in folder: SourceFolder
    ) -> ImportProblem {
        .invalid("\(folder.root.name)/\(path): it is \(shown(kind)), and no file; \(ownFilesOnly)")
    }

    /// Holds the files that describe the bag against the digests of these: a list that was changed or cut is found out.
    /// - Parameter isOffered: whether a digest can be taken here.
    func checkTagFiles(
        isOffered: (DigestAlgorithm) -> Bool = { MessageDigest($0) != nil }
    ) throws(ImportProblem) {
        var unchecked: RelativePath?
        // All of them list the same files.
        for algorithm in DigestAlgorithm.allCases.reversed() {
            let path = Self.tagManifest(algorithm)
            guard try Self.exists(path, in: folder) else { continue }
            guard isOffered(algorithm) else {
                unchecked = path
                continue
            }
            let list = try BagList(input(path), fields: 2, decodingPercent: encodesPercent)
            while let entry = try list.next() { try check(entry, by: algorithm) }
            return
        }
        if let unchecked {
            throw .invalid(
                "\(name)/\(unchecked): libcrypto here offers no such digest, and nobody can tell whether the bag's lists are whole; add a tagmanifest-sha256.txt, or take this one away"
            )
        }
    }

    private func check(_ entry: BagList.Entry, by algorithm: DigestAlgorithm) throws(ImportProblem) {
        guard let listed = hexBytes(entry.fields[0]), listed.count == algorithm.digestBytes else {
            throw .invalid(
                "\(entry.place): the \(algorithm.rawValue) \(entry.fields[0].quotedForMessage()) isn't \(2 * algorithm.digestBytes) hexadecimal digits"
            )
        }
        guard let local = try local(entry.path) else {
            throw .invalid("\(entry.place): \(entry.path) isn't in the bag, and was when that was made")
        }
        let read = try ImportProblem.asked { () throws(SystemError) in
            try MessageDigest.digests(of: local.folder.open(local.path), by: [algorithm], isStopped: shouldStop)
        }
        guard let read else { throw .stopped }
        guard read.digests[algorithm] == listed else {
            throw .invalid("\(entry.place): \(entry.path) isn't as it was when the bag was made")
        }
    }

    private func input(_ path: RelativePath) throws(ImportProblem) -> ListInput {
        let file = try ImportProblem.asked { () throws(SystemError) in
            try folder.root.open(path, flags: O_RDONLY | O_NONBLOCK)
        }
        return ListInput(file, name: "\(name)/\(path)", shouldStop: shouldStop)
    }

    private static func manifest(_ algorithm: DigestAlgorithm) -> RelativePath {
        (try? RelativePath("manifest-\(algorithm.plainName).txt")) ?? info
    }

    private static func tagManifest(_ algorithm: DigestAlgorithm) -> RelativePath {
        (try? RelativePath("tagmanifest-\(algorithm.plainName).txt")) ?? info
    }

    /// Whether a list is there. What stands in its place and is no file would be left out of account in silence.
    private static func exists(_ path: RelativePath, in folder: SourceFolder) throws(ImportProblem) -> Bool {
        let status = try ImportProblem.asked { () throws(SystemError) in try folder.root.status(of: path) }
        guard let status else { return false }
        guard status.kind == .file else { throw notAFile(path, status.kind, in: folder) }
        return true
    }

    private static func shown(_ kind: FileStatus.Kind) -> String {
        switch kind {
        case .file: "a file"
        case .directory: "a folder"
        case .symbolicLink: "a symbolic link"
        case .other: "a pipe, a socket or a device"
        }
    }

    /// `Label: value`, on following lines that begin with white space the rest of the value (RFC 8493 §2.2.2); nil where there is no such file.
    private static func labels(
        in path: RelativePath, of folder: SourceFolder
    ) throws(ImportProblem) -> [(label: String, value: String)]? {
        guard try exists(path, in: folder) else { return nil }
        let bytes = try ImportProblem.asked { () throws(SystemError) in
            try folder.root.readFile(path, limitBytes: longestLabels)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .invalid("\(folder.root.name)/\(path): it isn't UTF-8 text")
        }
        var labels: [(label: String, value: String)] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if line.first == " " || line.first == "\t", let last = labels.indices.last {
                labels[last].value += " " + String(line).trimmed
            } else if let colon = line.firstIndex(of: ":") {
                let value = String(line[line.index(after: colon)...]).trimmed
                labels.append((String(line[..<colon]).trimmed.lowercased(), value))
            }
        }
        return labels
    }
}
