import BundleManifest
import ContentLibrary
import Platform

/// Where a run stands: what was planned for each bundle, and what has become of it.
final class RunBoard: Sendable {
    let manifests: [LoadedManifest]
    /// In the order of the run.
    let plans: [(index: BundleOrder.Index, plan: BundlePlan)]
    /// Content that would have been kept, and isn't what it was.
    let foundDamaged: Set<StoreAddress>
    private let base: Generation?
    private let results = Locked<[BundleOrder.Index: Result<StoredContent, BundleFailure>]>([:])

    /// Plans every bundle of the run against what the library holds.
    /// - Parameters:
    ///   - library: nil when there is none yet.
    ///   - writer: who knows what runs that were cut short had brought, for as long as nothing comes to that; nil: it is looked for.
    init(
        _ options: RunOptions, _ library: Library?, _ manifests: [LoadedManifest], damaged: Set<StoreAddress> = [],
        before writer: LibraryWriter? = nil, emit: (RunEvent.Kind, BundleAddress) -> Void
    ) throws(RunProblem) {
        self.manifests = manifests
        let salvage: (BundleAddress) -> Salvage?
        let published: Set<StoreAddress>
        do throws(LibraryError) {
            base = try library?.generations.current()
            if let writer {
                salvage = { writer.salvage(of: $0) }
            } else {
                salvage = try library?.salvage() ?? { _ in nil }
            }
            published = try library?.generations.addresses() ?? []
        } catch {
            throw RunProblem(.failure, error.message)
        }
        var plans: [(index: BundleOrder.Index, plan: BundlePlan)] = []
        for (number, manifest) in manifests.enumerated() {
            let planner = Planner(
                manifest: manifest, base: base, library: library, published: published, salvage: salvage,
                redirects: options.redirects, damaged: damaged, decrypts: Planner.Decrypting(options))
            if manifest.isHeld && options.mending == nil { continue }
            for bundle in manifest.manifest.bundles where options.selects(bundle, of: manifest.id) {
                guard let plan = planner.plan(bundle), options.mending == nil || plan.isMending else { continue }
                plans.append((BundleOrder.Index(manifest: number, bundle: bundle.id.text), plan))
            }
        }
        foundDamaged = Self.lookAtKept(&plans, of: manifests, base)
        self.plans = plans
        for (_, plan) in plans { emit(.bundlePlanned(plan.state, bytes: plan.plannedBytes), plan.address) }
    }

    /// What would be published once more is looked at before, as far as that costs little: its files' sizes. Where nothing new is in sight that is left
    /// to `verify`, also where a server that is only asked turns out to have something new; and so is what the run leaves out of the base: bundles that
    /// aren't selected, and other manifests.
    /// - Returns: what isn't as it was, and is planned to be mended by now.
    private static func lookAtKept(
        _ plans: inout [(index: BundleOrder.Index, plan: BundlePlan)], of manifests: [LoadedManifest],
        _ base: Generation?
    ) -> Set<StoreAddress> {
        let isPublishing =
            plans.contains { $0.plan.state == .fetch }
            || manifests.contains { !$0.isHeld && (try? base?.manifestBytes($0.id)) != $0.bytes }
        guard isPublishing else { return [] }
        var damaged: Set<StoreAddress> = []
        for number in plans.indices {
            guard let content = plans[number].plan.kept, !content.hasItsExtent else { continue }
            plans[number].plan = plans[number].plan.mending(content)
            damaged.insert(content.address)
        }
        return damaged
    }

    /// Bundles that readers see now and no manifest of the run names any more.
    var leaving: [BundleAddress] {
        manifests.filter { !$0.isHeld }.flatMap { manifest in
            let named = Set(manifest.manifest.bundles.map(\.id.text))
            return (base?.manifests[manifest.id] ?? [:]).keys.filter { !named.contains($0.description) }
                .map { BundleAddress(manifest: manifest.id, bundle: $0) }
        }.sorted()
    }

    /// Whether this is what readers see of its bundle.
    func isCurrent(_ content: StoreAddress) -> Bool {
        base?.manifests[content.bundle.manifest]?[content.bundle.bundle] == content.name
    }

