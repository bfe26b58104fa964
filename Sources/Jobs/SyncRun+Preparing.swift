import BundleManifest
import ContentLibrary
import Downloads
import Platform

/// What has to be known, and to go, before anything is obtained.
extension SyncRun {
    /// Reads the manifests; one that can't be used is reported and doesn't keep the others from being carried through.
    func load(
        _ library: Library, _ downloader: Downloader, _ history: RunHistory, _ limits: RunLimits
    ) async -> LoadedManifests {
        if let mending = options.mending { return published(in: library, mending) }
        let memory = ManifestMemory(options, library, history)
        var loader = ManifestLoader(options, downloader: downloader, memory: memory, limits: limits) {
            emit($0, manifest: $1)
        }
        for location in options.manifests {
            if let reason = control.reason {
                loader.stop(reason.exit)
                break
            }
            await loader.load(location)
        }
        return loader.loaded
    }

    /// Lets go of what earlier runs had brought of bundles that their manifests don't list any more. What can't be removed is no reason to stop.
    func discardUnlisted(_ manifests: [LoadedManifest], _ writer: LibraryWriter) {
        let listed = Dictionary(
            manifests.filter { !$0.isHeld }.map { ($0.id, Set($0.manifest.bundles.map(\.id.text))) },
            uniquingKeysWith: { $1 })
        _ = try? writer.discardSalvage { bundle in
            listed[bundle.manifest].map { $0.contains(bundle.bundle.description) } ?? true
        }
    }

    /// Lets go of what earlier runs had brought of bundles that the library has by now as they are asked for.
    func discardSurplus(_ board: RunBoard, _ writer: LibraryWriter) {
        guard !writer.salvagedBundles.isEmpty else { return }
        let complete = Set(board.plans.map(\.plan).filter { $0.state == .unchanged }.map(\.address))
        _ = try? writer.discardSalvage { !complete.contains($0) }
    }

    /// Says that there is not enough room before the first byte moves, rather than half-way.
    func check(
        _ room: RoomWatch, _ relief: DiskRelief, for board: RunBoard, _ writer: LibraryWriter
    ) throws(RunProblem) {
        guard board.needsRoom else { return }
        var objection: String?
        do throws(SystemError) {
            // What is held of the run's own downloads would only have to be fetched again.
            objection = try room.objection(to: board.bytesToFetch) { relief.makeRoom(sparesWanted: true, $0) }
            guard objection != nil else { return }
            // What earlier runs had brought must not keep all later ones from beginning.
            let freed = relief.evictLeftovers { () throws(LibraryError) in try writer.discardFetchable { _ in false } }
            if freed > 0 { objection = try room.objection(to: board.bytesToFetch.addingClamped(freed), nil) }
        } catch {
            throw RunProblem(.failure, "\(error)")
        }
        if let objection { throw RunProblem(.noSpace, "\(escapedText(options.libraryPath)): \(objection)") }
    }
}
