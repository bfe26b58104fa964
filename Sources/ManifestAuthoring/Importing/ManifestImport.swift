import Downloads
import Platform
import Transfer

/// Makes a manifest of lists that others wrote: a bundle of each.
package struct ManifestImport {
    private let sources: ImportSources
    private let header: ManifestHeader
    private let options: Options
    private let limitBytes: Int64
    private let observer: ImportObserver

    package struct Options: Sendable {
        /// Of all lists that are files; nil: as each begins.
        package var format: ListFormat?
        /// What people call the bundle, where that isn't to be as the list says.
        package var title: String?
        /// How what has no SHA-256 is fetched, to be hashed; nil: it stays without.
        package var fetching: Fetching?

        package init() {}
    }

    package struct Fetching: Sendable {
        let downloader: Downloader
        let redirects: RedirectPolicy
        let bodyBudgetBytes: Int64?

        /// - Parameters:
        ///   - downloader: whose store needs room for as many files as it fetches at once; none stays there.
        ///   - bodyBudgetBytes: the most that one reply may carry; nil: any number.
        package init(_ downloader: Downloader, redirects: RedirectPolicy, bodyBudgetBytes: Int64?) {
            (self.downloader, self.redirects, self.bodyBudgetBytes) = (downloader, redirects, bodyBudgetBytes)
        }
    }

    /// - Parameter limitBytes: how large the manifest may become.
    package init(
        _ sources: ImportSources, _ header: ManifestHeader, _ options: Options, limitBytes: Int64 = .max,
        _ observer: ImportObserver
    ) {
        self.sources = sources
        self.header = header
        self.options = options
        self.limitBytes = limitBytes
        self.observer = observer
    }

    /// Blocks, until all is read and, where that is asked for, fetched.
    /// - Returns: the manifest's text, in a file that is gone when nobody holds it.
    package func run() throws(ImportProblem) -> OwnedDescriptor {
        let manifest = ManifestBeingWritten(try ImportWriter(header, limitBytes: limitBytes))
        let add = { (file: ImportedFile) throws(ImportProblem) in try manifest.writer.add(file) }
        for list in try options.fetching == nil ? sources.lists : judgedLists() {
            let hasher = options.fetching.map { SourceHasher($0, mirrors: header.mirrors, observer, output: add) }
            var facts = try read(list, observer) { file throws(ImportProblem) in
                if let hasher { try hasher.add(file) } else { try add(file) }
            }
            try hasher?.finish()
            if let title = options.title { facts.title = title }
            try manifest.writer.endBundle(list.stem ?? Self.namelessStem, facts)
        }
        return try manifest.writer.end()
    }

    private static let namelessStem = Array("files".utf8)

    /// One that several hand files to, one after the other.
    private final class ManifestBeingWritten {
        var writer: ImportWriter

        init(_ writer: ImportWriter) { self.writer = writer }
    }

    /// Reads the lists to their ends, so that what is wrong in a last line is told before hours are spent on fetching.
    private func judgedLists() throws(ImportProblem) -> [ImportedList] {
        var quiet = observer
        quiet.warn = { _ in }
        quiet.didList = { _ in }
        var lists: [ImportedList] = []
        for list in sources.lists {
            let start = list.position
            let copy =
                try list.isPipe
                ? ImportProblem.written { () throws(SystemError) in try TemporaryFolder.unnamedFile() } : nil
            _ = try read(list, copyingTo: copy, quiet) { _ in }
            let again = copy.map { ImportedList($0, of: list) } ?? list
            try again.rewind(to: start ?? 0)
            lists.append(again)
        }
        return lists
    }

    private func read(
        _ list: ImportedList, copyingTo copy: OwnedDescriptor? = nil, _ observer: ImportObserver,
        _ output: @escaping FileIntake.Output
    ) throws(ImportProblem) -> ListFacts {
        func intake(_ name: String) -> FileIntake {
            FileIntake(
                name, takesRelativeURLs: !header.mirrors.isEmpty, needsDigests: options.fetching == nil,
                limitBytes: limitBytes, observer, output: output)
        }
        let intaken: FileIntake
        let facts: ListFacts
        switch list.content {
        case .bag(let folder):
            let bag = try Bag(folder, shouldStop: observer.shouldStop)
            intaken = intake(bag.payloadName)
            facts = try BagReader.read(bag, intaken)
        case .file(let file):
            intaken = intake(list.name)
            let input = ListInput(file, name: list.name, copyingTo: copy, shouldStop: observer.shouldStop)
            facts = try read(input, intaken)
        }
        try intaken.end()
        return facts
    }

    private func read(_ input: ListInput, _ intake: FileIntake) throws(ImportProblem) -> ListFacts {
        let beginning = try input.beginning()
        guard !ListFormat.isBlank(beginning) || beginning.count == ListInput.pieceBytes else {
            throw .invalid("\(input.name): it is empty")
        }
        // Of XML expat reads UTF-16 by itself.
        if let encoding = ListFormat.wideEncoding(of: beginning), encoding == "UTF-32" || !ListFormat.isXML(beginning) {
            throw .invalid(
                "\(input.name): it is in \(encoding), and lists are read in UTF-8 alone: convert it with iconv -f \(encoding) -t UTF-8, and pass what comes out as -"
            )
        }
        guard !beginning.starts(with: [0x1F, 0x8B]) else {
            throw .invalid("\(input.name): it is compressed; gunzip it, and pass what comes out as -")
        }
        switch options.format ?? ListFormat.detected(in: beginning) {
        case .metalink: return try MetalinkReader.read(input, intake)
        case .aria2: try Aria2ListReader.read(input, intake)
        case .urls: try URLListReader.read(input, intake)
        case .bagit: throw .invalid("\(input.name): a bag is a folder; name that instead of a file in it")
        }
        return ListFacts()
    }
}
