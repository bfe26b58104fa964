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

    /// - Parameters:
    ///   - control: stops the run from outside.
    ///   - observer: told everything that happens.
    package init(_ options: RunOptions, control: RunControl, observer: @escaping RunObserver) {
        self.options = options
        self.control = control
        self.observer = observer
    }

    /// Does it all. Whatever happens, the last event is `run.finished` with the exit code that is returned.
    package func run() async -> ExitCode {
        let started = ContinuousClock.now
        emit(.runStarted(command: options.command))
        // Whatever waits when the run is stopped ends with this task; a transfer, with its bytes on the disk.
        let work = Task { await outcome() }
        control.onStop { work.cancel() }
        var (summary, exit) = await work.value
        if let reason = control.reason, reason.isSignal { exit = exit.combined(with: reason.exit) }
        summary.duration = ContinuousClock.now - started
        emit(.runFinished(summary, exit: exit))
        return exit
    }

    private func outcome() async -> (RunSummary, ExitCode) {
        // Never the cooperative pool's threads: disks, and what they hold, may be slow. One thread, since each step needs the one before.
        let blocking = JobQueue(name: "larder-run")
        let library: Library
        let writer: LibraryWriter
        do throws(RunProblem) {
            (library, writer) = try await blocking.attempt { () throws(RunProblem) in try openLibrary() }
        } catch {
            report(error)
            return (RunSummary(), error.exit)
        }
        // The lock is given up only when nothing of this run can touch the library any more.
        defer { withExtendedLifetime(writer) {} }
        let history = await blocking.run { RunHistory(writer, command: options.command) { emit(.warning($0)) } }
        let room = RoomWatch(options.minimumFree) { () throws(SystemError) in
            try library.partial.descriptor.fileSystemSpace()
        }
        let store = ResumeStore(directory: library.partial)
        let downloader = Downloader(
            configuration: options.downloads, store: store, makeRoom: { room.makeRoom(for: $0) },
            events: { emit(RunEvent.Kind($0)) })
        await control.begin(downloader)
        let limits = RunLimits(options, control, room)
        var summary = RunSummary()
        var exit = ExitCode.success
        do throws(RunProblem) {
            let (manifests, loadingExit) = await load(library, downloader, history)
            exit = loadingExit
            // What can't be read may have what was asked for.
            if exit == .success { try options.checkSelection(in: manifests) }
            let leftovers = { @Sendable [redirects = options.redirects] in
                var wanted = WantedLeftovers(in: store)
                for manifest in manifests { wanted.add(manifest, redirects: [redirects]) }
                return wanted
            }
            let relief = DiskRelief(
                downloader, control, observer,
                wanted: {
                    let wanted = leftovers()
                    return { wanted.contains($0) }
                },
                named: {
                    let wanted = leftovers()
                    return { wanted.names($0) }
                },
                discardLeftovers: { () throws(LibraryError) in
                    let wanted = leftovers()
                    return try writer.discardFetchable { wanted.contains($0) }
                })
            let board = try await blocking.attempt { [exit] () throws(RunProblem) in
                if exit == .success { discardUnlisted(manifests, writer) }
                let board = try RunBoard(options, library, manifests) { emit($0, of: $1) }
                // Of a manifest that couldn't be read nobody knows what it wants.
                if exit == .success { relief.removeStale() }
                try check(room, relief, for: board, writer)
                room.begin { relief.makeRoom(sparesWanted: false, $0) }
                return board
            }
            await obtain(board, writer: writer, downloader: downloader, limits: limits)
            let isPublished = try await blocking.attempt { () throws(RunProblem) in
                let publication = Result { () throws(RunProblem) in try publish(board, writer, history) }
                history.record(board.outcomes(isPublished: (try? publication.get()) ?? false))
                return try publication.get()
            }
            summary = board.summary(isPublished: isPublished)
            exit = exit.combined(with: board.exit(isPublished: isPublished))
            if board.isUnfinished, let reason = control.reason { exit = exit.combined(with: tell(reason).exit) }
        } catch {
            report(error)
            exit = exit.combined(with: error.exit)
        }
        limits.end()
        await downloader.shutDown()
        summary.note(downloader.statistics)
        summary.resumedBytes = summary.resumedBytes.addingClamped(limits.salvagedBytes)
        await blocking.run { [exit, summary] in history.end(exit: exit, summary) }
        return (summary, exit)
    }

    // MARK: Before

    private func openLibrary() throws(RunProblem) -> (Library, LibraryWriter) {
        do throws(LibraryError) {
            let library = try Library.open(options.libraryPath, for: .writing)
            switch try library.beginWriting() {
            case .granted(let writer): return (library, writer)
            case .busy(let process): throw LibraryError.busy(options.libraryPath, process)
            }
        } catch {
            throw RunProblem(error)
        }
    }

    /// Reads the manifests; one that can't be used is reported and doesn't keep the others from being carried through.
    private func load(
        _ library: Library, _ downloader: Downloader, _ history: RunHistory
    ) async -> ([LoadedManifest], ExitCode) {
        // A damaged `current` is the board's to report.
        var loader = ManifestLoader(
            options, downloader: downloader, published: try? library.generations.current(),
            highestSerial: history.highestSerial
        ) { emit($0, manifest: $1) }
        for location in options.manifests {
            if let reason = control.reason { return (loader.manifests, loader.exit.combined(with: reason.exit)) }
            await loader.load(location)
        }
        return (loader.manifests, loader.exit)
    }

    /// Lets go of what earlier runs had brought of bundles that their manifests don't list any more. What can't be removed is no reason to stop.
    private func discardUnlisted(_ manifests: [LoadedManifest], _ writer: LibraryWriter) {
        let listed = Dictionary(
            manifests.map { ($0.id, Set($0.manifest.bundles.map(\.id.text))) }, uniquingKeysWith: { $1 })
        _ = try? writer.discardSalvage { bundle in
            listed[bundle.manifest].map { $0.contains(bundle.bundle.description) } ?? true
        }
    }

    /// Says that there is not enough room before the first byte moves, rather than half-way.
    private func check(
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

    // MARK: After

    /// - Returns: whether readers see everything that was obtained.
    private func publish(
        _ board: RunBoard, _ writer: LibraryWriter, _ history: RunHistory
    ) throws(RunProblem) -> Bool {
        // After a signal nothing more is begun: what is complete in the store is found there by the next run.
        if control.reason?.isSignal == true { return false }
        guard let draft = board.draft(allOrNothing: options.allOrNothing) else { return false }
        do throws(LibraryError) {
            guard let generation = try writer.publish(draft) else { return true }
            for (plan, content) in board.unpublished {
                emit(.bundlePublished(version: content.header.origin.version), of: plan.address)
            }
            emit(.generationPublished(number: generation.number.value))
            history.recordPublication(generation.number, board.publishedSerials)
        } catch {
            throw RunProblem(error.isNoSpace ? .noSpace : .failure, error.message)
        }
        collect(writer)
        return true
    }

    /// Removes what no kept generation needs. What is published is published: trouble here is told, and the next run tries again.
    private func collect(_ writer: LibraryWriter) {
        do throws(LibraryError) {
            _ = try writer.collect(keep: options.keptGenerations, keepAge: options.keepAge)
        } catch {
            emit(.warning("old generations could not be removed: \(error)"))
        }
    }

    // MARK: Telling

    private func emit(_ kind: RunEvent.Kind, manifest: String? = nil) {
        observer(RunEvent(time: .now, manifest: manifest, kind: kind))
    }

    func emit(_ kind: RunEvent.Kind, of address: BundleAddress, url: String? = nil, transfer: Int? = nil) {
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

    private func report(_ problem: RunProblem) {
        for event in problem.events { emit(event) }
    }
}

extension RunSummary {
    fileprivate mutating func note(_ statistics: DownloadStatistics) {
        fetchedBytes = statistics.fetchedBytes
        resumedBytes = statistics.resumedBytes
        coalescedBytes = statistics.coalescedBytes
        requestCount = statistics.requestCount
    }
}