    /// What has become of a bundle: of one that a pin holds, content that readers don't see yet would have to be published, and may not be.
    func judge(
        _ index: BundleOrder.Index, _ result: Result<StoredContent, BundleFailure>
    ) -> Result<StoredContent, BundleFailure> {
        guard manifests[index.manifest].isHeld, case .success(let content) = result, isNew(content) else {
            return result
        }
        return .failure(
            BundleFailure(
                .libraryFailed,
                "its sources have something else by now, and a pin keeps that from being published; larder unpin ends that"
            ))
    }

    func note(_ index: BundleOrder.Index, _ result: Result<StoredContent, BundleFailure>) {
        results.withLock { $0[index] = result }
    }

    /// Whether any bundle has to be fetched; servers that are only asked may have nothing new.
    var needsRoom: Bool { plans.contains(where: \.plan.needsRoom) }

    /// Bytes that will have to be fetched in all, as far as the manifests tell.
    var bytesToFetch: Int64 {
        plans.reduce(0) { $0.addingClamped($1.plan.bytesToFetch) }
    }

    // MARK: What has become of it

    /// The bundles that have content which readers don't see yet.
    var unpublished: [(plan: BundlePlan, content: StoredContent)] {
        let results = results.withLock { $0 }
        return plans.compactMap { index, plan in
            guard case .success(let content)? = results[index], isNew(content) else { return nil }
            return (plan, content)
        }
    }

    private func isNew(_ content: StoredContent) -> Bool {
        let bundle = content.address.bundle
        return base?.manifests[bundle.manifest]?[bundle.bundle] != content.address.name
    }

    /// - Parameters:
    ///   - isPublished: whether readers see by now what is new.
    ///   - obtained: how many bytes came for each bundle.
    func summary(isPublished: Bool, obtained: [BundleAddress: Int64]) -> RunSummary {
        let results = results.withLock { $0 }
        var summary = RunSummary()
        for (index, plan) in plans {
            switch results[index] {
            case .success(let content) where isNew(content):
                if isPublished {
                    summary.published += 1
                    summary.writtenBytes.addClamped(content.header.contentBytes)
                } else {
                    // It is complete in the store; the next run finds it there and publishes it.
                    summary.paused += 1
                }
            case .success:
                summary.unchanged += 1
                if plan.state == .mend {
                    summary.mended += 1
                } else if plan.state == .fetch || obtained[plan.address] ?? 0 > 0 {
                    summary.renewed += 1
                }
            case .failure(let failure) where failure.code != .paused: summary.failed += 1
            case .failure, nil: summary.paused += 1
            }
        }
        return summary
    }

    /// Whether some bundle neither failed nor was obtained: the run was stopped before.
    var isUnfinished: Bool {
        let results = results.withLock { $0 }
        return plans.contains { index, _ in
            switch results[index] {
            case .success: false
            case .failure(let failure): failure.code == .paused
            case nil: true
            }
        }
    }

    /// What the bundles' fates alone make of the run.
    /// - Parameter isPublished: whether readers see by now what is new.
    func exit(isPublished: Bool) -> ExitCode {
        let results = results.withLock { $0 }
        let failures = plans.compactMap { index, plan -> (failure: BundleFailure, isRequired: Bool)? in
            guard case .failure(let failure)? = results[index], failure.code != .paused else { return nil }
            return (failure, plan.bundle.isRequired)
        }
        if failures.contains(where: { $0.failure.code == .noSpace }) { return .noSpace }
        guard failures.contains(where: \.isRequired) else { return .success }
        let isAnythingThere = results.values.contains { result in
            guard case .success(let content) = result else { return false }
            return isPublished || !isNew(content)
        }
        return isAnythingThere ? .partial : .failure
    }

