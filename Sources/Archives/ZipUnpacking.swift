import Platform

/// Unpacks a zip archive: the whole directory is read and judged before the first byte is written. Of an archive that still arrives, an entry's
/// local header is compared with it at the entry's turn.
struct ZipUnpacking {
    let archive: ZipArchive
    let policy: ExtractionPolicy

    init(_ source: any ByteSource, isArriving: Bool, policy: ExtractionPolicy) throws(ArchiveError) {
        archive = try ZipArchive(source, isArriving: isArriving, limits: policy.limits)
        self.policy = policy
    }

    func run(into directory: Directory?, observer: UnpackObserver) throws(ArchiveError) -> UnpackSummary {
        let (plan, nodes) = try judgedPlan(observer: observer)
        let extractor = Extractor(into: directory, plan: plan, policy: policy, observer: observer)
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
        guard observer.mayUnpack(bytes) else { throw ArchiveError(.stopped, "stopped") }
        try extractor.createDirectories()
        if archive.arrivingHeaders != nil {
            let entries = archive.directory.entries
            files.sort { entries[Int($0.entry)].headerOffset < entries[Int($1.entry)].headerOffset }
        }
        try ZipFiles(files, of: archive, in: plan.tree, into: directory, policy: policy, observer: observer).extract()
        let warnings = try archive.warnings()
        try extractor.finish()
        return UnpackSummary(
            format: .zip, files: files.count, bytes: bytes, isProvenWhole: true,
            warnings: warnings + extractor.plan.warnings.all)
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
        var expansion = Expansion(policy.limits)
        var readBytes: Int64 = 0
        for entry in directory.entries {
            try observer.checkStop()
            try archive.located(entry) { () throws(ArchiveError) in
                let node = try add(entry, to: &plan)
                nodes.append(node)
                guard node != nil else { return }
                let (sum, overflow) = readBytes.addingReportingOverflow(entry.compressedBytes)
                guard !overflow else { throw ArchiveError(.malformed, "all data would lie beyond any file's end") }
                readBytes = sum
                try declared.charge(.init(bytes: entry.sizeBytes, fileBytes: entry.sizeBytes, isHole: false))
                try expansion.charge(entry.sizeBytes, inputBytes: readBytes)
            }
        }
        try plan.judgeWhole(checkStop: observer.checkStop)
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
            let node = try plan.addFile(name)
            if node != nil, entry.isPipe, entry.sizeBytes == 0 {
                let shown = shownName(archive.directory.name(of: entry))
                plan.warn("entry '\(shown)' is a pipe, or came from one, and holds nothing: it becomes an empty file")
            }
            return node
        case .symbolicLink:
            return try plan.addSymbolicLink(name) { () throws(ArchiveError) in try linkTarget(of: entry) }
        }
    }

    private func linkTarget(of entry: ZipEntry) throws(ArchiveError) -> [UInt8] {
        guard entry.sizeBytes <= EntryPath.maximumBytes else {
            throw ArchiveError(.unsafe, "the link's target is over 4,095 bytes long")
        }
        let content = entry.content(in: archive.packedContent(of: entry))
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
