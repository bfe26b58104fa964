import ContentLibrary
import Glibc
import Platform

/// Holds a library at rest against its receipts: every file is read as the disk has it. What was looked at longest ago comes first, so that runs
/// with a budget get round. No lock is taken, and nothing but the index is written, where that can be.
package struct VerifyRun: Sendable {
    let options: VerifyOptions
    let control: RunControl
    private let observer: RunObserver

    /// - Parameters:
    ///   - control: stops the run from outside.
    ///   - observer: told what is found.
    package init(_ options: VerifyOptions, control: RunControl, observer: @escaping RunObserver) {
        (self.options, self.control, self.observer) = (options, control, observer)
    }

    /// What was seen.
    package struct Report: Sendable {
        package fileprivate(set) var exit = ExitCode.success
        /// Contents that were read to their ends.
        package fileprivate(set) var contents = 0
        package fileprivate(set) var files = 0
        package fileprivate(set) var bytes: Int64 = 0
        /// Contents that are damaged, those that an earlier run had found included.
        package fileprivate(set) var damaged: Set<StoreAddress> = []
        /// What is wrong with `current` and with generations: links and manifests that are lost, or aren't what they were.
        fileprivate var generationProblems: [String] = []
        package var damagedGenerations: Int { generationProblems.count }
        /// How many of the damaged contents are whole again.
        package fileprivate(set) var mended = 0
        /// Contents that the budget didn't reach.
        package fileprivate(set) var remaining = 0
    }

    /// Does it all. Whatever happens, the last event is `run.finished` with the exit code of the report.
    /// - Parameter repair: how what is damaged is mended; nil: it isn't.
    /// - Returns: nil where nothing was seen.
    package func run(repairing repair: RunOptions? = nil) async -> (report: Report?, exit: ExitCode) {
        let started = ContinuousClock.now
        emit(.runStarted(command: "verify"))
        var summary = RunSummary()
        var report: Report? = Report()
        var exit: ExitCode
        do throws(RunProblem) {
            var seen = try await verify()
            if let repair { summary = await mend(&seen, repair) }
            (report, exit) = (seen, seen.exit)
            emit(
                .libraryVerified(
                    contents: seen.contents, files: seen.files, bytes: seen.bytes, damaged: seen.damaged.count,
                    mended: seen.mended, remaining: seen.remaining))
        } catch {
            for event in error.events { emit(event) }
            (report, exit) = (nil, error.exit)
        }
        (summary.duration, summary.stop) = (ContinuousClock.now - started, control.reason)
        emit(.runFinished(summary, exit: exit))
        return (report, exit)
    }

    private func verify() async throws(RunProblem) -> Report {
        var report = Report()
        let cores = Processors.count
        let walking = JobQueue(name: "larder-run")
        let (library, plan) = try await walking.attempt { () throws(RunProblem) in try begin() }
        for problem in plan.problems { emit(.runFailed(.failure, message: problem)) }
        report.generationProblems = plan.problems
        let ledger = VerificationLedger(library, plan.records, options.clock) { emit(.notice($0)) }
        let pace = ReadPace(bytesPerSecond: options.bytesPerSecond) { [control] in control.reason != nil }
        let verifier = ContentVerifier(
            walking: walking, hashing: JobQueue(name: "larder-hash", threads: cores), width: 2 * cores, pace: pace,
            clock: options.clock, end: options.budget.map { options.clock.uptime() + $0 }, control: control)
        for (number, address) in plan.order.enumerated() {
            // At least one is begun, however small the budget: so every run gets further.
            if control.reason != nil || number > 0 && verifier.isOver {
                report.remaining += plan.order.count - number
                break
            }
            let verdict = try await verifier.verify(address, in: library, after: plan.records[address]?.position)
            tell(verdict, address, &report)
            await walking.run { ledger.note(verdict, address) }
        }
        report.damaged = await walking.run {
            ledger.close(keeping: plan.all)
            return ledger.damaged.intersection(plan.order)
        }
        if !report.damaged.isEmpty, !ledger.isKept {
            emit(
                .notice(
                    "the library's index can't be written, so that the next sync doesn't know what is damaged; --repair mends it"
                ))
        }
        report.conclude(control.reason)
        return report
    }

    /// Lets a run mend what is damaged.
    private func mend(_ report: inout Report, _ repair: RunOptions) async -> RunSummary {
        guard !report.damaged.isEmpty || report.damagedGenerations > 0, control.reason == nil else {
            return RunSummary()
        }
        var options = repair
        options.mending = MendingOrder(report.damaged, base: repair.mending?.base)
        let run = await SyncRun(options, control: control) { [observer] event in
            switch event.kind {
            case .runStarted, .runFinished: break
            default: observer(event)
            }
        }.run()
        let left = run.damaged.map(report.damaged.intersection) ?? report.damaged
        report.mended = report.damaged.count - left.count
        if report.damagedGenerations > 0 {
            let remaining = await JobQueue(name: "larder-run").run { [path = self.options.libraryPath] in
                try? Library.open(path, for: .reading).generationProblems()
            }
            // What is to be done about it may be something else by now.
            for problem in remaining ?? [] where !report.generationProblems.contains(problem) {
                emit(.runFailed(.failure, message: problem))
            }
            report.generationProblems = remaining ?? report.generationProblems
        }
        report.conclude(control.reason, mending: run.exit)
        return run.summary
    }

    private struct Plan: Sendable {
        /// Everything that there is.
        let all: Set<StoreAddress>
        /// What is asked for, what was looked at longest ago first.
        let order: [StoreAddress]
        let records: [StoreAddress: VerificationRecord]
        /// What is wrong with generations themselves.
        let problems: [String]
    }

    private func begin() throws(RunProblem) -> (Library, Plan) {
        let (library, all): (Library, Set<StoreAddress>)
        let problems: [String]
        do throws(LibraryError) {
            library = try Library.open(options.libraryPath, for: .reading)
            all = try library.vouchedContents()
            problems = try library.generationProblems()
        } catch {
            throw RunProblem(error)
        }
        let records = (try? library.readStateIndex()?.verifications()) ?? [:]
        if let unknown = options.bundles.first(where: { name in !all.contains { name.means($0.bundle) } }) {
            throw RunProblem(unknown.unknown(in: library, takesManifests: true))
        }
        let selected = all.filter { content in
            options.bundles.isEmpty || options.bundles.contains { $0.means(content.bundle) }
        }
        func age(_ address: StoreAddress) -> Int64 { records[address]?.time?.seconds ?? .min }
        let order = selected.sorted { (age($0), $0) < (age($1), $1) }
        return (library, Plan(all: all, order: order, records: records, problems: problems))
    }

    private func tell(_ verdict: ContentVerifier.Verdict, _ address: StoreAddress, _ report: inout Report) {
        if verdict.isGone { return }
        for damage in verdict.damage {
            emit(.contentDamaged(damage, content: "\(address.name)"), of: address.bundle)
        }
        if verdict.damageCount > verdict.damage.count {
            emit(.notice("and \(verdict.damageCount - verdict.damage.count) more"), of: address.bundle)
        }
        report.files += verdict.files
        report.bytes.addClamped(verdict.bytes)
        guard verdict.isComplete else {
            report.remaining += 1
            return
        }
        report.contents += 1
        emit(
            .contentVerified(
                content: "\(address.name)", files: verdict.files, bytes: verdict.bytes, damaged: verdict.damageCount),
            of: address.bundle)
    }

    private func emit(_ kind: RunEvent.Kind, of bundle: BundleAddress? = nil) {
        observer(
            RunEvent(
                time: .now, manifest: bundle.map { "\($0.manifest)" }, bundle: bundle.map { "\($0.bundle)" }, kind: kind
            ))
    }
}

extension VerifyRun.Report {
    /// What was seen, in a code. Damage must not be hidden by a budget that ends every night.
    /// - Parameter mending: how the run ended that mended.
    fileprivate mutating func conclude(_ stop: StopReason?, mending: ExitCode = .success) {
        let isFailed = damaged.count > mended || damagedGenerations > 0 || [.failure, .partial].contains(mending)
        exit = isFailed ? .failure : remaining > 0 ? .paused : .success
        for reason in [stop?.exit ?? .success, mending] where ![.failure, .partial].contains(reason) {
            if isFailed && reason == .paused { continue }
            exit = exit.combined(with: reason)
        }
    }
}
