import Platform

/// Entries judged against each other, however they are ordered: each path safe in itself, used once, and beneath directories alone.
struct JudgedTree {
    private(set) var tree: PathTree
    private(set) var linkTargets: [PathTree.Node: [UInt8]] = [:]
    /// Further names of files, in archive order.
    private(set) var hardLinks: [(link: PathTree.Node, file: PathTree.Node)] = []
    var warnings = Warnings()
    private var linkBytes = 0
    private let policy: ExtractionPolicy

    /// - Parameters:
    ///   - names: the names that entries will refer to by range.
    ///   - capacity: how many nodes to expect.
    init(policy: ExtractionPolicy, names: [UInt8], capacity: Int) {
        self.policy = policy
        tree = PathTree(names: names, capacity: capacity)
    }

    /// Brings a name in, for the functions below.
    mutating func appendName(_ name: some Collection<UInt8>) throws(ArchiveError) -> Range<Int> {
        try tree.appendName(name)
    }

    /// Adds a directory; one that is there already is fine.
    mutating func addDirectory(_ name: Range<Int>) throws(ArchiveError) -> PathTree.Node {
        let path = try judge(name)
        guard !path.components.isEmpty else { return .root }
        return try insert(path, as: .directory, name)
    }

    mutating func addFile(_ name: Range<Int>) throws(ArchiveError) -> PathTree.Node {
        try insert(judgeBelowRoot(name), as: .file, name)
    }

    /// Adds a symbolic link; where it leads is judged by `judgeLinks`, once all entries are known.
    mutating func addSymbolicLink(_ name: Range<Int>, target: [UInt8]) throws(ArchiveError) -> PathTree.Node {
        try setLink(insert(judgeBelowRoot(name), as: .symbolicLink, name), target)
    }

    /// Adds a further name of the entry that is called `target`, which must be there. A further name of a symbolic link becomes a link
    /// with the same target, judged from its own place.
    mutating func addHardLink(_ name: Range<Int>, target: Range<Int>) throws(ArchiveError) -> PathTree.Node {
        let path = try judgeBelowRoot(name)
        guard !target.isEmpty, let file = try existingNode(target) else {
            throw ArchiveError(.corrupted, "is a hard link to what the archive has not created before it")
        }
        switch tree.kind(of: file) {
        case .directory: throw ArchiveError(.unsafe, "is a hard link to a directory")
        case .file:
            let node = try insert(path, as: .file, name)
            hardLinks.append((node, file))
            return node
        case .symbolicLink:
            return try setLink(insert(path, as: .symbolicLink, name), linkTargets[file] ?? [])
        }
    }

    private mutating func setLink(
        _ node: PathTree.Node, _ target: [UInt8]
    ) throws(ArchiveError) -> PathTree.Node {
        linkBytes += target.count
        guard linkBytes <= PathTree.maximumNamesBytes else {
            throw ArchiveError(
                .limitExceeded, "the link targets are longer than \(PathTree.maximumNamesBytes) bytes in all")
        }
        linkTargets[node] = target
        return node
    }

    /// Judges where every symbolic link leads.
    /// - Parameter checkStop: called before each.
    /// - Returns: the links that lead to nothing in the tree.
    func judgeLinks(checkStop: () throws(ArchiveError) -> Void) throws(ArchiveError) -> [PathTree.Node] {
        var resolution = LinkResolution(tree: tree, targets: linkTargets)
        var dangling: [PathTree.Node] = []
        for link in linkTargets.keys.sorted(by: { $0.index < $1.index }) {
            try checkStop()
            do { if try !resolution.judge(link) { dangling.append(link) } } catch {
                throw error.located(entry: tree.description(of: link))
            }
        }
        return dangling
    }

    /// Takes back links: their paths stay in use, but they won't be made.
    mutating func dropLinks(_ links: [PathTree.Node]) {
        for link in links { linkTargets[link] = nil }
    }

    /// Judges a name by itself.
    func judge(_ name: Range<Int>) throws(ArchiveError) -> EntryPath {
        try EntryPath(judging: name, in: tree.names, policy: policy)
    }

    private func judgeBelowRoot(_ name: Range<Int>) throws(ArchiveError) -> EntryPath {
        let path = try judge(name)
        guard !path.components.isEmpty else { throw ArchiveError(.unsafe, "would replace the target directory itself") }
        return path
    }

    private func existingNode(_ name: Range<Int>) throws(ArchiveError) -> PathTree.Node? {
        var node = PathTree.Node.root
        for component in try judge(name).components {
            if tree.kind(of: node) == .symbolicLink {
                throw ArchiveError(.unsafe, "is a hard link through the symbolic link '\(tree.description(of: node))'")
            }
            guard let next = tree.child(of: node, named: tree.names[component]) else { return nil }
            node = next
        }
        return node
    }

    private mutating func insert(
        _ path: EntryPath, as kind: PathTree.Kind, _ name: Range<Int>
    ) throws(ArchiveError) -> PathTree.Node {
        let insertion = try tree.insert(path.components, as: kind)
        guard (tree.count - 1) / 2 <= policy.limits.entries else {
            throw ArchiveError(
                .limitExceeded, "the paths imply more directories than the limit of \(policy.limits.entries)")
        }
        if !insertion.isNew {
            let existing = tree.kind(of: insertion.node)
            guard existing == .directory, kind == .directory else {
                throw ArchiveError(
                    .unsafe, existing == kind ? "the path occurs twice" : "the path is used for two kinds")
            }
        }
        if let lookalike = insertion.lookalike { try judgeLookalike(lookalike, name) }
        return insertion.node
    }

    private mutating func judgeLookalike(_ node: PathTree.Node, _ name: Range<Int>) throws(ArchiveError) {
        let difference = "differs from '\(tree.description(of: node))' only by case or Unicode normalisation"
        if policy.names == .portable { throw ArchiveError(.unsafe, difference) }
        warnings.add("entry '\(shownName(tree.names[name]))' \(difference)")
    }
}
