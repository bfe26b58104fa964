import Platform

/// Unpacks a tar archive in one pass: each entry is judged against all before it and written at once; links are judged and made at the end.
struct TarUnpacking {
    let reader: TarReader
    let gzip: GzipStream?
    let policy: ExtractionPolicy

    /// - Parameter isCompressed: the tar is within gzip.
    init(_ input: BufferedInput, isCompressed: Bool, policy: ExtractionPolicy) throws(ArchiveError) {
        self.policy = policy
        guard isCompressed else {
            gzip = nil
            reader = TarReader(input)
            return
        }
        let gzip = try GzipStream(input)
        let content = ReadAhead(gzip) { input.offset }
        self.gzip = gzip
        reader = TarReader(LimitedExpansion(content, limits: policy.limits) { content.inputBytes })
    }

    var format: ArchiveFormat { gzip == nil ? .tar : .tarGzip }

    func run(into directory: Directory?, observer: UnpackObserver) throws(ArchiveError) -> UnpackSummary {
        let extractor = Extractor(
            into: directory, plan: ExtractionPlan(policy: policy), policy: policy, observer: observer)
        while let entry = try reader.next() {
            try observer.checkStop()
            do throws(ArchiveError) {
                try extractor.budget.countEntry()
                try extract(entry, with: extractor)
            } catch {
                throw error.located(entry: shownName(entry.name), offsetBytes: entry.offsetBytes)
            }
        }
        for warning in reader.warnings { extractor.plan.warn(warning) }
        if let trailing = gzip?.trailingBytes, trailing > 0 {
            extractor.plan.warn("\(trailing) bytes stand behind the compressed data")
        }
        try extractor.plan.judgeWhole(checkStop: observer.checkStop)
        try extractor.finish()
        return UnpackSummary(
            format: format, files: extractor.files, bytes: extractor.budget.totalBytes,
            isProvenWhole: reader.hasEndMark, warnings: extractor.plan.warnings.all)
    }

    private func extract(_ entry: TarEntry, with extractor: Extractor) throws(ArchiveError) {
        switch entry.kind {
        case .volumeLabel: return
        case .special: throw ArchiveError(.unsafe, "is a device or FIFO")
        case .continuation: throw ArchiveError(.unsupported, "goes on from another volume")
        default: break
        }
        let name = try extractor.plan.appendName(entry.name)
        if String(validating: entry.name, as: UTF8.self) == nil {
            extractor.plan.warn("the name '\(shownName(entry.name))' is not UTF-8")
        }
        switch entry.kind {
        case .directory, .dumpDirectory:
            guard let node = try extractor.plan.addDirectory(name) else { return }
            extractor.setTime(entry.modified, of: node)
            try extractor.createDirectories()
        case .symbolicLink:
            _ = try extractor.plan.addSymbolicLink(name) { entry.linkName }
        case .hardLink:
            let target = try extractor.plan.appendName(entry.linkName)
            _ = try extractor.plan.addHardLink(name, target: target)
        default:
            if case .unknown(let flag) = entry.kind {
                extractor.plan.warn("entry '\(shownName(entry.name))' has the unknown type \(escapedText([flag]))")
            }
            try extractFile(entry, name, with: extractor)
        }
    }

    private func extractFile(_ entry: TarEntry, _ name: Range<Int>, with extractor: Extractor) throws(ArchiveError) {
        guard let node = try extractor.plan.addFile(name) else { return }
        try extractor.createDirectories()
        try extractor.writeFile(node, mode: entry.mode, modified: entry.modified, content: entry.content())
    }
}
