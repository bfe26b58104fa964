import ContentLibrary
import Downloads
import Platform

/// Tells what a run would do, and changes nothing: the library is only read, and need not be there yet.
package struct DryRun: Sendable {
    private let options: RunOptions
    private let control: RunControl
    private let observer: RunObserver

    /// - Parameters:
    ///   - control: stops the run from outside.
    ///   - observer: told what happens.
    package init(_ options: RunOptions, control: RunControl, observer: @escaping RunObserver) {
        self.options = options
        self.control = control
        self.observer = observer
    }

    /// What would become of one bundle.
    package struct Step: Sendable {
        /// Nil for a bundle that would be removed: no manifest names it any more.
        package let state: BundlePlan.State?
        package let bundle: String
        /// Bytes to fetch, as far as the manifest tells.
        package let bytes: Int64
        /// Why it would fail.
        package let reason: String?
    }

    package struct Report: Sendable {
        package let steps: [Step]
        package let fetchedBytes: Int64
        /// The most that the disk will have to hold besides what it holds now: the run keeps to that, but for the bundles of which nobody can tell.
        package let peakBytes: Int64
        /// Bundles that will take more: nobody knows beforehand what an archive without limits unpacks to, or how large is what has no size.
        package let unboundedBundles: [String]
        package let freeBytes: Int64?
        package let exit: ExitCode
    }

    /// Whatever happens, the last event is `run.finished`; its counts are of what is here, since nothing else is done.
    package func run() async -> Report {
        let started = ContinuousClock.now
        emit(.runStarted(command: options.command))
        let work = Task { await rehearsal() }
        control.onStop { work.cancel() }
        let made = await work.value
        var summary = RunSummary()
        summary.unchanged = made.steps.count { $0.state == .unchanged }
        summary.failed = made.steps.count { $0.state == .impossible }
        summary.duration = ContinuousClock.now - started
        emit(.runFinished(summary, exit: made.exit))
        return made
    }

    private func rehearsal() async -> Report {
        do throws(RunProblem) { return try await plan() } catch {
            for event in error.events { emit(event) }
            let exit = control.reason.map { error.exit.combined(with: $0.exit) } ?? error.exit
            return Report(steps: [], fetchedBytes: 0, peakBytes: 0, unboundedBundles: [], freeBytes: nil, exit: exit)
        }
    }

    private func plan() async throws(RunProblem) -> Report {
        // Reading a library blocks, and planning a large manifest takes a while.
        let blocking = JobQueue(name: "larder-plan")
        let library = try await blocking.attempt { () throws(RunProblem) in try existingLibrary() }
        let scratch: TemporaryFolder
        do throws(SystemError) { scratch = try TemporaryFolder() } catch { throw RunProblem(.failure, "\(error)") }
        defer { scratch.remove() }
        let downloader = Downloader(
            configuration: options.downloads, store: ResumeStore(directory: scratch.directory))
        // The index knows about older generations, too, but can't be opened without being changed.
        var loader = ManifestLoader(
            options, downloader: downloader, memory: ManifestMemory(options, library, nil)
        ) { emit($0, manifest: $1) }
        for location in options.manifests where control.reason == nil { await loader.load(location) }
        await downloader.shutDown()
        if let reason = control.reason {
            throw RunProblem(loader.loaded.exit.combined(with: reason.exit), findings: [])
        }
        if loader.loaded.exit == .success { try options.checkSelection(in: loader.loaded.manifests) }
        let board = try await blocking.attempt { [manifests = loader.loaded.manifests] () throws(RunProblem) in
            try RunBoard(options, library, manifests) { emit($0, manifest: "\($1.manifest)", bundle: "\($1.bundle)") }
        }
        let steps =
            board.plans.map { Step($0.plan) }
            + board.leaving.map { Step(state: nil, bundle: "\($0)", bytes: 0, reason: nil) }
        let need = DiskNeed(
            board.plans.map(\.plan), manifests: board.manifests, transfers: options.downloads.maximumTransfers)
        let isImpossible = board.plans.contains { $0.plan.state == .impossible && $0.plan.bundle.isRequired }
        let report = Report(
            steps: steps, fetchedBytes: board.bytesToFetch, peakBytes: need.bytes,
            unboundedBundles: need.unknown.map(\.description),
            freeBytes: try? library?.partial.descriptor.freeBytes(),
            exit: isImpossible ? loader.loaded.exit.combined(with: .partial) : loader.loaded.exit)
        emit(
            .runPlanned(
                bytes: report.fetchedBytes, peakBytes: report.peakBytes, freeBytes: report.freeBytes,
                unboundedBundles: report.unboundedBundles))
        return report
    }

    private func existingLibrary() throws(RunProblem) -> Library? {
        do throws(LibraryError) { return try Library.open(options.libraryPath, for: .reading) } catch {
            if error.code == .notALibrary { return nil }
            throw RunProblem(.failure, error.message)
        }
    }

    private func emit(_ kind: RunEvent.Kind, manifest: String? = nil, bundle: String? = nil) {
        observer(RunEvent(time: .now, manifest: manifest, bundle: bundle, kind: kind))
    }
}

extension DryRun.Step {
    fileprivate init(_ plan: BundlePlan) {
        var reason: String?
        if case .impossible(let failure) = plan.work { reason = failure.description }
        self.init(state: plan.state, bundle: "\(plan.address)", bytes: plan.bytesToFetch, reason: reason)
    }
}
