import Platform

/// What the first look at a folder found.
struct SurveyedFolder {
    let folder: SourceFolder
    let trees: PresentationTrees
    /// Of all files.
    let fingerprint: SHA256Digest

    /// Calls `body` with each file that stands for something.
    /// - Throws: `changed` where there are others than at the first look: nobody looked at names that are new, and what is gone was part of something.
    func forEachFile(
        _ selection: FileSelection,
        _ body: (RelativePath, InspectionItem.Role) throws(CreationProblem) -> Void
    ) throws(CreationProblem) {
        let fingerprint = WalkFingerprint()
        try FolderWalk(folder, selection).forEachStep { step throws(CreationProblem) in
            guard case .file(let path) = step else { return }
            fingerprint.add(path)
            if let role = trees.role(of: path) { try body(path, role) }
        }
        guard fingerprint.value == self.fingerprint else { throw .changed(folder.shown(nil)) }
    }
}
