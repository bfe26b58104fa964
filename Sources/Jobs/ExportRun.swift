import BundleManifest
import ContentLibrary
import Downloads
import Glibc
import Platform
import Transfer

/// Writes what another library lacks of what readers see in this one, for `--from` to take there.
///
/// What is carried has to prove itself where it arrives, by the digests of the manifest alone: so files travel as they were fetched. Those of `files`,
/// `segments` and `ebook` bundles are in the library; an archive isn't, once it was unpacked, and is fetched again; what a presentation is made of has
/// no digest in its manifest, and can't be carried.
package struct ExportRun: Sendable {
    private let libraryPath: String
    private let target: String
    private let other: OtherLibrary
    private let downloads: DownloaderConfiguration
    private let redirects: RedirectPolicy
    private let bodyBudgetBytes: Int64?
    private let base: TransferURL?
    private let control: RunControl
    private let observer: RunObserver

    /// - Parameters:
    ///   - target: the folder; made when missing.
    ///   - other: what the other library has.
    ///   - bodyBudgetBytes: the most that one reply may carry; nil: any number.
    ///   - base: what relative URLs of published manifests are relative to, where nothing tells.
    package init(
        libraryPath: String, to target: String, for other: OtherLibrary, downloads: DownloaderConfiguration,
        redirects: RedirectPolicy, bodyBudgetBytes: Int64?, base: TransferURL?, control: RunControl,
        observer: @escaping RunObserver
    ) {
        (self.libraryPath, self.target, self.other) = (libraryPath, target, other)
        (self.downloads, self.redirects, self.bodyBudgetBytes) = (downloads, redirects, bodyBudgetBytes)
        (self.base, self.control, self.observer) = (base, control, observer)
    }

    package struct Report: Sendable {
        /// Bundles that the other library has.
        package fileprivate(set) var known = 0
        /// Bundles that are in the folder now, wholly.
        package fileprivate(set) var carried = 0
        package fileprivate(set) var failed = 0
        /// Published manifests that can't be read: nothing of them is carried.
        package fileprivate(set) var leftOut = 0
        /// Files that were written, and their bytes; those that were there already.
        package fileprivate(set) var files = Files()
        /// Those that are there by now.
        fileprivate var seen: Set<SHA256Digest> = []

        fileprivate var exit: ExitCode {
            if failed == 0, leftOut == 0 { return .success }
            return carried + known > 0 ? .partial : .failure
        }
    }

    package struct Files: Sendable {
        package fileprivate(set) var written = 0
        package fileprivate(set) var writtenBytes: Int64 = 0
        package fileprivate(set) var present = 0

        fileprivate mutating func note(_ outcome: Outcome) {
            switch outcome {
            case .present: present += 1
            case .written(let bytes): note(written: 1, bytes)
            }
        }

        fileprivate mutating func note(written count: Int, _ bytes: Int64) {
            written += count
            writtenBytes.addClamped(bytes)
        }

        fileprivate mutating func add(_ other: Files) {
            note(written: other.written, other.writtenBytes)
            present += other.present
        }
    }

    /// What became of a file.
    fileprivate enum Outcome: Sendable {
        /// It was there already.
        case present
        case written(bytes: Int64)
    }

    /// Whatever happens, the last event is `run.finished`.
    package func run() async -> (report: Report?, exit: ExitCode) {
        let started = ContinuousClock.now
        emit(.runStarted(command: "export"))
        let work = Task { await outcome() }
        control.onStop { work.cancel() }
        var (report, exit, summary) = await work.value
        if let reason = control.reason { exit = exit.combined(with: reason.exit) }
        if let report {
            (summary.published, summary.unchanged, summary.failed) = (report.carried, report.known, report.failed)
            summary.writtenBytes = report.files.writtenBytes
        }
        (summary.duration, summary.stop) = (ContinuousClock.now - started, control.reason)
        emit(.runFinished(summary, exit: exit))
        return (report, exit)
    }

    private func outcome() async -> (Report?, ExitCode, RunSummary) {
        var summary = RunSummary()
        let blocking = JobQueue(name: "larder-run")
        do throws(RunProblem) {
            let (plan, writer) = try await blocking.attempt { () throws(RunProblem) in try prepare() }
            defer { withExtendedLifetime(plan.reader) {} }
            let downloader = Downloader(configuration: downloads, store: ResumeStore(directory: writer.partial))
            await control.begin(downloader)
            var report = Report(known: plan.known, leftOut: plan.leftOut)
            var problem: RunProblem?
            for bundle in plan.bundles where problem == nil {
                do throws(RunProblem) {
                    try await carry(bundle, plan, writer, downloader, on: blocking, &report)
                } catch {
                    problem = error
                }
            }
            await downloader.shutDown()
            summary.note(downloader.statistics)
            if let problem { throw problem }
            try await blocking.attempt { () throws(RunProblem) in
                try onDisk { () throws(SystemError) in try writer.finish(plan.manifests) }
            }
            for manifest in plan.manifests {
                if manifest.leavesSignature {
                    emit(
                        .warning(
                            "the signature that is kept of '\(manifest.id)' is damaged, or names no file, and isn't carried: a sync with --public-key has it anew"
                        ))
                }
                guard let signed = manifest.signedElsewhere else { continue }
                emit(
                    .notice(
                        "'\(manifest.id)' is signed as \(escapedText(signed.fileName)): where --public-key is asked for, sync \(CourierLayout.manifests)/\(signed.folder)/\(escapedText(signed.fileName))"
                    ))
            }
            return (report, report.exit, summary)
        } catch {
            for event in error.events { emit(event) }
            return (nil, error.exit, summary)
        }
    }

    private func prepare() throws(RunProblem) -> (ExportPlan, CourierWriter) {
        do throws(LibraryError) {
            let library = try Library.open(libraryPath, for: .reading)
            try checkTarget()
            let plan = try ExportPlan(of: library, for: other, base: base) { emit(.runFailed(.partial, message: $0)) }
            let writer = try CourierWriter(target)
            try checkRoom(plan, writer)
            return (plan, writer)
        } catch {
            throw RunProblem(error)
        }
    }

    /// What is written must not become part of a library, nor a library part of what is carried.
    private func checkTarget() throws(LibraryError) {
        let (library, target) = (ResolvedPath(libraryPath), ResolvedPath(self.target))
        guard !library.isAtOrBeneath(target), !target.isAtOrBeneath(library) else {
            throw LibraryError(
                .unusablePlace,
                "\(escapedText(self.target)) and the library \(escapedText(libraryPath)) lie in each other; name a folder beside it"
            )
        }
    }

    /// Says that there is not enough room before the first byte is written, rather than half-way.
    private func checkRoom(_ plan: ExportPlan, _ writer: CourierWriter) throws(LibraryError) {
        var freed: Int64 = 0
        let needed = plan.neededBytes(held: writer.heldBytes()) { digest, size in
            if writer.mayHave(digest, sizeBytes: size) { return true }
            freed.addClamped(writer.displacedBytes(digest))
            return false
        }
        let free = try writer.freeBytes().addingClamped(freed)
        guard needed > free else { return }
        throw LibraryError(
            .noSpace,
            "\(escapedText(target)): \(shownBytes(needed)) are to be written and \(shownBytes(free)) are free; nothing was written"
        )
    }

    // MARK: Carrying

    private func carry(
        _ item: ExportPlan.Item, _ plan: ExportPlan, _ writer: CourierWriter, _ downloader: Downloader,
        on blocking: JobQueue, _ report: inout Report
    ) async throws(RunProblem) {
        var files = Files()
        do throws(BundleFailure) {
            for source in item.bundle.sources.map(\.file) {
                guard let digest = source.digest else {
                    throw BundleFailure(
                        .unsupportedKind,
                        "the manifest gives no digest for all of it, so that nothing would prove it elsewhere"
                    )
                }
                if other.has(digest, in: item.address) || report.seen.contains(digest) { continue }
                files.note(try await bring(digest, source, item, plan, writer, downloader, on: blocking))
                report.seen.insert(digest)
            }
            report.carried += 1
            emit(
                .bundleExported(files: files.written, bytes: files.writtenBytes, present: files.present),
                of: item.address)
        } catch {
            if error.code == .paused { throw .stopped }
            if error.code == .noSpace { throw RunProblem(.noSpace, error.description) }
            report.failed += 1
            emit(.bundleFailed(code: error.code.rawValue, message: error.message), of: item.address, url: error.url)
        }
        report.files.add(files)
    }

    private func bring(
        _ digest: SHA256Digest, _ source: SourceFile, _ item: ExportPlan.Item, _ plan: ExportPlan,
        _ writer: CourierWriter, _ downloader: Downloader, on blocking: JobQueue
    ) async throws(BundleFailure) -> Outcome {
        let size = plan.sizeBytes(of: source)
        let outcome = try await blocking.attempt { [control] () throws(BundleFailure) -> Outcome? in
            if try writer.has(digest, unless: control) { return .present }
            for place in plan.stored.places(of: digest) where control.reason == nil {
                guard let file = try? place.directory.open(place.path, flags: O_RDONLY | O_NONBLOCK) else { continue }
                if let bytes = try writer.take(digest, sizeBytes: size, from: file, unless: control) {
                    return .written(bytes: bytes)
                }
            }
            return nil
        }
        try checkStop()
        if let outcome { return outcome }
        return try await fetch(digest, source, item, sizeBytes: size, writer, downloader, on: blocking)
    }

    /// What isn't in the library as it was fetched.
    private func fetch(
        _ digest: SHA256Digest, _ source: SourceFile, _ item: ExportPlan.Item, sizeBytes size: Int64?,
        _ writer: CourierWriter, _ downloader: Downloader, on blocking: JobQueue
    ) async throws(BundleFailure) -> Outcome {
        var failure = BundleFailure(
            .unresolvableURL,
            "it isn't kept as it was fetched, and none of its sources can be reached from here; --base tells where relative URLs lead"
        )
        for url in (try? item.manifest.sources(source)) ?? [] where url.scheme == "file" {
            let path = String(decoding: url.decodedPath, as: UTF8.self)
            if let bytes = try await blocking.attempt({ [control] () throws(BundleFailure) -> Int64? in
                guard let file = try? OwnedDescriptor.openRegularFile(path) else { return nil }
                return try writer.take(digest, sizeBytes: size, from: file, unless: control)
            }) {
                return .written(bytes: bytes)
            }
            try checkStop()
            failure = BundleFailure(
                .localFileFailed, "the file is missing, or another one than was asked for", url: "\(url)")
        }
        for var request in item.manifest.requests(for: source, in: item.bundle, redirects: redirects) {
            request.budgetBytes = bodyBudgetBytes
            // How long it was when it was fetched, where the manifest doesn't say.
            request.sizeBytes = size
            let file: DownloadedFile
            do throws(DownloadError) { file = try await downloader.download(request) } catch {
                failure = BundleFailure(error, url: "\(request.urls[0])")
                // Another source changes nothing about that.
                if failure.isOfMachine { throw failure }
                continue
            }
            do throws(SystemError) {
                try await blocking.attempt { () throws(SystemError) in try writer.add(digest, from: file) }
            } catch {
                throw BundleFailure(error)
            }
            return .written(bytes: file.sizeBytes)
        }
        throw failure
    }

    private func checkStop() throws(BundleFailure) {
        if control.reason != nil { throw BundleFailure(.paused, "stopped") }
    }

    private func onDisk(_ body: () throws(SystemError) -> Void) throws(RunProblem) {
        do throws(SystemError) { try body() } catch { throw RunProblem(LibraryError(error)) }
    }

    private func emit(_ kind: RunEvent.Kind, of bundle: BundleAddress? = nil, url: String? = nil) {
        observer(
            RunEvent(
                time: .now, manifest: bundle.map { "\($0.manifest)" }, bundle: bundle.map { "\($0.bundle)" }, url: url,
                kind: kind))
    }
}

extension CourierWriter {
    fileprivate func has(_ digest: SHA256Digest, unless control: RunControl) throws(BundleFailure) -> Bool {
        do throws(SystemError) { return try has(digest, isStopped: control.isStopped) } catch {
            throw BundleFailure(error)
        }
    }

    /// - Returns: how long the file is; nil where it is another one, or no file.
    fileprivate func take(
        _ digest: SHA256Digest, sizeBytes: Int64?, from file: OwnedDescriptor, unless control: RunControl
    ) throws(BundleFailure) -> Int64? {
        do throws(SystemError) {
            return try add(digest, sizeBytes: sizeBytes, from: file, isStopped: control.isStopped)
        } catch {
            throw BundleFailure(error)
        }
    }
}

extension RunControl {
    /// Whether the run is stopped; whoever asks is at work.
    fileprivate func isStopped() -> Bool {
        noteActivity()
        return reason != nil
    }
}
