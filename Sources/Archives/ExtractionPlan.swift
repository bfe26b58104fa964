import Platform

/// What an archive is going to create. All of the archive is judged, also what the policy's selection leaves out; nothing here touches the disk.
struct ExtractionPlan {
    /// What will be created.
    private var output: JudgedTree
    /// The whole archive with the paths it gives, where that isn't what will be created. Of its links only the paths matter.
    private var archive: JudgedTree?
    private let selection: EntrySelection
    private var selectedEntries = 0

    /// - Parameters:
    ///   - names: the names that entries will refer to by range.
    ///   - capacity: how many nodes to expect.
    init(policy: ExtractionPolicy, names: [UInt8] = [], capacity: Int = 0) {
        selection = policy.selection
        output = JudgedTree(policy: policy, names: names, capacity: selection.isEverything ? capacity : 0)
        guard !selection.isEverything else { return }
        // What isn't created needn't be portable.
        var lenient = policy
        lenient.names = .native
        archive = JudgedTree(policy: lenient, names: names, capacity: capacity)
    }

    var tree: PathTree { output.tree }
    var linkTargets: [PathTree.Node: [UInt8]] { output.linkTargets }
    /// Further names of files, in archive order.
    var hardLinks: [(link: PathTree.Node, file: PathTree.Node)] { output.hardLinks }
    var warnings: Warnings { output.warnings }

    /// Brings a name in, for the functions below. Both trees have the same names, so that a range means the same in either.
    mutating func appendName(_ name: some Collection<UInt8>) throws(ArchiveError) -> Range<Int> {
        _ = try archive?.appendName(name)
        return try output.appendName(name)
    }

    mutating func warn(_ line: String) { output.warnings.add(line) }

    /// Adds a directory; one that is there already is fine.
    /// - Returns: where it will be; nil, here and below, for what is not selected.
    mutating func addDirectory(_ name: Range<Int>) throws(ArchiveError) -> PathTree.Node? {
        _ = try archive?.addDirectory(name)
        guard let name = try selected(name, isDirectory: true) else { return nil }
        return try output.addDirectory(name)
    }

    mutating func addFile(_ name: Range<Int>) throws(ArchiveError) -> PathTree.Node? {
        _ = try archive?.addFile(name)
        guard let name = try selected(name, isDirectory: false) else { return nil }
        return try output.addFile(name)
    }

    /// Adds a symbolic link; where it leads is judged by `judgeWhole`, once all entries are known.
    /// - Parameter target: called for a selected link.
    mutating func addSymbolicLink(
        _ name: Range<Int>, target: () throws(ArchiveError) -> [UInt8]
    ) throws(ArchiveError) -> PathTree.Node? {
        _ = try archive?.addSymbolicLink(name, target: [])
        guard let name = try selected(name, isDirectory: false) else { return nil }
        return try output.addSymbolicLink(name, target: target())
    }

    /// Adds a further name of the entry that is called `target`, which must be there, and be selected as well: its content is nowhere else.
    mutating func addHardLink(_ name: Range<Int>, target: Range<Int>) throws(ArchiveError) -> PathTree.Node? {
        _ = try archive?.addHardLink(name, target: target)
        guard let name = try selected(name, isDirectory: false) else { return nil }
        guard let file = try selectedName(target, isDirectory: false) else {
            let shown = shownName(tree.names[target])
            throw ArchiveError(
                .notSelectable, "is a hard link to '\(shown)', which is not selected: select both or neither")
        }
        return try output.addHardLink(name, target: file)
    }

    /// Whether the entry of this name may be going to be created; one whose name is unsafe is refused when it is added.
    func mayCreate(_ name: Range<Int>, isDirectory: Bool) -> Bool {
        do throws(ArchiveError) { return try selectedName(name, isDirectory: isDirectory) != nil } catch { return true }
    }

    /// Judges what only the whole archive tells, once all of it is added: where symbolic links lead, and whether anything is selected. Where a
    /// part of the archive is selected, links to anything else are left out.
    /// - Parameter checkStop: called before each link.
    mutating func judgeWhole(checkStop: () throws(ArchiveError) -> Void) throws(ArchiveError) {
        let dangling = try output.judgeLinks(checkStop: checkStop)
        guard archive != nil else { return }
        for link in dangling {
            warn("the link '\(tree.description(of: link))' is left out: what it leads to is not selected")
        }
        output.dropLinks(dangling)
        selectedEntries -= dangling.count
        // What selects nothing is a mistake.
        guard selectedEntries == 0 else { return }
        throw ArchiveError(.notSelectable, "nothing in it is selected (\(selection.description))")
    }

    private mutating func selected(_ name: Range<Int>, isDirectory: Bool) throws(ArchiveError) -> Range<Int>? {
        let selected = try selectedName(name, isDirectory: isDirectory)
        if selected != nil { selectedEntries += 1 }
        return selected
    }

    private func selectedName(_ name: Range<Int>, isDirectory: Bool) throws(ArchiveError) -> Range<Int>? {
        guard let archive else { return name }
        return selection.selectedName(of: try archive.judge(name), in: tree.names, isDirectory: isDirectory)
    }
}
