import ContentLibrary
import Downloads
import Glibc
import Platform
import Transfer

/// Fetches one URL into one file: what `larder fetch` does.
package struct SingleFetch: Sendable {
    private typealias Emit = @Sendable (_ kind: RunEvent.Kind, _ url: String?, _ transfer: Int?) -> Void

    private let url: TransferURL
    private let output: String?
    private let digest: SHA256Digest?
    private let configuration: DownloaderConfiguration
    private let writeOutput: @Sendable (OwnedDescriptor) throws(SystemError) -> Void
    /// Where hashing and writing block.
    private let blocking = JobQueue(name: "larder-fetch")

    /// - Parameters:
    ///   - output: the file's path; `-` for standard output; nil for the name the URL has.
    ///   - digest: what the file must have; nil for any.
    ///   - writeOutput: writes a file to standard output.
    package init(
        url: TransferURL, output: String?, digest: SHA256Digest?, configuration: DownloaderConfiguration,
        writeOutput: @escaping @Sendable (OwnedDescriptor) throws(SystemError) -> Void
    ) {
        self.url = url
        self.output = output
        self.digest = digest
        self.configuration = configuration
        self.writeOutput = writeOutput
    }

    package func run(control: RunControl, observer: @escaping RunObserver) async -> ExitCode {
        let started = ContinuousClock.now
        var summary = RunSummary()
        let emit: Emit = { kind, url, transfer in
            observer(RunEvent(time: .now, url: url, transfer: transfer, kind: kind))
        }
        var exit = ExitCode.success
        do throws(BundleFailure) {
            try await fetch(control, &summary, emit)
        } catch {
            exit = error.code == .noSpace ? .noSpace : .failure
            if error.code != .paused {
                emit(.bundleFailed(code: error.code.rawValue, message: error.message), error.url, nil)
            }
        }
        if let reason = control.reason {
            exit = reason.exit
            summary.stop = reason
        }
        summary.duration = ContinuousClock.now - started
        emit(.runFinished(summary, exit: exit), nil, nil)
        return exit
    }

    private func fetch(
        _ control: RunControl, _ summary: inout RunSummary, _ emit: @escaping Emit
    ) async throws(BundleFailure) {
        let target = try target()
        if let digest, let path = target.path, await blocking.run({ Self.isThere(path, digest) }) {
            summary.unchanged = 1
            return
        }
        let downloader: Downloader
        do throws(DownloadError) {
            var configuration = configuration
            configuration.takesDigests = false
            downloader = Downloader(
                configuration: configuration, store: try ResumeStore(path: target.folder),
                events: { emit(RunEvent.Kind($0), nil, nil) })
        } catch {
            throw BundleFailure(error, url: "\(url)")
        }
        await control.begin(downloader)
        let result = await transfer(downloader, target, control, emit)
        await downloader.shutDown()
        let statistics = downloader.statistics
        (summary.fetchedBytes, summary.resumedBytes) = (statistics.fetchedBytes, statistics.resumedBytes)
        summary.requestCount = statistics.requestCount
        switch result {
        case .success: summary.published = 1
        case .failure(let failure):
            if failure.code == .paused { summary.paused = 1 } else { summary.failed = 1 }
            throw failure
        }
    }

    private func transfer(
        _ downloader: Downloader, _ target: Target, _ control: RunControl, _ emit: @escaping Emit
    ) async -> Result<Void, BundleFailure> {
        let reporter = TransferReporter(url: "\(url)", received: { _ in control.noteActivity() }, emit: emit)
        let work = Task { () -> Result<Void, BundleFailure> in
            do throws(DownloadError) {
                var request = DownloadRequest(url)
                request.digest = digest
                request.partialFile = try PartialFile.Location(path: target.partialPath)
                let file = try await downloader.download(request, events: reporter.report)
                if !file.isProvenComplete {
                    emit(
                        .warning("the server closed the connection without saying how long the file is; it may be cut"),
                        "\(url)", nil)
                }
                try await blocking.attempt { () throws(DownloadError) in
                    if let path = target.path { try file.take(to: path) } else { try file.write(writeOutput) }
                }
                reporter.finished(bytes: file.sizeBytes)
                return .success(())
            } catch {
                let failure = BundleFailure(error, url: reporter.url)
                reporter.failed(failure)
                return .failure(failure)
            }
        }
        control.onStop { work.cancel() }
        return await work.value
    }

    /// Where the file goes, and where its bytes gather until it is complete.
    private struct Target {
        /// Nil for standard output.
        let path: String?
        let partialPath: String

        var folder: String {
            partialPath.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(partialPath[...$0]) } ?? "."
        }
    }

    private func target() throws(BundleFailure) -> Target {
        let named = safeFileName(String(decoding: url.lastPathComponent, as: UTF8.self))
        if output == "-" { return Target(path: nil, partialPath: "\(named ?? "larder-fetch").part") }
        guard let path = output ?? named else {
            throw BundleFailure(.downloadFailed, "the URL names no file; say where to with -o", url: "\(url)")
        }
        let file = try Self.replaceable(path)
        return Target(path: file, partialPath: file + ".part")
    }

    /// The path of what will be replaced: behind a link, the file it leads to. Whatever isn't a file is refused before a byte is fetched.
    private static func replaceable(_ path: String) throws(BundleFailure) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        let target = String(cString: resolved)
        if let library = Library.around(target) {
            throw BundleFailure(
                .localFileFailed,
                "\(escapedText(path)) leads into the library \(escapedText(library)), where nothing else may be written; name a place outside of it with -o"
            )
        }
        var status = stat()
        guard stat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return target }
        throw BundleFailure(
            .localFileFailed,
            status.st_mode & S_IFMT == S_IFDIR
                ? "\(escapedText(path)) is a folder; name a file in it"
                : "\(escapedText(path)) is no regular file; -o - writes to a pipe")
    }

    /// Whether the file is there already, by its digest.
    private static func isThere(_ path: String, _ digest: SHA256Digest) -> Bool {
        guard let file = try? OwnedDescriptor.openRegularFile(path) else { return false }
        let hasher = SHA256()
        return (try? hasher.update(from: file)) != nil && hasher.finalize() == digest
    }
}
