import ContentLibrary
import Downloads
import Platform
import Transfer

/// Removes from a library what nobody needs: paused downloads that no manifest asks for, content that no generation names, and what killed runs left.
package struct CleanRun: Sendable {
    private let libraryPath: String
    private let manifests: [ManifestLocation]
    private let removesAllPartials: Bool
    private let keep: Keep?
    private let isRehearsal: Bool
    private let control: RunControl
    private let observer: RunObserver

    /// Which generations stay: so many of the newest, and those that are younger.
    package struct Keep: Sendable {
        let generations: Int
        let age: Duration

        package init(generations: Int, age: Duration) { (self.generations, self.age) = (generations, age) }
    }

    /// - Parameters:
    ///   - manifests: what they ask for stays, as what the published ones ask for does.
    ///   - removesAllPartials: paused downloads go whoever asks for them.
    ///   - keep: nil: every generation stays.
    ///   - isRehearsal: tells what would be done, and does nothing.
    package init(
        libraryPath: String, manifests: [ManifestLocation], removesAllPartials: Bool, keep: Keep?, isRehearsal: Bool,
        control: RunControl, observer: @escaping RunObserver
    ) {
        self.libraryPath = libraryPath
        self.manifests = manifests
        self.removesAllPartials = removesAllPartials
        self.keep = keep
        self.isRehearsal = isRehearsal
        self.control = control
        self.observer = observer
    }

    /// What went, or would go.
    package struct Report: Sendable {
        package var partials = 0
        package var partialBytes: Int64 = 0
        /// Old generations.
        package var generations = 0
        /// Contents of bundles that no other generation names.
        package var contents = 0
        /// What the disk gets back for these, and for what killed runs left.
        package var otherBytes: Int64 = 0
    }

    /// Whatever happens, the last event is `run.finished`.
    package func run() async -> (report: Report?, exit: ExitCode) {
        let started = ContinuousClock.now
        emit(.runStarted(command: "clean"))
        let work = Task { await outcome() }
        control.onStop { work.cancel() }
        var (report, exit) = await work.value
        if let reason = control.reason, report == nil { exit = exit.combined(with: reason.exit) }
        if let report {
            emit(
                .libraryCleaned(
                    partials: report.partials, generations: report.generations, contents: report.contents,
                    bytes: report.partialBytes.addingClamped(report.otherBytes), isRehearsal: isRehearsal))
        }
        var summary = RunSummary()
        summary.duration = ContinuousClock.now - started
        if report == nil { summary.stop = control.reason }
        emit(.runFinished(summary, exit: exit))
        return (report, exit)
    }

    private func outcome() async -> (Report?, ExitCode) {
        do throws(RunProblem) {
            let named = try await load()
            // Never the cooperative pool's threads: disks may be slow.
            let blocking = JobQueue(name: "larder-run")
            return (try await blocking.attempt { () throws(RunProblem) in try clean(named) }, .success)
        } catch {
            for event in error.events { emit(event) }
            return (nil, error.exit)
        }
    }

    /// Of a manifest that can't be read nobody knows what it wants: then nothing is removed.
    private func load() async throws(RunProblem) -> [LoadedManifest] {
        guard !manifests.isEmpty else { return [] }
        let scratch: TemporaryFolder
        do throws(SystemError) { scratch = try TemporaryFolder() } catch { throw RunProblem(.failure, "\(error)") }
        defer { scratch.remove() }
        let downloader = Downloader(
            configuration: DownloaderConfiguration(), store: ResumeStore(directory: scratch.directory))
        var loaded: [LoadedManifest] = []
        var problem: RunProblem?
        for location in manifests where problem == nil {
            do throws(RunProblem) {
                loaded.append(
                    try await LoadedManifest.load(location, downloader: downloader, redirects: .follow(limit: 10)) {
                        emit(.manifestFinding(text: $0, refusal: nil))
                    })
            } catch {
                problem = error
            }
        }
        await downloader.shutDown()
        if let problem { throw problem }
        return loaded
    }

    /// The partials last: the lock is held, so no run goes on with one.
    private func clean(_ named: [LoadedManifest]) throws(RunProblem) -> Report {
        if control.reason != nil { throw .stopped }
        var report = Report()
        do throws(LibraryError) {
            let library = try Library.open(libraryPath, for: isRehearsal ? .reading : .changing)
            let store = ResumeStore(directory: library.partial)
            if isRehearsal {
                let wanted = try wanted(in: library, store, named)
                let orphans = try library.orphans(
                    keep: keep?.generations ?? .max, keepAge: keep?.age ?? .zero, unless: wanted.contains)
                report.generations = orphans.generations.count
                (report.contents, report.otherBytes) = (orphans.contents.count, orphans.bytes)
                try cleanPartials(in: store, wanted, &report)
            } else {
                let writer = try begin(library)
                for recovery in writer.recoveries { emit(.notice(recovery)) }
                let wanted = try wanted(in: library, store, named)
                let collected = try writer.collect(keep: keep?.generations ?? .max, keepAge: keep?.age ?? .zero)
                report.generations = collected.generations.count
                report.contents = collected.contents.count
                try? library.openStateIndexForNotes()?.forgetVerifications(of: collected.contents)
                report.otherBytes = try writer.discardSalvage(unless: wanted.contains)
                    .addingClamped(writer.clearedBytes).addingClamped(collected.freedBytes)
                    .addingClamped(writer.discardReplacedContent(keeping: 0, olderThan: .zero))
                try cleanPartials(in: store, wanted, &report)
                withExtendedLifetime(writer) {}
            }
            // It is done by now, and a run that is at work meanwhile moves what is looked at.
            try? tellWhatStays(in: library)
        } catch {
            throw control.reason == nil ? RunProblem(error) : .stopped
        }
        return report
    }

    private static let mostTold = 100

    private func tellWhatStays(in library: Library) throws(LibraryError) {
        let strays = try library.strays()
        for stray in strays.prefix(Self.mostTold) {
            emit(.warning("\(escapedText(library.path))/\(stray) is none of the library's own, and stays"))
        }
        if strays.count > Self.mostTold {
            emit(.warning("and \(strays.count - Self.mostTold) more are none of the library's own, and stay"))
        }
        if try library.generations.numbers().isEmpty, try !library.vouchedContents().isEmpty {
            emit(.notice("nothing is published here, so that what is in the store stays; sync first"))
        }
    }

    private func begin(_ library: Library) throws(LibraryError) -> LibraryWriter {
        switch try library.beginWriting(needsCurrent: false, isStopped: { [control] in control.reason != nil }) {
        case .granted(let writer): writer
        case .busy(let process): throw .busy(libraryPath, process)
        }
    }

    private func wanted(
        in library: Library, _ store: ResumeStore, _ named: [LoadedManifest]
    ) throws(LibraryError) -> WantedLeftovers {
        var wanted = WantedLeftovers(in: store)
        guard !removesAllPartials else { return wanted }
        for manifest in named { wanted.add(manifest) }
        // As what stays is chosen, also where `current` is lost.
        if let number = try library.currentGeneration() {
            try wanted.add(library.generations.open(number), named: Set(named.map(\.id)))
        }
        return wanted
    }

    private func cleanPartials(
        in store: ResumeStore, _ wanted: WantedLeftovers, _ report: inout Report
    ) throws(LibraryError) {
        do throws(DownloadError) {
            let paused = try store.pausedDownloads()
            let doomed = paused.filter { !wanted.contains($0) }
            warn(wanted, of: paused.count - doomed.count)
            let removed = isRehearsal ? doomed : try store.discard(doomed)
            if !isRehearsal {
                for download in removed {
                    let url = download.url.flatMap { try? TransferURL($0) }
                    emit(.partialEvicted(bytes: download.diskBytes), url: url?.description)
                }
                // Records whose bytes are gone.
                try store.purge(keepingBytes: .max)
            }
            report.partials = removed.count
            report.partialBytes = removed.reduce(0) { $0.addingClamped($1.diskBytes) }
        } catch {
            throw LibraryError(.system, "paused downloads could not be removed: \(error)")
        }
    }

    private func warn(_ wanted: WantedLeftovers, of kept: Int) {
        guard kept > 0 else { return }
        if !wanted.unreadable.isEmpty {
            let names = wanted.unreadable.map(\.description).sorted().joined(separator: ", ")
            emit(
                .warning(
                    "all paused downloads are kept, since nobody can tell what \(names) asks for: what is published of it can't be read; sync it again, or use --partials"
                ))
        }
        guard !wanted.unresolvable.isEmpty else { return }
        emit(
            .warning(
                "paused downloads without a digest are kept, since \(wanted.unresolvable.joined(separator: ", ")) may ask for them: its URLs are relative; name the manifest, or use --partials"
            ))
    }

    private func emit(_ kind: RunEvent.Kind, url: String? = nil) {
        observer(RunEvent(time: .now, url: url, kind: kind))
    }
}
