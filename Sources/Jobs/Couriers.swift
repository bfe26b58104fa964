import BundleManifest
import ContentLibrary
import Downloads
import Platform
import Transfer

/// Those who have bytes nearer than any mirror. They are asked first, for what has a digest in its manifest: nothing else would tell whether what they
/// have is what is wanted.
struct Couriers: Sendable {
    private let folders: [CourierFolder]
    private let neighbours: [Neighbour]
    /// Those of whom it was told that something they have is of no use: a disk that rots has thousands of such files.
    private let blamed: Locked<Set<String>>

    static let none = Couriers(folders: [], neighbours: [])

    private init(folders: [CourierFolder], neighbours: [Neighbour]) {
        (self.folders, self.neighbours, blamed) = (folders, neighbours, Locked([]))
    }

    /// Looks what they have of what a run is going to need.
    /// - Parameter warn: told of each that can't be used; the others, and the mirrors, are there all the same.
    init(
        _ locations: [CourierLocation], for plans: [BundlePlan], _ downloader: Downloader, on blocking: JobQueue,
        warn: (String) -> Void
    ) async {
        let plans = plans.filter(\.mayFetch)
        guard !locations.isEmpty, !plans.isEmpty else {
            self = .none
            return
        }
        let names = Dictionary(
            plans.flatMap { $0.bundle.courierNames(in: $0.address.manifest) }, uniquingKeysWith: { $0 + $1 })
        let manifests = Set(plans.map(\.address.manifest)).sorted()
        var folders: [CourierFolder] = []
        var neighbours: [Neighbour] = []
        for location in locations {
            do {
                switch location {
                case .folder(let path):
                    folders.append(
                        try await blocking.attempt { () throws(SystemError) in try CourierFolder(path, for: names) })
                case .neighbour(let url):
                    neighbours.append(
                        try await Neighbour(
                            url, manifests: manifests, wanted: Set(names.keys), downloader: downloader))
                }
            } catch {
                warn("nothing is taken from \(location): \(error)")
            }
        }
        self.init(folders: folders, neighbours: neighbours)
    }

    /// Brings a file from the first that has it.
    /// - Returns: nil where none has.
    func fetch(_ source: SourceFile, for fetcher: SourceFetcher) async throws(BundleFailure) -> FetchedFile? {
        guard let digest = source.digest else { return nil }
        for folder in folders {
            if let copy = try await copy(digest, source, from: folder, for: fetcher) { return copy }
        }
        for neighbour in neighbours {
            // Nothing else bounds what somebody may send whom the manifest doesn't name.
            guard source.sizeBytes != nil, let url = neighbour.source(of: digest),
                fetcher.distrust.nextTry(url, for: digest) == nil
            else { continue }
            do throws(BundleFailure) {
                let file = try await fetcher.fetch(source, fromNeighbour: url)
                neighbour.note(isSuccess: true)
                fetcher.emit(.courierTaken(bytes: file.sizeBytes, isFetched: true), "\(neighbour.url)", nil)
                return file
            } catch {
                // The mirrors are there all the same; but not where this machine is the trouble.
                if error.isOfMachine { throw error }
                // That it hasn't got something says nothing of the rest.
                guard error.code != .unacceptableStatus else { continue }
                neighbour.note(isSuccess: false)
                blame("\(neighbour.url)", for: error.description, fetcher)
            }
        }
        return nil
    }

    private func copy(
        _ digest: SHA256Digest, _ source: SourceFile, from folder: CourierFolder, for fetcher: SourceFetcher
    ) async throws(BundleFailure) -> FetchedFile? {
        let size = source.sizeBytes.map(Int64.init)
        let answer = try await fetcher.copying.attempt {
            [scratch = fetcher.scratch, control = fetcher.control, limits = fetcher.limits] () throws(BundleFailure) in
            try folder.take(
                digest, sizeBytes: size, in: scratch, isStopped: { control.reason != nil },
                didWrite: limits.note(written:))
        }
        let name = escapedText(folder.path)
        switch answer {
        case .copy(let copy):
            fetcher.emit(.courierTaken(bytes: copy.sizeBytes, isFetched: false), name, nil)
            return FetchedFile(copy, url: name)
        case .nothing: return nil
        case .unusable(let reason):
            blame(name, for: reason, fetcher)
            return nil
        }
    }

    /// Tells that something a courier has can't be used, once of each.
    private func blame(_ courier: String, for reason: String, _ fetcher: SourceFetcher) {
        guard blamed.withLock({ $0.insert(courier).inserted }) else { return }
        fetcher.emit(
            .warning("of no use: \(reason); the sources are asked instead (more of this courier isn't told)"),
            courier, nil)
    }
}

extension BundlePlan {
    /// Whether anything may have to be fetched whose digest is known.
    fileprivate var mayFetch: Bool {
        switch work {
        case .obtain, .mend, .revalidate: true
        case .upToDate, .impossible: false
        }
    }
}
