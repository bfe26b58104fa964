import BundleManifest
import ContentLibrary
import Downloads
import Platform
import Transfer

/// One run over some manifests: read them, plan, obtain what is missing, publish all of it in one step, clean up.
package struct SyncRun: Sendable {
    let options: RunOptions
    let control: RunControl
    private let observer: RunObserver
    let tally = BundleTally()

    /// - Parameters:
    ///   - control: stops the run from outside.
    ///   - observer: told everything that happens.
    package init(_ options: RunOptions, control: RunControl, observer: @escaping RunObserver) {
        self.options = options
        self.control = control
        self.observer = observer
    }

    /// How a run ended.
    package struct Report: Sendable {
        package var exit: ExitCode
        package var summary = RunSummary()
        /// Another run held the library, and it was left to that one.
        package var isSkipped = false
        /// Content that is known to be damaged by now; nil where the run didn't get to look.
        package var damaged: Set<StoreAddress>?
    }

    /// Does it all. Whatever happens, the last event is `run.finished` with the exit code that is returned.
    package func run() async -> Report {
        let started = ContinuousClock.now
        emit(.runStarted(command: options.command))
        // Whatever waits when the run is stopped ends with this task; a transfer, with its bytes on the disk.
        let work = Task { await outcome() }
        control.onStop { work.cancel() }
        var report = await work.value
        if let reason = control.reason, reason.isSignal { report.exit = report.exit.combined(with: reason.exit) }
        report.summary.duration = ContinuousClock.now - started
        emit(.runFinished(report.summary, exit: report.exit))
        return report
    }

    private func outcome() async -> Report {
        let started = ContinuousClock.now
        // Never the cooperative pool's threads: disks, and what they hold, may be slow. One thread, since each step needs the one before.
        let blocking = JobQueue(name: "larder-run")
        let library: Library
        let writer: LibraryWriter
        do throws(RunProblem) {
            if let skip = try await waitForTime() { return await blocking.run { leave(skip) } }
            switch try await openLibrary(on: blocking) {
            case .opened(let opened, let writing): (library, writer) = (opened, writing)
            case .left(let skip): return await blocking.run { leave(skip) }
            }
        } catch {
            report(error)
            let exit = await blocking.run {
                judgeAge(control.reason.map { error.exit.combined(with: $0.exit) } ?? error.exit)
            }
            return Report(exit: exit == .busy ? await blocking.run { tell(of: .lock, exit) } : exit)
        }
        // The lock is given up only when nothing of this run can touch the library any more.
        defer { withExtendedLifetime(writer) {} }
        let history = await blocking.run {
            RunHistory(writer, command: options.command, at: options.clock.now()) { emit(.notice($0)) }
        }
        let initial = await blocking.run {
            checkClock(history)
            history.noteWaits(for: options.manifests.map(\.recordKey), at: options.clock.now())
            return try? library.generations.currentNumber()
        }
        let damaged = await blocking.run { beginMending(writer, history) }
        let ledger = ByteLedger(history)
        let budget = await blocking.run {
            // What can't be noted isn't counted on: that has to be known before anything is spent.
            if options.monthlyBytes != nil { history.begin() }
            return byteBudget(ledger, library)
        }
        let room = RoomWatch(options.minimumFree) { () throws(SystemError) in
            try library.partial.descriptor.fileSystemSpace()
        }
        let store = ResumeStore(directory: library.partial)
        let quarantine = Quarantine(writer, history, observer)
        let patience = networkPatience()
        let downloader = Downloader(
            configuration: options.downloads, store: store,
            credit: budget.bytes.map { bytes in
                // It cancels what waits: not on a session's thread.
                ByteCredit(bytes: bytes) { [control] in Task { control.stop(.byteBudget) } }
            }, makeRoom: { room.makeRoom(for: $0) }, inspect: quarantine.take,
            events: { event in
                if case .waitingForNetwork = event { patience.noteWaiting() }
                emit(RunEvent.Kind(event))
            })
        await control.begin(downloader)
        let limits = RunLimits(options, control, room, hasCredit: budget.hasCredit)
        let bookkeeping = keepBooks(ledger, downloader, on: blocking)
        var summary = RunSummary()
        var exit = ExitCode.success
        var board: RunBoard?
        var isLoaded = false
        do throws(RunProblem) {
            let loaded = await load(library, downloader, history, limits)
            history.record(loaded.fates)
            isLoaded = control.reason == nil
            exit = loaded.exit
            if !loaded.manifests.isEmpty || loaded.settled.isEmpty {
                let workplace = Workplace(
                    library: library, writer: writer, damaged: damaged, history: history, store: store,
                    quarantine: quarantine, downloader: downloader,
                    room: room, limits: limits, blocking: blocking)
                let (carried, result, workExit) = try await carryThrough(loaded.manifests, exit, in: workplace)
                (board, summary, exit) = (carried, result, exit.combined(with: workExit))
            }
            summary.unchanged += loaded.settled.reduce(0) { $0 + $1.bundleCount }
            remember(loaded.settled, library, history)
        } catch {
            report(error)
            exit = exit.combined(with: error.exit)
        }
        limits.end()
        patience.end()
        bookkeeping?.cancel()
        await downloader.shutDown()
        summary.note(downloader.statistics)
        summary.resumedBytes.addClamped(limits.salvagedBytes)
        (summary.courierBytes, summary.copiedBytes) = (tally.courierBytes, tally.copiedBytes)
        // One that came when all was done has stopped nothing.
        if board?.isUnfinished ?? !isLoaded { summary.stop = control.reason }
        summary.duration = ContinuousClock.now - started
        let leftDamaged = damaged.filter(writer.isDamaged)
        let isOutOfBytes = budget.isMonthSpent && control.reason == .byteBudget
        if isOutOfBytes { emit(.warning("paused: this month's bytes are spent")) }
        exit = await blocking.run { [exit, summary, board] in
            if let board { recordPauses(board, library, damaged: leftDamaged, history) }
            ledger.record(summary.fetchedBytes, at: options.clock.now())
            let exit = tellOthers(
                judgeAge(tellUnrestored(writer, exit), history), summary, library, history, initial: initial,
                skip: isOutOfBytes ? .monthCap : nil)
            history.end(exit: exit, summary)
            return exit
        }
        return Report(exit: exit, summary: summary, damaged: leftDamaged)
    }

    private func networkPatience() -> NetworkPatience {
        NetworkPatience(options.networkPatience, control) {
            emit(
                .notice(
                    "there is no network, and nothing came for as long as the run waits for one: the next one carries on"
                ))
        }
    }

    /// Where a run works, with the lock held.
    private struct Workplace: Sendable {
        let library: Library
        let writer: LibraryWriter
        let damaged: Set<StoreAddress>
        let history: RunHistory
        let store: ResumeStore
        let quarantine: Quarantine
        let downloader: Downloader
        let room: RoomWatch
        let limits: RunLimits
        let blocking: JobQueue
    }

    /// Plans, obtains and publishes.
    /// - Parameter loadingExit: what the manifests that can't be used make of the run.
    private func carryThrough(
        _ manifests: [LoadedManifest], _ loadingExit: ExitCode, in place: Workplace
    ) async throws(RunProblem) -> (RunBoard, RunSummary, ExitCode) {
        // What can't be read may have what was asked for.
        if loadingExit == .success { try options.checkSelection(in: manifests) }
        // These are held by whatever the downloader makes room with: they must not hold the downloader.
        let leftovers = { @Sendable [redirects = options.redirects, store = place.store] in
            var wanted = WantedLeftovers(in: store)
            for manifest in manifests { wanted.add(manifest, redirects: [redirects]) }
            return wanted
        }
        let relief = DiskRelief(
            place.downloader, place.quarantine, control, observer,
            wanted: {
                let wanted = leftovers()
                return { wanted.contains($0) }
            },
            named: {
                let wanted = leftovers()
                return { wanted.names($0) }
            },
            discardLeftovers: { [writer = place.writer] () throws(LibraryError) in
                let wanted = leftovers()
                return try writer.discardFetchable { wanted.contains($0) }
            })
        let board = try await place.blocking.attempt { () throws(RunProblem) in
            place.history.begin()
            // Trouble with an older generation is told by `verify`, and none of this run's.
            try? place.writer.restore(Dictionary(manifests.map { ($0.id, $0.bytes) }, uniquingKeysWith: { $1 }))
            for manifest in manifests {
                guard let signature = manifest.signature else { continue }
                do throws(LibraryError) { try place.writer.keep(signature, of: manifest.id, manifest.bytes) } catch {
                    emit(.warning("the signature of '\(manifest.id)' could not be kept: \(error)"))
                }
            }
            // What is published, or held, doesn't tell what a newer manifest lists.
            let isListing = options.mending == nil && loadingExit == .success
            if isListing { discardUnlisted(manifests, place.writer) }
            let board = try RunBoard(
                options, place.library, manifests, damaged: place.damaged, before: place.writer
            ) { emit($0, of: $1) }
            place.writer.note(damaged: board.foundDamaged)
            place.history.record(damaged: board.foundDamaged)
            discardSurplus(board, place.writer)
            // Of a manifest that couldn't be read nobody knows what it wants.
            if isListing { relief.removeStale() }
            tellHeldDamage(board, place.damaged)
            expectMending(board, place.writer)
            try check(place.room, relief, for: board, place.writer)
            place.room.begin { relief.makeRoom(sparesWanted: false, $0) }
            return board
        }
        let couriers = await Couriers(
            options.couriers, for: board.plans.map(\.plan), place.downloader, on: place.blocking
        ) { emit(.warning($0)) }
        await obtain(
            board, writer: place.writer, downloader: place.downloader, limits: place.limits,
            distrust: Distrust(
                history: place.history, isHeeded: options.sparesDistrusted, now: options.clock.now),
            couriers: couriers)
        place.limits.concludeBegun()
        let publication = try await place.blocking.attempt { () throws(RunProblem) in
            let publication = Result { () throws(RunProblem) in try publish(board, place.writer, place.history) }
            let isPublished = (try? publication.get())?.isComplete ?? false
            if options.mending == nil { place.history.forgetUnlisted(manifests.filter { !$0.isHeld }) }
            place.history.record(
                board.outcomes(
                    isPublished: isPublished, outlook: RetryOutlook(place.history), at: options.clock.now()))
            if isPublished { remember(board, place.library, place.history) }
            rememberHeld(board.manifests, place.history)
            endMending(board, place.damaged.union(board.foundDamaged), place.writer, place.history)
            return try publication.get()
        }
        let isPublished = publication.isComplete
        var exit = board.exit(isPublished: isPublished)
        if board.isUnfinished, let reason = control.reason { exit = exit.combined(with: tell(reason).exit) }
        var summary = board.summary(isPublished: isPublished, obtained: tally.obtainedBytes)
        (summary.removed, summary.generation) = (publication.removedCount, publication.generation?.value)
        return (board, summary, exit)
    }

    // MARK: Telling

    func emit(_ kind: RunEvent.Kind, manifest: String? = nil) {
        observer(RunEvent(time: .now, manifest: manifest, kind: kind))
    }

    func emit(_ kind: RunEvent.Kind, of address: BundleAddress, url: String? = nil, transfer: Int? = nil) {
        tally.note(kind, of: address)
        observer(
            RunEvent(
                time: .now, manifest: "\(address.manifest)", bundle: "\(address.bundle)", url: url, transfer: transfer,
                kind: kind))
    }

    /// Whoever set a deadline, a budget or sent a signal knows why the run ended; of a full disk nobody else tells.
    private func tell(_ reason: StopReason) -> StopReason {
        if reason == .noRoom {
            emit(
                .runFailed(
                    reason.exit,
                    message:
                        "\(escapedText(options.libraryPath)): less than --min-free is free by now; what was fetched is kept. Free some space, and run again"
                ))
        }
        return reason
    }

    func report(_ problem: RunProblem) {
        for event in problem.events { emit(event) }
    }
}

extension RunSummary {
    mutating func note(_ statistics: DownloadStatistics) {
        fetchedBytes = statistics.fetchedBytes
        resumedBytes = statistics.resumedBytes
        coalescedBytes = statistics.coalescedBytes
        requestCount = statistics.requestCount
    }
}
