import Platform

/// The first look at what a manifest is made of: names, sizes and playlists.
struct FolderSurvey {
    private let selection: FileSelection
    private let observer: CreationObserver
    private var names = NameCheck()
    private var (files, bytes) = (0, Int64(0))

    init(_ selection: FileSelection, _ observer: CreationObserver) {
        self.selection = selection
        self.observer = observer
    }

    /// - Throws: `refusedNames`
    func checkNames() throws(CreationProblem) {
        guard names.refused.count > 0 else { return }
        throw .refusedNames(names.refused.lines, count: names.refused.count)
    }

    /// Looks at the names that folders have beside each other.
    mutating func check(_ folders: [SourceFolder]) { names.check(folders) }

    /// - Parameters:
    ///   - base: where the folder will be served; nil: nobody knows.
    ///   - known: what the manifest names already.
    mutating func look(
        at folder: SourceFolder, servedAt base: String?, knowing known: KnownFiles = KnownFiles()
    ) throws(CreationProblem) -> SurveyedFolder {
        var found = Found()
        try FolderWalk(folder, selection).forEachStep { step throws(CreationProblem) in
            if observer.shouldStop() { throw .stopped }
            try take(step, of: folder, &found)
        }
        let trees = try PresentationTrees(
            found.playlists, in: folder, base: base, knowing: known.taken(by: selection), observer)
        try settleNames(in: folder, trees, known)
        // Of a presentation only the first playlist is read.
        for part in trees.parts
        where trees.role(of: part) == nil && !known.files.contains(part) && isFound(part, in: folder) {
            count(try? folder.root.status(of: part), -1)
        }
        return SurveyedFolder(folder: folder, trees: trees, fingerprint: found.fingerprint.value)
    }

    private struct Found {
        var playlists: [RelativePath] = []
        var fingerprint = WalkFingerprint()
    }

    private mutating func take(
        _ step: FolderWalk.Step, of folder: SourceFolder, _ found: inout Found
    ) throws(CreationProblem) {
        switch step {
        case .folder(let path, let names): self.names.check(names, in: path, of: folder)
        case .file(let path):
            found.fingerprint.add(path)
            let status = try CreationProblem.asked { () throws(SystemError) in try self.status(of: path, in: folder) }
            if let status, selection.isOutput(status) { return }
            names.check(path, of: folder)
            if FileForm.isPlaylist(path.name) { found.playlists.append(path) }
            count(status, 1)
        case .other(let path, let kind):
            observer.warn(
                "\(folder.shown(path)): \(kind == .symbolicLink ? "a link" : "what is neither file nor folder") is left out"
            )
        case .tooDeep(let path): names.addTooDeep(folder.shown(path))
        }
    }

    private func status(of path: RelativePath, in folder: SourceFolder) throws(SystemError) -> FileStatus? {
        let status = try folder.root.status(of: path)
        return status?.kind == .symbolicLink ? try folder.open(path).status() : status
    }

    /// Names that no manifest takes are no trouble where none has to: of archives and presentations only URLs are written.
    private mutating func settleNames(
        in folder: SourceFolder, _ trees: PresentationTrees, _ known: KnownFiles
    ) throws(CreationProblem) {
        guard names.hasDoubts else { return }
        try FolderWalk(folder, selection).forEachStep { step throws(CreationProblem) in
            guard case .file(let path) = step, FileForm.promised(by: path.name)?.form != .archive,
                !known.presentations.contains(path)
            else { return }
            let isKnown = known.files.contains(path)
            guard isKnown || trees.isPlain(path) else { return }
            names.confirm(path, isKnown: isKnown)
        }
        names.settle()
    }

    /// Whether the walk came by a file that is there.
    private func isFound(_ file: RelativePath, in folder: SourceFolder) -> Bool {
        folder.holds(file) && selection.takes(file, isDirectory: false)
    }

    /// - Parameter sign: 1 for a file that is there, -1 for one that needn't be read.
    private mutating func count(_ status: FileStatus?, _ sign: Int) {
        files += sign
        bytes = bytes.addingReportingOverflow((status?.sizeBytes ?? 0) * Int64(sign)).partialValue
        observer.didFind(files, bytes)
    }
}
