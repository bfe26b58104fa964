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

        fileprivate var exit: ExitCode {
            if failed == 0, leftOut == 0 { return .success }
            return carried + known > 0 ? .partial : .failure
        }

        /// Files that were written, and their bytes.
        package fileprivate(set) var files = 0
        package fileprivate(set) var bytes: Int64 = 0
    }

    /// Whatever happens, the last event is `run.finished`.
    package func run() async -> (report: Report?, exit: ExitCode) {
        let started = ContinuousClock.now
        emit(.runStarted(command: "export"))
        let work = Task { await outcome() }
        control.onStop { work.cancel() }
        var (report, exit) = await work.value
        if let reason = control.reason { exit = exit.combined(with: reason.exit) }
        var summary = RunSummary()
        if let report {
            (summary.published, summary.unchanged, summary.failed) = (report.carried, report.known, report.failed)
            summary.writtenBytes = report.bytes
        }
        summary.duration = ContinuousClock.now - started
        emit(.runFinished(summary, exit: exit))
        return (report, exit)
    }

    private func outcome() async -> (Report?, ExitCode) {
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
            if let problem { throw problem }
            try await blocking.attempt { () throws(RunProblem) in
                try onDisk { () throws(SystemError) in try writer.finish(plan.manifests) }
            }
            return (report, report.exit)
        } catch {
            for event in error.events { emit(event) }
            return (nil, error.exit)
        }
    }

    // MARK: What is to be carried

    private struct Plan: Sendable {
        /// Held so that nothing of it is collected meanwhile.
        let reader: Directory
        let manifests: [ContentID: [UInt8]]
        let bundles: [(manifest: LoadedManifest, bundle: Bundle, address: BundleAddress)]
        let known: Int
        let leftOut: Int
        let stored: StoredFiles
    }

    private func prepare() throws(RunProblem) -> (Plan, CourierWriter) {
        do throws(LibraryError) {
            let library = try Library.open(libraryPath, for: .reading)
            guard let held = try library.generations.holdCurrent() else {
                throw LibraryError(.damaged, "\(escapedText(libraryPath)) has nothing published yet; sync it first")
            }
            let current = try library.generations.open(held.number)
            var leftOut = 0
            let manifests = try LoadedManifest.published(in: current, of: library, base: base) { warning in
                leftOut += 1
                emit(.warning(warning))
            }
            var bundles: [(LoadedManifest, Bundle, BundleAddress)] = []
            var known = 0
            for manifest in manifests {
                for bundle in manifest.manifest.bundles {
                    guard let id = ContentID(bundle.id.text), let name = current.manifests[manifest.id]?[id] else {
                        continue
                    }
                    let address = BundleAddress(manifest: manifest.id, bundle: id)
                    let content = try library.store.open(StoreAddress(bundle: address, name: name))
                    if let content, other.has(content) {
                        known += 1
                    } else {
                        bundles.append((manifest, bundle, address))
                    }
                }
            }
            let wanted = Set(bundles.flatMap { $0.1.knownDigests.compactMap(\.self) })
            let plan = Plan(
                reader: held.directory,
                manifests: Dictionary(manifests.map { ($0.id, $0.bytes) }, uniquingKeysWith: { first, _ in first }),
                bundles: bundles, known: known, leftOut: leftOut, stored: try StoredFiles(for: wanted, in: library))
            let writer = try CourierWriter(target)
            try checkRoom(plan, writer)
            return (plan, writer)
        } catch {
            throw RunProblem(error)
        }
    }

    /// Says that there is not enough room before the first byte is written, rather than half-way.
    private func checkRoom(_ plan: Plan, _ writer: CourierWriter) throws(LibraryError) {
        var seen: Set<SHA256Digest> = []
        var needed: Int64 = 0
        for (source, address) in plan.bundles.flatMap({ item in item.bundle.sources.map { ($0, item.address) } }) {
            guard let digest = source.file.digest, !other.has(digest, in: address), seen.insert(digest).inserted,
                let size = source.file.sizeBytes.map(Int64.init) ?? plan.stored.sizeBytes(of: digest),
                !writer.has(digest, sizeBytes: size)
            else { continue }
            needed = needed.addingClamped(size)
        }
        let free = try writer.freeBytes()
        guard needed > free else { return }
        throw LibraryError(
            .noSpace,
            "\(escapedText(target)): \(needed) bytes are to be written and \(free) are free; nothing was written")
    }

    // MARK: Carrying

    private func carry(
        _ item: (manifest: LoadedManifest, bundle: Bundle, address: BundleAddress), _ plan: Plan,
        _ writer: CourierWriter, _ downloader: Downloader, on blocking: JobQueue, _ report: inout Report
    ) async throws(RunProblem) {
        var (files, bytes): (Int, Int64) = (0, 0)
        do {
            for source in item.bundle.sources.map(\.file) {
                guard let digest = source.digest else {
                    throw BundleFailure(
                        .unsupportedKind,
                        "the manifest gives no digest for all of it, so that nothing would prove it elsewhere"
                    )
                }
                if other.has(digest, in: item.address) { continue }
                let written = try await bring(digest, source, item, plan, writer, downloader, on: blocking)
                files += written == nil ? 0 : 1
                bytes = bytes.addingClamped(written ?? 0)
            }
            report.carried += 1
            emit(.bundleExported(files: files, bytes: bytes), of: item.address)
        } catch let failure as BundleFailure {
            if failure.code == .paused { throw .stopped }
            if failure.code == .noSpace { throw RunProblem(.noSpace, failure.description) }
            report.failed += 1
            emit(
                .bundleFailed(code: failure.code.rawValue, message: failure.message), of: item.address, url: failure.url
            )
        } catch {
            throw RunProblem(.failure, "\(error)")
        }
        report.files += files
        report.bytes = report.bytes.addingClamped(bytes)
    }

    /// - Returns: how many bytes were written; nil where the file was there.
    private func bring(
        _ digest: SHA256Digest, _ source: SourceFile,
        _ item: (manifest: LoadedManifest, bundle: Bundle, address: BundleAddress), _ plan: Plan,
        _ writer: CourierWriter, _ downloader: Downloader, on blocking: JobQueue
    ) async throws(BundleFailure) -> Int64? {
        let size = source.sizeBytes.map(Int64.init) ?? plan.stored.sizeBytes(of: digest)
        let copied = try await blocking.attempt { [control] () throws(BundleFailure) -> Int64?? in
            if writer.has(digest, sizeBytes: size) { return .some(nil) }
            for place in plan.stored.places(of: digest) {
                guard let file = try? place.directory.open(place.path, flags: O_RDONLY | O_NONBLOCK) else { continue }
                if let size = try writer.take(digest, from: file, unless: control) { return size }
            }
            return nil
        }
        try checkStop()
        if let copied { return copied }
        return try await fetch(digest, source, item.manifest, item.bundle, writer, downloader, on: blocking)
    }

    /// What isn't in the library as it was fetched.
    private func fetch(
        _ digest: SHA256Digest, _ source: SourceFile, _ manifest: LoadedManifest, _ bundle: Bundle,
        _ writer: CourierWriter, _ downloader: Downloader, on blocking: JobQueue
    ) async throws(BundleFailure) -> Int64 {
        var failure = BundleFailure(
            .unresolvableURL,
            "it isn't kept as it was fetched, and none of its sources can be reached from here; --base tells where relative URLs lead"
        )
        for url in (try? manifest.sources(source)) ?? [] where url.scheme == "file" {
            let path = String(decoding: url.decodedPath, as: UTF8.self)
            if let size = try await blocking.attempt({ [control] () throws(BundleFailure) -> Int64? in
                guard let file = try? OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK) else { return nil }
                return try writer.take(digest, from: file, unless: control)
            }) {
                return size
            }
            try checkStop()
            failure = BundleFailure(
                .localFileFailed, "the file is missing, or another one than was asked for", url: "\(url)")
        }
        for var request in manifest.requests(for: source, in: bundle, redirects: redirects) {
            request.budgetBytes = bodyBudgetBytes
            let file: DownloadedFile
            do throws(DownloadError) { file = try await downloader.download(request) } catch {
                failure = BundleFailure(error, url: "\(request.urls[0])")
                continue
            }
            do throws(SystemError) {
                try await blocking.attempt { () throws(SystemError) in try writer.add(digest, from: file) }
            } catch {
                throw BundleFailure(error)
            }
            return file.sizeBytes
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
    /// - Returns: how long the file is; nil where it is another one, or no file.
    fileprivate func take(
        _ digest: SHA256Digest, from file: OwnedDescriptor, unless control: RunControl
    ) throws(BundleFailure) -> Int64? {
        guard let status = try? file.status(), status.kind == .file else { return nil }
        do throws(SystemError) {
            return try add(digest, from: file) {
                control.noteActivity()
                return control.reason != nil
            } ? status.sizeBytes : nil
        } catch {
            throw BundleFailure(error)
        }
    }
}
