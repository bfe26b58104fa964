import ContentLibrary
import Platform

/// What is told to others when the work is done, while the lock is still held: no two runs tell at once.
extension SyncRun {
    /// Runs `--on-change`, and writes `--metrics`.
    /// - Parameter initial: what was current when the run began.
    /// - Returns: the exit code, with what went wrong here.
    func tellOthers(
        _ exit: ExitCode, _ summary: RunSummary, _ library: Library, _ history: RunHistory, initial: GenerationNumber?
    ) -> ExitCode {
        var exit = exit
        // After a signal nothing more is begun: the next run tells of it.
        if let command = options.changeCommand, control.reason?.isSignal != true {
            let hook = ChangeHook(
                command: command, libraryPath: options.libraryPath, library: library, history: history,
                initial: initial, control: control)
            if let problem = hook.run() {
                emit(.notice(problem))
                exit = exit.combined(with: .failure)
            }
        }
        if let path = options.metricsPath, let problem = metrics(exit, summary, history).write(to: path) {
            emit(.notice(problem))
            exit = exit.combined(with: .failure)
        }
        return exit
    }

    private func metrics(_ exit: ExitCode, _ summary: RunSummary, _ history: RunHistory) -> RunMetrics {
        let now = options.clock.now()
        // Read from two places a manifest is still one: a metric that comes twice makes the whole text worthless.
        let manifests = Dictionary(
            options.manifests.compactMap { $0.recordKey.flatMap(history.manifest) }.map { ($0.manifest, $0) },
            uniquingKeysWith: { ($0.lastSuccess?.seconds ?? 0) < ($1.lastSuccess?.seconds ?? 0) ? $1 : $0 }
        ).values.sorted { $0.manifest < $1.manifest }
        var bundles: [BundleAddress: BundleRecord] = [:]
        for manifest in manifests.map(\.manifest) {
            for (bundle, record) in history.bundles(of: manifest) {
                bundles[BundleAddress(manifest: manifest, bundle: bundle)] = record
            }
        }
        return RunMetrics(
            exit: exit, summary: summary, manifests: manifests, bundles: bundles, obtainedBytes: tally.obtainedBytes,
            monthBytes: history.fetchedBytes(inMonth: now.localMonth) ?? 0,
            distrustedSources: history.distrustedSourceCount(at: now), now: now)
    }
}
