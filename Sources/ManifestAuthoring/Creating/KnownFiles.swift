import Platform

/// The files of a folder that a manifest names already.
struct KnownFiles {
    private(set) var files: Set<RelativePath> = []
    /// Those of them that presentations begin with.
    private(set) var presentations: Set<RelativePath> = []

    mutating func add(_ file: RelativePath, isPresentation: Bool) {
        files.insert(file)
        if isPresentation { presentations.insert(file) }
    }

    /// The same without the presentations that are left out.
    func taken(by selection: FileSelection) -> KnownFiles {
        var taken = self
        taken.presentations = presentations.filter { selection.takes($0, isDirectory: false) }
        return taken
    }
}
