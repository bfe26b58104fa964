import ContentLibrary
import Platform

/// What is told to others when the work is done, while the lock is still held: no two runs tell at once.
extension SyncRun {
    /// Runs `--on-change`, and writes `--metrics`.
    /// - Parameters:
    ///   - initial: what was current when the run began.
    ///   - skip: why the run did less than it was asked for, as one that isn't begun; nil: it didn't.
    /// - Returns: the exit code, with what went wrong here.
    func tellOthers(
        _ exit: ExitCode, _ summary: RunSummary, _ library: Library, _ history: RunHistory, initial: GenerationNumber?,
        skip: RunSkip.Reason?
    ) -> ExitCode {
        var exit = exit
        // After a signal nothing more is begun: the next run tells of it.
        if let command = options.changeCommand, control.reason?.isSignal != true {
            let hook = ChangeHook(
                command: command, libraryPath: options.libraryPath, library: library, history: history,
                initial: initial, control: control)
            if let problem = hook.run() {
                emit(.runFailed(.failure, message: problem))
                exit = exit.combined(with: .failure)
            }
        }
        // What failed isn't hidden by what the run was kept from.
        if let skip, exit == .paused { return tell(of: skip, exit, history) }
        let run = RunMetrics.Run(ended: options.clock.now(), exit: exit, summary)
        return write(exit, metrics(run, skip, history, obtainedBytes: tally.obtainedBytes))
    }

    /// Writes `--metrics` for a run that isn't begun: what is known of the library grows older in them, and it is told why.
    /// - Parameter history: nil: as far as it can be read without the lock.
    func tell(of skip: RunSkip.Reason, _ exit: ExitCode, _ history: RunHistory? = nil) -> ExitCode {
        guard options.metricsPath != nil else { return exit }
        let known = history ?? RunHistory(reading: options.libraryPath)
        return write(exit, metrics(known?.lastRun.flatMap { RunMetrics.Run($0) }, skip, known, obtainedBytes: nil))
    }

    private func write(_ exit: ExitCode, _ metrics: RunMetrics) -> ExitCode {
        guard let path = options.metricsPath, let problem = metrics.write(to: path) else { return exit }
        emit(.runFailed(.failure, message: problem))
        return exit.combined(with: .failure)
    }

    private func metrics(
        _ run: RunMetrics.Run?, _ skip: RunSkip.Reason?, _ history: RunHistory?,
        obtainedBytes: [BundleAddress: Int64]?
    ) -> RunMetrics {
        let now = options.clock.now()
        guard let history else { return RunMetrics(run: run, skip: skip, obtainedBytes: obtainedBytes) }
        // Read from two places a manifest is still one: a metric that comes twice makes the whole text worthless.
        let manifests = Dictionary(
            options.manifests.compactMap { history.manifest(from: $0.recordKey) }.map { ($0.manifest, $0) },
            uniquingKeysWith: { ($0.lastSuccess?.seconds ?? 0) < ($1.lastSuccess?.seconds ?? 0) ? $1 : $0 }
        ).values.sorted { $0.manifest < $1.manifest }
        var bundles: [BundleAddress: BundleRecord] = [:]
        for manifest in manifests.map(\.manifest) {
            for (bundle, record) in history.bundles(of: manifest) {
                bundles[BundleAddress(manifest: manifest, bundle: bundle)] = record
            }
        }
        return RunMetrics(
            run: run, skip: skip, manifests: manifests, bundles: bundles, obtainedBytes: obtainedBytes,
            monthBytes: history.fetchedBytes(inMonth: now.localMonth) ?? 0,
            distrustedSources: history.distrustedSourceCount(at: now))
    }
}
