import ContentLibrary
import Downloads
import Glibc
import Platform

extension SyncRun {
    /// Works on every bundle of the board, several at once, each after those it waits for. When the run is stopped, nothing more is begun.
    func obtain(
        _ board: RunBoard, writer: LibraryWriter, downloader: Downloader, limits: RunLimits, distrust: Distrust,
        couriers: Couriers
    ) async {
        let cores = Processors.count
        let workshop = Workshop(
            writer: writer, downloader: downloader, limits: limits, distrust: distrust, couriers: couriers,
            blocking: JobQueue(name: "larder-bundle", threads: cores),
            placing: JobQueue(name: "larder-files", threads: cores),
            // Enough to keep every transfer busy while what came is placed; no more, since a kill loses small files that are whole and not placed.
            slots: RequestSlots(2 * options.downloads.maximumTransfers))
        await obtainAll(board, workshop)
    }

    /// What all bundles of a run are made with.
    private struct Workshop: Sendable {
        let writer: LibraryWriter
        let downloader: Downloader
        let limits: RunLimits
        let distrust: Distrust
        let couriers: Couriers
        let blocking: JobQueue
        let placing: JobQueue
        let slots: RequestSlots
    }

    private func obtainAll(_ board: RunBoard, _ workshop: Workshop) async {
        let plans = Dictionary(board.plans.map { ($0.index, $0.plan) }, uniquingKeysWith: { first, _ in first })
        var order = BundleOrder(board.plans.map { ($0.index, $0.plan.bundle) })
        // Enough that no transfer slot is empty while other bundles are being unpacked.
        let window = max(16, 2 * options.downloads.maximumTransfers)
        await withTaskGroup(of: (BundleOrder.Index, Result<StoredContent, BundleFailure>).self) { group in
            var running = 0
            func startReady() {
                while running < window, control.reason == nil {
                    switch order.next() {
                    case .start(let index):
                        guard let plan = plans[index] else { continue }
                        let job = job(plan, board.manifests[index.manifest], workshop)
                        running += 1
                        group.addTask { (index, await job.result()) }
                    case .skip(let index, let failed):
                        let failure = BundleFailure(
                            .dependencyFailed, "it comes after '\(failed.bundle)', which failed")
                        conclude(index, .failure(failure), board, plans)
                    case .none: return
                    }
                }
            }
            startReady()
            while let (index, obtained) = await group.next() {
                running -= 1
                let result = board.judge(index, obtained)
                order.finish(index, succeeded: result.isSuccess)
                conclude(index, result, board, plans)
                startReady()
            }
        }
    }

    private func job(_ plan: BundlePlan, _ manifest: LoadedManifest, _ workshop: Workshop) -> BundleJob {
        var fetcher = SourceFetcher(
            manifest: manifest, bundle: plan.bundle, downloader: workshop.downloader,
            scratch: workshop.writer.library.partial, copying: workshop.placing, control: control,
            limits: workshop.limits, distrust: workshop.distrust, redirects: options.redirects,
            bodyBudgetBytes: options.bodyBudgetBytes
        ) { kind, url, transfer in emit(kind, of: plan.address, url: url, transfer: transfer) }
        fetcher.couriers = workshop.couriers
        return BundleJob(
            plan: plan, fetcher: fetcher, writer: workshop.writer, blocking: workshop.blocking,
            placing: workshop.placing, slots: workshop.slots, clock: options.clock
        ) { emit($0, of: plan.address) }
    }

    private func conclude(
        _ index: BundleOrder.Index, _ result: Result<StoredContent, BundleFailure>, _ board: RunBoard,
        _ plans: [BundleOrder.Index: BundlePlan]
    ) {
        board.note(index, result)
        guard case .failure(let failure) = result, failure.code != .paused, let plan = plans[index] else { return }
        if plan.bundle.isRequired {
            emit(
                .bundleFailed(code: failure.code.rawValue, message: failure.message), of: plan.address,
                url: failure.url)
        } else {
            emit(.optionalBundleFailed(message: "it is not required, and failed: \(failure)"), of: plan.address)
        }
    }
}

extension BundleJob {
    fileprivate func result() async -> Result<StoredContent, BundleFailure> {
        do throws(BundleFailure) { return .success(try await run()) } catch { return .failure(error) }
    }
}
