import ContentLibrary
import Platform

/// What becomes of what was obtained.
extension SyncRun {
    struct Publication: Sendable {
        /// Whether readers see everything that was obtained.
        let isComplete: Bool
        /// Bundles that they don't see any more.
        var removedCount = 0
        /// The new one; nil where all was as it is.
        var generation: GenerationNumber?
    }

    func publish(
        _ board: RunBoard, _ writer: LibraryWriter, _ history: RunHistory
    ) throws(RunProblem) -> Publication {
        // After a signal nothing more is begun: what is complete in the store is found there by the next run.
        if control.reason?.isSignal == true { return Publication(isComplete: false) }
        guard let draft = board.draft(allOrNothing: options.allOrNothing) else {
            return Publication(isComplete: false)
        }
        var publication = Publication(isComplete: true)
        do throws(LibraryError) {
            let generation = try writer.publish(draft)
            liftPin(board, writer)
            guard let generation else { return publication }
            publication.generation = generation.number
            publication.removedCount = GenerationChanges(from: draft.base, to: generation).removed.count
            for (plan, content) in board.unpublished {
                emit(.bundlePublished(version: content.header.origin.version), of: plan.address)
            }
            emit(.generationPublished(number: generation.number.value))
            history.recordPublication(generation.number, board.publishedSerials)
        } catch {
            throw RunProblem(error.isNoSpace ? .noSpace : .failure, error.message)
        }
        // Mending takes nothing away: how many generations stay is for whoever keeps the library to say.
        if options.mending == nil { collect(writer, history) }
        return publication
    }

    /// What is published with a higher serial than the pin holds isn't held any more. Where this fails, the next run does it.
    private func liftPin(_ board: RunBoard, _ writer: LibraryWriter) {
        do throws(LibraryError) { try writer.liftPin(for: board.publishedSerials) } catch {
            emit(.warning("the pin could not be lifted: \(error)"))
        }
    }

    /// Planning takes time, and somebody who sent a signal waits.
    private static let mostPlannedAgain = 1_000

    /// Notes how far the bundles are that the run ended before it could complete. To be called when nobody has their files any more.
    func recordPauses(
        _ board: RunBoard, _ library: Library, damaged: Set<StoreAddress>, _ history: RunHistory
    ) {
        var paused = board.pausedPlans
        guard !paused.isEmpty else { return }
        if paused.count <= Self.mostPlannedAgain {
            // What is here by now shows when it is planned again.
            var again = options
            again.onlyBundles = Set(paused.map(\.bundle.id.text))
            again.onlyTags = []
            let addresses = Set(paused.map(\.address))
            if let plans = try? RunBoard(again, library, board.manifests, damaged: damaged, emit: { _, _ in }).plans {
                paused = plans.map(\.plan).filter { addresses.contains($0.address) }
            }
        }
        history.record(paused.map { BundleOutcome(bundle: $0.address, $0.pause) })
    }

    /// Notes what the next run needn't ask for, nor look at.
    func remember(_ board: RunBoard, _ library: Library, _ history: RunHistory) {
        guard let current = try? library.generations.currentNumber() else { return }
        // What was let pass this once is judged again each time.
        let maySettle = !options.allowsRollback && !options.allowsExpired
        history.record(board.records(in: current, maySettle: maySettle, at: options.clock.now()))
    }

    /// What there was nothing to do for is in the newest generation, too.
    func remember(_ settled: [SettledManifest], _ library: Library, _ history: RunHistory) {
        guard let current = try? library.generations.currentNumber() else { return }
        let now = options.clock.now()
        let records = settled.map { manifest in
            var record = manifest.record
            (record.settled, record.lastSuccess, record.lastComplete) = (current, now, now)
            return (manifest.source, record)
        }
        history.record(Dictionary(records, uniquingKeysWith: { $1 }))
    }

    /// A manifest that a pin holds was looked at, and all was done for it that its library's owner wants.
    func rememberHeld(_ manifests: [LoadedManifest], _ history: RunHistory) {
        let held = manifests.filter(\.isHeld).compactMap { manifest -> (SHA256Digest, ManifestRecord)? in
            guard let source = manifest.source else { return nil }
            let known = history.manifest(from: source).flatMap { $0.manifest == manifest.id ? $0 : nil }
            var record = known ?? ManifestRecord(manifest)
            record.lastSuccess = options.clock.now()
            return (source, record)
        }
        history.record(Dictionary(held, uniquingKeysWith: { $1 }))
    }

    /// Removes what no kept generation needs. What is published is published: trouble here is told, and the next run tries again.
    private func collect(_ writer: LibraryWriter, _ history: RunHistory) {
        do throws(LibraryError) {
            let collected = try writer.collect(keep: options.keptGenerations, keepAge: options.keepAge)
            history.forgetVerifications(of: collected.contents)
        } catch {
            emit(.warning("old generations could not be removed: \(error)"))
        }
    }
}

extension ManifestRecord {
    /// What is known of a manifest that was read and isn't settled: whether it is published is told elsewhere.
    init(_ manifest: LoadedManifest) {
        self.init(
            manifest: manifest.id, serial: manifest.manifest.serial, digest: SHA256.digest(of: manifest.bytes),
            expires: manifest.manifest.expires, validator: manifest.validator, signer: manifest.signer?.description,
            bundleCount: manifest.manifest.bundles.count)
    }
}
