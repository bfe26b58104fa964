import BundleManifest
import Diagnostics
import Glibc
import JSONSyntax
import Platform

/// Brings a manifest up to date with the files that it names, and with those that came since.
///
/// Its text is edited, and whatever needn't change stays as it was written. Each file is read, however old it looks: digests are the truth.
package struct ManifestUpdate {
    private let old: DecodedManifest
    private let document: JSONDocument
    private let sources: ManifestSources
    private let locator: SourceLocator
    private let selection: FileSelection
    private let options: Options
    private let observer: CreationObserver

    package struct Options: Sendable {
        /// Where the files are served, with a slash at the end; nil: where relative URLs lead.
        package var base: String?
        /// When the manifest is made, should anything change.
        package var created: Timestamp
        /// Whether files that are gone go from the manifest as well.
        package var prunes = false
        /// How large the manifest may become.
        package var limitBytes = Int.max
        /// What its text is judged by.
        package var decoding: ManifestDecodingOptions

        package init(
            created: Timestamp, decoding: ManifestDecodingOptions = ManifestDecodingOptions(allowsFileURLs: true)
        ) {
            (self.created, self.decoding) = (created, decoding)
        }
    }

    /// - Parameters:
    ///   - old: what the manifest is so far.
    ///   - place: the folder that it lies in, as an absolute path behind links.
    /// - Returns: nil where `old` isn't valid.
    package init?(
        _ old: DecodedManifest, in place: [UInt8], _ sources: ManifestSources, _ selection: FileSelection,
        _ options: Options, _ observer: CreationObserver
    ) {
        guard let document = old.document else { return nil }
        (self.old, self.document, self.sources, self.selection) = (old, document, sources, selection)
        (self.options, self.observer) = (options, observer)
        locator = SourceLocator(sources, mirrors: old.mirrors, manifestIn: place, servedAt: options.base)
    }

    package func run() throws(CreationProblem) -> UpdatedManifest {
        let known = try knownFiles()
        let surveyed = try survey(known.files)
        let line = try InspectionLine(selection, observer)
        var changes = ManifestChanges(document)
        let segments = try renew(&changes, line)
        try addNew(surveyed, known, to: &changes, line)
        try changes.settle(prunes: options.prunes) { bundle throws(CreationProblem) in
            try joinedDigest(bundle, of: segments)
        }
        for told in changes.told.gone.all + changes.told.versions.all { observer.warn(told) }
        // Where there are mirrors they are relative to these.
        let isPlaced =
            old.mirrors.isEmpty && (document.hasRelativeURLs || (options.base == nil && changes.counts.added > 0))
        guard let (edits, serial) = try changes.edits(at: options.created) else {
            return UpdatedManifest(change: nil, counts: changes.counts, isPlaced: isPlaced)
        }
        let bytes = document.source.bytes.applying(edits)
        guard bytes.count <= options.limitBytes else { throw .tooLarge(limitBytes: Int64(options.limitBytes)) }
        try check(bytes)
        return UpdatedManifest(
            change: .init(edits: edits, bytes: bytes, serial: serial), counts: changes.counts, isPlaced: isPlaced)
    }

    private func check(_ bytes: [UInt8]) throws(CreationProblem) {
        let source = SourceText(name: document.source.name, bytes: bytes)
        let new = DecodedManifest(source, options: options.decoding)
        let errors = new.diagnostics.filter { $0.severity == .error }
        guard !errors.isEmpty else { return }
        // Errors that fail a bundle alone may have been there before.
        let (known, counts) = (Self.errorCounts(old.diagnostics), Self.errorCounts(errors))
        let added = errors.filter { counts[$0.id, default: 0] > known[$0.id, default: 0] }
        let renderer = DiagnosticTextRenderer(LineIndex(source), of: errors)
        guard new.isValid, added.isEmpty else {
            throw .invalid((added.isEmpty ? errors : added).prefix(10).map(renderer.line))
        }
        for error in errors.prefix(10) { observer.warn("\(renderer.line(error)), as it was before") }
    }

    /// How many there are, by their rules.
    private static func errorCounts(_ diagnostics: [Diagnostic]) -> [String: Int] {
        diagnostics.filter { $0.severity == .error }.reduce(into: [:]) { $0[$1.id, default: 0] += 1 + $1.othersCount }
    }

    // MARK: What is named

    private struct Known {
        /// By the number of their folder.
        var files: [KnownFiles]
        var homes = ListHomes()
        var ids: Set<String> = []
    }

    private func knownFiles() throws(CreationProblem) -> Known {
        var known = Known(files: sources.folders.map { _ in KnownFiles() })
        for bundle in document.listedBundles {
            known.ids.insert(bundle.id)
            try bundle.forEachSource { source throws(CreationProblem) in
                if observer.shouldStop() { throw .stopped }
                for file in locator.files(of: source) {
                    known.files[file.folder].add(file.path, isPresentation: bundle.kind == .hls)
                    guard bundle.kind == .files, let path = source["path"]?.string else { continue }
                    known.homes.add(locator.place(of: file), called: path, inBundleAt: bundle.place.range.start)
                }
            }
        }
        return known
    }

    private func survey(_ known: [KnownFiles]) throws(CreationProblem) -> [SurveyedFolder] {
        var survey = FolderSurvey(selection, observer)
        survey.check(sources.folders)
        var surveyed: [SurveyedFolder] = []
        for (folder, known) in zip(sources.folders, known) {
            let base = locator.serverURL.map { $0 + folder.urlPrefix }
            surveyed.append(try survey.look(at: folder, servedAt: base, knowing: known))
        }
        try survey.checkNames()
        return surveyed
    }

    // MARK: What is there of it

    /// Reads the files that the manifest names, in its order.
    /// - Returns: the digests of segments that are joined, by where their objects begin.
    private func renew(
        _ changes: inout ManifestChanges, _ line: InspectionLine
    ) throws(CreationProblem) -> [Int: SHA256Digest] {
        var (found, missing, isNamesake) = (0, 0, false)
        var segments: [Int: SHA256Digest] = [:]
        var joined: Set<Int> = []
        func tell(_ item: InspectionItem, _ facts: FileFacts) {
            guard case .known(let place) = item.role else { return }
            let source = document.value(at: place)
            changes.renew(source, facts)
            if joined.remove(source.range.start) != nil { segments[source.range.start] = facts.digest }
        }
        var lost: [(source: JSONValue, file: RelativePath)] = []
        for bundle in document.listedBundles where !bundle.isRecording {
            let isJoined = bundle.place["joinSHA256"] != nil
            try bundle.forEachSource { source throws(CreationProblem) in
                switch try state(of: source) {
                case .there(let file):
                    found += 1
                    if isJoined { joined.insert(source.range.start) }
                    let item = InspectionItem(
                        path: file.path, folder: sources.folders[file.folder], role: .known(source.place))
                    try line.add(item, tell: tell)
                case .gone(let file):
                    missing += 1
                    lost.append((source, locator.place(of: file)))
                case .elsewhere:
                    missing += 1
                    isNamesake = isNamesake || sources.hasFile(calledAsIn: source)
                case .link(let file): changes.note(linked: locator.place(of: file), of: bundle)
                case .leftOut: return
                }
            }
        }
        try line.finish(tell: tell)
        for (source, file) in lost { changes.note(gone: source, file) }
        // By another base they may all be there: they would come into the manifest once more, or be taken out of it.
        // Files that were named one by one, and are called as nothing is that the manifest has, are meant to be new.
        let areNew = !isNamesake && lost.isEmpty && sources.folders.allSatisfy { $0.files != nil }
        if found == 0, missing > 0, !areNew { throw .nothingMatches(count: missing) }
        return segments
    }

    private enum SourceState {
        case there(SourceLocator.File)
        case gone(SourceLocator.File)
        /// Not among the files that are looked at.
        case elsewhere
        case link(SourceLocator.File)
        /// By a pattern.
        case leftOut
    }

    private func state(of source: JSONValue) throws(CreationProblem) -> SourceState {
        let named = locator.files(of: source)
        let files = named.filter { selection.takes($0.path, isDirectory: false) }
        for file in files {
            switch try kind(of: file) {
            case .file?: return .there(file)
            case .symbolicLink?: return .link(file)
            case .directory?, .other?, nil: continue
            }
        }
        return files.first.map { .gone($0) } ?? (named.isEmpty ? .elsewhere : .leftOut)
    }

    private func kind(of file: SourceLocator.File) throws(CreationProblem) -> FileStatus.Kind? {
        let folder = sources.folders[file.folder]
        do throws(SystemError) {
            let kind = try folder.root.status(of: file.path)?.kind
            // One that a user named is followed.
            guard kind == .symbolicLink, folder.files != nil else { return kind }
            return try folder.open(file.path).status().kind
        } catch {
            // A link on the way to it; the walk tells of it.
            if error.code == ELOOP { return .symbolicLink }
            // What was a folder is a file now.
            if error.code == ENOTDIR { return nil }
            throw .system(error)
        }
    }

    /// Reads the segments of a bundle once more, one behind the other.
    /// - Parameter segments: what each was when it was read before.
    /// - Returns: nil where not all are here.
    private func joinedDigest(
        _ bundle: ListedBundle, of segments: [Int: SHA256Digest]
    ) throws(CreationProblem) -> SHA256Digest? {
        guard bundle.list?.elements.allSatisfy({ segments[$0.range.start] != nil }) == true else { return nil }
        let joined = SHA256()
        let segment = SHA256()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { piece.deallocate() }
        try bundle.forEachSource { source throws(CreationProblem) in
            guard case .there(let file) = try state(of: source) else { throw .changed(bundle.id) }
            let folder = sources.folders[file.folder]
            segment.reset()
            try CreationProblem.asked { () throws(SystemError) in
                let descriptor = try folder.open(file.path)
                while !observer.shouldStop() {
                    let count = try descriptor.read(into: piece)
                    if count == 0 { return }
                    let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
                    joined.update(bytes)
                    segment.update(bytes)
                }
            }
            if observer.shouldStop() { throw .stopped }
            // Written to in between, it would be neither what the manifest says nor what it joins.
            guard segment.finalize() == segments[source.range.start] else { throw .changed(folder.shown(file.path)) }
        }
        return joined.finalize()
    }

    // MARK: What is new

    private func addNew(
        _ surveyed: [SurveyedFolder], _ known: Known, to changes: inout ManifestChanges, _ line: InspectionLine
    ) throws(CreationProblem) {
        var new = NewFiles(document, known.homes, taken: known.ids, urlStart: locator.urlStart)
        for (survey, known) in zip(surveyed, known.files) {
            func tell(_ item: InspectionItem, _ facts: FileFacts) throws(CreationProblem) {
                try new.add(item, facts, to: &changes)
            }
            try survey.forEachFile(selection) { path, role throws(CreationProblem) in
                guard !known.files.contains(path) else { return }
                try line.add(InspectionItem(path: path, folder: survey.folder, role: role), tell: tell)
            }
            try line.finish(tell: tell)
            new.endFolder(survey.folder, manifestID: old.id?.text ?? "", &changes)
        }
    }
}

extension ManifestSources {
    /// Whether a file was named one by one that is called as one of a source's URLs calls it.
    fileprivate func hasFile(calledAsIn source: JSONValue) -> Bool {
        let names = Set(
            (source["urls"] ?? source).elements.compactMap { $0.string.map { Array(SourceURL.name(in: $0).utf8) } })
        return folders.contains { folder in folder.files?.contains { names.contains(Array($0.name.bytes)) } ?? false }
    }
}
