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
        var summary = RunSummary()
        var exit: ExitCode
        do throws(RunProblem) {
            exit = try await work(&summary)
        } catch {
            exit = error.exit
            report(error)
        }
        if let reason = control.reason { exit = exit.combined(with: reason.exit) }
        summary.duration = ContinuousClock.now - started
        emit(.runFinished(summary, exit: exit))
        return exit
    }

    private func work(_ summary: inout RunSummary) async throws(RunProblem) -> ExitCode {
        let (library, writer) = try openLibrary()
        let history = RunHistory(writer, command: options.command) { emit(.warning($0)) }
        let downloader = Downloader(
            configuration: options.downloads, store: ResumeStore(directory: library.partial))
        let limits = RunLimits(options, control)
        var (manifests, exit) = await load(downloader, history)
        if !manifests.isEmpty {
            do throws(RunProblem) {
                let board = try RunBoard(options, library, manifests) { emit($0, of: $1) }
                try checkRoom(board, library)
                await obtain(board, writer: writer, downloader: downloader, limits: limits)
                history.record(board.outcomes)
                let isPublished = try publish(board, writer, history)
                summary = board.summary(isPublished: isPublished)
                exit = exit.combined(with: board.exit)
            } catch {
                report(error)
                exit = exit.combined(with: error.exit)
            }
        }
        limits.end()
        await downloader.shutDown()
        summary.note(downloader.statistics)
        history.end(exit: control.reason.map { exit.combined(with: $0.exit) } ?? exit, summary)
        return exit
    }

    // MARK: Before

    private func openLibrary() throws(RunProblem) -> (Library, LibraryWriter) {
        do throws(LibraryError) {
            let library = try Library.open(options.libraryPath, for: .writing)
            switch try library.beginWriting() {
            case .granted(let writer): return (library, writer)
            case .busy(let process):
                let holder = process.map { " (process \($0))" } ?? ""
                throw LibraryError(
                    .busy,
                    "\(escapedText(options.libraryPath)) is in use by another run\(holder); try again when it has ended"
                )
            }
        } catch {
            let exit: ExitCode =
                switch error.code {
                case .busy: .busy
                case .noSpace: .noSpace
                default: .failure
                }
            throw RunProblem(exit, error.message)
        }
    }

    /// Reads the manifests; one that can't be used is reported and doesn't keep the others from being carried through.
    private func load(_ downloader: Downloader, _ history: RunHistory) async -> ([LoadedManifest], ExitCode) {
        var loader = ManifestLoader(options, downloader: downloader, highestSerial: history.highestSerial) {
            emit($0, manifest: $1)
        }
        for location in options.manifests where control.reason == nil { await loader.load(location) }
        return (loader.manifests, loader.exit)
    }

    /// Says that there is not enough room before the first byte moves, rather than half-way.
    private func checkRoom(_ board: RunBoard, _ library: Library) throws(RunProblem) {
        let planned = board.plannedBytes
        guard planned > 0 else { return }
        let space: (free: Int64, total: Int64)
        do throws(SystemError) { space = try library.partial.descriptor.fileSystemSpace() } catch {
            throw RunProblem(.failure, "\(error)")
        }
        let kept = options.minimumFree.bytes(ofTotal: space.total)
        let (needed, overflow) = planned.addingReportingOverflow(kept)
        guard overflow || needed > space.free else { return }
        throw RunProblem(
            .noSpace,
            "\(escapedText(options.libraryPath)): \(planned) bytes are to be fetched, but of \(space.free) free ones \(kept) must stay free; free some space, or lower --min-free"
        )
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
            history.recordPublication(generation.number, board.serials)
            _ = try writer.collect(keep: options.keptGenerations, keepAge: options.keepAge)
            return true
        } catch {
            throw RunProblem(error.isNoSpace ? .noSpace : .failure, error.message)
        }
    }

    // MARK: Telling

    func emit(_ kind: RunEvent.Kind, manifest: String? = nil, bundle: String? = nil, url: String? = nil) {
        observer(RunEvent(time: .now, manifest: manifest, bundle: bundle, url: url, kind: kind))
    }

    func emit(_ kind: RunEvent.Kind, of bundle: BundleAddress, url: String? = nil) {
        emit(kind, manifest: bundle.manifest.description, bundle: bundle.bundle.description, url: url)
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
