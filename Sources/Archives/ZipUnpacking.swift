import Platform

/// Unpacks a zip archive: the whole directory is read and judged before the first byte is written.
struct ZipUnpacking {
    let archive: ZipArchive
    let policy: ExtractionPolicy

    init(_ source: any ByteSource, policy: ExtractionPolicy) throws(ArchiveError) {
        archive = try ZipArchive(source, limits: policy.limits)
        self.policy = policy
    }

    func run(into directory: Directory?, observer: UnpackObserver) throws(ArchiveError) -> UnpackSummary {
        let (plan, nodes) = try judgedPlan(observer: observer)
        let extractor = Extractor(into: directory, plan: plan, policy: policy, observer: observer)
        try extractor.createDirectories()
        var files: [(entry: UInt32, node: PathTree.Node)] = []
        var bytes: Int64 = 0
        for (index, node) in nodes.enumerated() {
            guard let node else { continue }
            let entry = archive.directory.entries[index]
            switch plan.tree.kind(of: node) {
            case .directory: extractor.setTime(archive.modificationTime(of: entry), of: node)
            case .symbolicLink: break
            case .file:
                files.append((UInt32(index), node))
                bytes += entry.sizeBytes  // No overflow: the plan's budget has taken them all.
            }
        }
        try ZipFiles(files, of: archive, in: plan.tree, into: directory, policy: policy, observer: observer).extract()
        try extractor.finish()
        return UnpackSummary(
            format: .zip, files: files.count, bytes: bytes, warnings: archive.warnings + extractor.plan.warnings.all)
    }

    /// The plan of the whole archive, and for each selected entry the node it became.
    private func judgedPlan(
        observer: UnpackObserver
    ) throws(ArchiveError) -> (plan: ExtractionPlan, nodes: [PathTree.Node?]) {
        let directory = archive.directory
        var plan = ExtractionPlan(policy: policy, names: directory.names, capacity: directory.entries.count)
        for entry in directory.entries {
            try archive.located(entry) { () throws(ArchiveError) in
                let isDirectory = try archive.kind(of: entry) == .directory
                if plan.mayCreate(nameRange(of: entry), isDirectory: isDirectory) { try archive.checkSupported(entry) }
            }
        }
        var nodes: [PathTree.Node?] = []
        nodes.reserveCapacity(directory.entries.count)
        var declared = ExtractionBudget(policy.limits)
        var readBytes: Int64 = 0
        for entry in directory.entries {
            if observer.shouldStop() { throw ArchiveError(.stopped, "stopped") }
            try archive.located(entry) { () throws(ArchiveError) in
                let node = try add(entry, to: &plan)
                nodes.append(node)
                guard node != nil else { return }
                readBytes += entry.compressedBytes
                let whole = FileWriter.Piece(bytes: entry.sizeBytes, fileBytes: entry.sizeBytes, isHole: false)
                try declared.charge(whole, inputBytes: readBytes)
            }
        }
        try plan.judgeLinks()
        try plan.checkSelection()
        return (plan, nodes)
    }

    private func nameRange(of entry: ZipEntry) -> Range<Int> {
        let start = Int(entry.nameOffset)
        return start..<(start + Int(entry.nameBytes))
    }

    private func add(_ entry: ZipEntry, to plan: inout ExtractionPlan) throws(ArchiveError) -> PathTree.Node? {
        let name = nameRange(of: entry)
        switch try archive.kind(of: entry) {
        case .directory:
            guard entry.sizeBytes == 0 else { throw ArchiveError(.malformed, "is a directory that holds data") }
            return try plan.addDirectory(name)
        case .file:
            return try plan.addFile(name)
        case .symbolicLink:
            return try plan.addSymbolicLink(name) { () throws(ArchiveError) in try linkTarget(of: entry) }
        }
    }

    private func linkTarget(of entry: ZipEntry) throws(ArchiveError) -> [UInt8] {
        guard entry.sizeBytes <= EntryPath.maximumBytes else {
            throw ArchiveError(.unsafe, "the link's target is over 4,095 bytes long")
        }
        let content = archive.content(of: entry)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: EntryPath.maximumBytes + 1, alignment: 1)
        defer { buffer.deallocate() }
        var target: [UInt8] = []
        while true {
            let count = try content.read(into: buffer)
            if count == 0 { return target }
            target += buffer[..<count]
        }
    }
}
