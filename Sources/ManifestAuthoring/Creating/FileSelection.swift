import Platform

/// Which files a manifest is made of.
package struct FileSelection: Sendable {
    private let included: [PathPattern]
    private let excluded: [PathPattern]
    private let outputs: [FileStatus]

    /// - Parameters:
    ///   - included: what is taken; empty: everything.
    ///   - excluded: what is left out, stronger than `included`.
    ///   - outputs: what the manifest goes into or replaces, and its signature: none of its own files, by whatever name they are found.
    package init(included: [PathPattern] = [], excluded: [PathPattern] = [], outputs: [FileStatus] = []) {
        self.included = included
        self.excluded = excluded
        self.outputs = outputs
    }

    func takes(_ path: RelativePath, isDirectory: Bool) -> Bool {
        guard !included.isEmpty || !excluded.isEmpty else { return true }
        let components = path.components
        guard !excluded.contains(where: { $0.matches(components, isDirectory: isDirectory) }) else { return false }
        // A folder that isn't included itself may have files that are.
        return isDirectory || included.isEmpty
            || included.contains { $0.matches(components, isDirectory: false) }
    }

    func isOutput(_ file: FileStatus) -> Bool {
        outputs.contains { $0.inode == file.inode && $0.device == file.device }
    }
}
