import Platform

/// Turns files that were read into bundles.
struct BundleWriter {
    private var text: ManifestText
    private var names = BundleNames()
    private let manifestID: String
    private var folder: SourceFolder?

    private let limitBytes: Int64

    init(_ header: ManifestHeader, limitBytes: Int64) throws(CreationProblem) {
        manifestID = header.id
        self.limitBytes = limitBytes
        text = try CreationProblem.written { () throws(SystemError) in try ManifestText(header) }
    }

    /// All that is added now is of this folder.
    mutating func begin(_ folder: SourceFolder) { self.folder = folder }

    mutating func add(_ item: InspectionItem, _ facts: FileFacts) throws(CreationProblem) {
        let url = item.folder.urlPrefix + SourcePath.url(item.path)
        let placement = try FilePlacement(of: item, facts)
        try CreationProblem.written { () throws(SystemError) in
            switch placement {
            case .bundle(let name, let kind): try text.add(names.next(for: name), kind: kind, url, facts)
            case .listed: try text.list(SourcePath.path(item.path), url, facts)
            }
        }
        try checkSize()
    }

    private func checkSize() throws(CreationProblem) {
        if text.sizeBytes > limitBytes { throw .tooLarge(limitBytes: limitBytes) }
    }

    /// The files of a folder that stand for themselves are one bundle.
    mutating func endFolder() throws(CreationProblem) {
        guard text.hasList, let folder else { return }
        let name = folder.listName(manifestID: manifestID)
        try CreationProblem.written { () throws(SystemError) in try text.endList(names.next(for: name)) }
    }

    mutating func end() throws(CreationProblem) -> OwnedDescriptor {
        guard text.bundleCount > 0 else { throw .nothingFound }
        let whole = try CreationProblem.written { () throws(SystemError) in try text.end() }
        try checkSize()
        return whole
    }
}