    /// The next generation; nil when there is nothing to publish, or not everything and that is what was asked for.
    func draft(allOrNothing: Bool) -> GenerationDraft? {
        let results = results.withLock { $0 }
        let failed = plans.contains { if case .success? = results[$0.index] { false } else { true } }
        if failed && allOrNothing { return nil }
        var draft = GenerationDraft(base: base)
        var isEmpty = true
        for (number, manifest) in manifests.enumerated() {
            var contents: [StoredContent] = []
            for (index, _) in plans where index.manifest == number {
                if case .success(let content)? = results[index] { contents.append(content) }
            }
            // A manifest of which nothing could be had changes nothing: its old bundles stay with its old bytes.
            guard !contents.isEmpty else { continue }
            isEmpty = false
            let obtained = Set(contents.map(\.address.bundle.bundle))
            let others = manifest.manifest.bundles.compactMap { ContentID($0.id.text) }.filter {
                !obtained.contains($0)
            }
            draft.setManifest(
                manifest.id, bytes: manifest.bytes, signature: manifest.signature, contents: contents,
                rollingForward: others)
        }
        return isEmpty ? nil : draft
    }

    /// The serials of the manifests that a publication carries: those of which anything could be had.
    var publishedSerials: [ContentID: Int] {
        let results = results.withLock { $0 }
        var serials: [ContentID: Int] = [:]
        for (index, _) in plans {
            guard case .success? = results[index] else { continue }
            serials[manifests[index.manifest].id] = manifests[index.manifest].manifest.serial
        }
        return serials
    }

    /// What the next run may know of the manifests that readers see by now.
    /// - Parameters:
    ///   - generation: the one that has them.
    ///   - maySettle: whether one that is complete needn't be looked at again while it stays as it is.
    func records(
        in generation: GenerationNumber, maySettle: Bool, at now: Timestamp
    ) -> [SHA256Digest: ManifestRecord] {
        let (complete, satisfied) = (completeManifests, satisfiedManifests)
        let serials = publishedSerials
        var records: [SHA256Digest: ManifestRecord] = [:]
        for (number, manifest) in manifests.enumerated() where serials[manifest.id] != nil {
            guard let source = manifest.source else { continue }
            var record = ManifestRecord(manifest)
            if satisfied.contains(number) { record.lastSuccess = now }
            if complete.contains(number) {
                record.lastComplete = now
                if maySettle, !manifest.manifest.bundles.contains(where: \.needsAsking) {
                    (record.settled, record.settledBy) = (generation, Bundle.planVersion)
                }
            }
            records[source] = record
        }
        return records
    }

    /// The manifests all of whose bundles were part of the run, and could be had.
    private var completeManifests: Set<Int> {
        let results = results.withLock { $0 }
        var obtained: [Int: Int] = [:]
        for (index, _) in plans {
            if case .success? = results[index] { obtained[index.manifest, default: 0] += 1 }
        }
        return Set(manifests.indices.filter { obtained[$0] == manifests[$0].manifest.bundles.count })
    }

    /// The manifests of which all could be had that was part of the run, but for what isn't required.
    private var satisfiedManifests: Set<Int> {
        let results = results.withLock { $0 }
        let missed = plans.filter { index, plan in
            switch results[index] {
            case .success: false
            case .failure(let failure): failure.code == .paused || plan.bundle.isRequired
            case nil: true
            }
        }
        return Set(manifests.indices).subtracting(missed.map(\.index.manifest))
    }

    /// For the history; bundles that are paused, or that nobody can see yet, neither failed nor succeeded.
    /// - Parameters:
    ///   - isPublished: whether readers see by now what is new.
    ///   - outlook: when what failed can be had again.
    func outcomes(isPublished: Bool, outlook: RetryOutlook, at now: Timestamp) -> [BundleOutcome] {
        let results = results.withLock { $0 }
        return plans.compactMap { index, plan in
            switch results[index] {
            case .success(let content) where isPublished || !isNew(content):
                return BundleOutcome(bundle: plan.address, .success)
            case .failure(let failure) where failure.code != .paused:
                let nextTry = outlook.nextTry(of: plan.bundle, in: manifests[index.manifest], at: now)
                return BundleOutcome(bundle: plan.address, .failure(failure.description, nextTry: nextTry))
            default: return nil
            }
        }
    }

    /// The bundles that the run ended before it could complete, as they were planned.
    var pausedPlans: [BundlePlan] {
        let results = results.withLock { $0 }
        return plans.compactMap { index, plan in
            switch results[index] {
            case .success: nil
            case .failure(let failure) where failure.code != .paused: nil
            case .failure, nil: plan
            }
        }
    }
}
