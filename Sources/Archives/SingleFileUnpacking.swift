import Platform

/// Unpacks what holds one file and no directory: gzip, zlib, bare deflate.
struct SingleFileUnpacking {
    let input: BufferedInput
    let format: ArchiveFormat
    /// What the archive is called.
    let archive: String
    let policy: ExtractionPolicy

    func run(into directory: Directory?, observer: UnpackObserver) throws(ArchiveError) -> UnpackSummary {
        var plan = ExtractionPlan(policy: policy)
        let (stream, node) = try open(&plan)
        let gzip = stream as? GzipStream
        let content = ReadAhead(stream) { input.offset }
        let limited = LimitedExpansion(content, limits: policy.limits) { content.inputBytes }
        let extractor = Extractor(into: directory, plan: plan, policy: policy, observer: observer)
        try extractor.budget.countEntry()
        try extractor.writeFile(
            node, mode: 0o644, modified: gzip?.modifiedSeconds.map { Timestamp(seconds: $0) }, content: limited)
        var trailing = gzip?.trailingBytes ?? 0
        if gzip == nil { trailing = try Self.countRest(of: input) }
        if trailing > 0 { extractor.plan.warn("\(trailing) bytes stand behind the compressed data") }
        try extractor.finish()
        return UnpackSummary(
            format: format, files: extractor.files, bytes: extractor.budget.totalBytes,
            isProvenWhole: format != .gzip, warnings: extractor.plan.warnings.all)
    }

    /// Tells of the one file, which has to be read for that: only its content says how long it is.
    func list(observer: UnpackObserver, _ body: (ListedEntry) -> Void) throws(ArchiveError) {
        var plan = ExtractionPlan(policy: policy)
        let (content, node) = try open(&plan)
        let limited = LimitedExpansion(content, limits: policy.limits) { input.offset }
        var (budget, crc) = (ExtractionBudget(policy.limits), CRC32())
        let size = try FileWriter(into: nil, policy: policy, observer: observer).read(
            limited, charge: { (piece) throws(ArchiveError) in try budget.charge(piece) },
            take: { bytes, _ in crc.update(bytes) })
        body(
            ListedEntry(
                name: plan.tree.path(of: node)?.bytes ?? [], kind: .file, sizeBytes: size, packedBytes: input.offset,
                method: ZipMethod.name(of: ZipMethod.deflate), crc32: crc.value,
                modifiedSeconds: (content as? GzipStream)?.modifiedSeconds))
    }

    /// The content, its header read, and the place it gets in the plan.
    private func open(
        _ plan: inout ExtractionPlan
    ) throws(ArchiveError) -> (content: any ByteStream, node: PathTree.Node) {
        guard policy.selection.isEverything else {
            throw ArchiveError(
                .notSelectable,
                "a \(format.rawValue) stream holds one file without a path: nothing can be stripped or selected")
        }
        guard format == .gzip else {
            return (InflateStream(input, container: format == .zlib ? .zlib : .raw), try addFile(named: nil, to: &plan))
        }
        let gzip = try GzipStream(input)
        return (gzip, try addFile(named: gzip.originalName, to: &plan))
    }

    private static func countRest(of input: BufferedInput) throws(ArchiveError) -> Int64 {
        let start = input.offset
        while try input.fill(1) { input.consume(input.available.count) }
        return input.offset - start
    }

    /// The caller's name, else the one within, else the archive's own: the first that is one safe component.
    private func addFile(named inner: [UInt8]?, to plan: inout ExtractionPlan) throws(ArchiveError) -> PathTree.Node {
        if let name = policy.singleFileName {
            if let node = try plan.addFile(plan.appendName(name.utf8)) { return node }
        } else {
            for name in [inner.map(Self.lastComponent), ownName, Array("content".utf8)] {
                guard let name else { continue }
                if let node = try? plan.addFile(plan.appendName(name)) { return node }
            }
        }
        throw ArchiveError(.unsafe, "no name can be given to the file within")
    }

    /// The last component of the name within, which is Latin-1 by the format and often UTF-8 in fact.
    private static func lastComponent(of name: [UInt8]) -> [UInt8] {
        let component = name.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.last.map(Array.init) ?? []
        if String(validating: component, as: UTF8.self) != nil { return component }
        return Array(String(String.UnicodeScalarView(component.map { UnicodeScalar($0) })).utf8)
    }

    /// The archive's name without its directory and last extension.
    private var ownName: [UInt8] {
        let component = Self.lastComponent(of: Array(archive.utf8))
        guard let dot = component.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return component }
        return Array(component[..<dot])
    }
}
