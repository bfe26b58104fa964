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

    static let none = Couriers(folders: [], neighbours: [])

    private init(folders: [CourierFolder], neighbours: [Neighbour]) {
        (self.folders, self.neighbours) = (folders, neighbours)
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
        (self.folders, self.neighbours) = (folders, neighbours)
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
                return file
            } catch {
                // The mirrors are there all the same; but not where this machine is the trouble.
                if error.isOfMachine { throw error }
                // That it hasn't got something says nothing of the rest.
                if error.code != .unacceptableStatus { neighbour.note(isSuccess: false) }
            }
        }
        return nil
    }

    private func copy(
        _ digest: SHA256Digest, _ source: SourceFile, from folder: CourierFolder, for fetcher: SourceFetcher
    ) async throws(BundleFailure) -> FetchedFile? {
        let size = source.sizeBytes.map(Int64.init)
        let copy = try await fetcher.copying.attempt {
            [scratch = fetcher.scratch, control = fetcher.control, limits = fetcher.limits] () throws(BundleFailure) in
            try folder.take(
                digest, sizeBytes: size, in: scratch, isStopped: { control.reason != nil },
                didWrite: limits.note(written:))
        }
        guard let copy else { return nil }
        fetcher.emit(.courierTaken(bytes: copy.sizeBytes), escapedText(folder.path), nil)
        return FetchedFile(copy, url: escapedText(folder.path))
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
