import BundleManifest
import Diagnostics
import Downloads
import Platform
import Transfer

/// Reads manifests and finds what is wrong with them, as a run would, and does nothing else with them.
package struct ManifestValidator: Sendable {
    private let configuration: DownloaderConfiguration
    private let redirects: RedirectPolicy
    /// Made when something has to be fetched: its threads and libraries take longer to start than a small manifest to check.
    private let downloader = Locked<Downloader?>(nil)
    private let scratch: TemporaryFolder
    private let control: RunControl

    /// - Throws: when there is no place for what is fetched.
    package init(
        _ configuration: DownloaderConfiguration, redirects: RedirectPolicy, control: RunControl
    ) throws(SystemError) {
        self.redirects = redirects
        self.control = control
        self.configuration = configuration
        scratch = try TemporaryFolder()
    }

    private func startedDownloader() -> Downloader {
        downloader.withLock { downloader in
            let started =
                downloader
                ?? Downloader(configuration: configuration, store: ResumeStore(directory: scratch.directory))
            downloader = started
            return started
        }
    }

    /// - Throws: `UnreadableInput`, and not when reading was stopped.
    /// - Returns: nil when reading was stopped.
    package func validate(_ location: ManifestLocation) async throws(UnreadableInput) -> ValidatedManifest? {
        let reading = Task { () -> Result<ValidatedManifest, RunProblem> in
            do throws(RunProblem) {
                return .success(try await checked(location, location.read(startedDownloader(), redirects).bytes))
            } catch {
                return .failure(error)
            }
        }
        control.onStop { reading.cancel() }
        switch await reading.value {
        case .success(let validated): return validated
        case .failure(let problem) where problem.lines.isEmpty: return nil
        case .failure(let problem): throw UnreadableInput(problem.lines.joined(separator: "\n"))
        }
    }

    /// A large manifest keeps a thread busy for a while: it is one of its own, which is left to itself when the run is stopped.
    private func checked(_ location: ManifestLocation, _ bytes: [UInt8]) async throws(RunProblem) -> ValidatedManifest {
        // A small one has been checked before a thread would have started.
        guard bytes.count > 64 << 10 else { return ValidatedManifest(location, bytes) }
        do { return try await readAbandonably { ValidatedManifest(location, bytes) } } catch { throw .stopped }
    }

    /// Ends the connections and removes what was fetched.
    package func end() async {
        await downloader.withLock { $0 }?.shutDown()
        scratch.remove()
    }
}

/// A manifest's text and all that was found in it.
package struct ValidatedManifest: Sendable {
    package let location: ManifestLocation
    /// What its text alone tells.
    package let decoded: DecodedManifest
    /// In the order of the text.
    package let diagnostics: [Diagnostic]

    private init(_ location: ManifestLocation, _ decoded: DecodedManifest, _ diagnostics: [Diagnostic]) {
        (self.location, self.decoded, self.diagnostics) = (location, decoded, diagnostics)
    }

    package init(_ location: ManifestLocation, _ bytes: [UInt8]) {
        let source = SourceText(name: location.description, bytes: bytes)
        let decoded = DecodedManifest(source, options: Self.options(location))
        self.init(location, decoded, decoded.diagnostics)
    }

    package var source: SourceText { decoded.source }

    private static func options(_ location: ManifestLocation) -> ManifestDecodingOptions {
        var options = ManifestDecodingOptions(allowsFileURLs: location.allowsFileURLs)
        options.now = Timestamp.now
        options.tellsNotes = true
        options.hasBase = location.base != nil
        return options
    }

    /// The same with what its author forgot since an older version.
    package func compared(with old: ValidatedManifest) -> ValidatedManifest {
        adding(ManifestComparison.diagnostics(of: decoded, since: old.decoded))
    }

    /// The same with further findings about its text, but for what the same rule has told of the same place: a library's copy of the content,
    /// and its manifest, know the same.
    package func adding(_ found: [Diagnostic]) -> ValidatedManifest {
        guard !found.isEmpty else { return self }
        let places = Dictionary(grouping: diagnostics, by: \.id).mapValues { Set($0.map(\.range)) }
        let new = found.filter { places[$0.id]?.contains($0.range) != true }
        return ValidatedManifest(location, decoded, (diagnostics + new).sortedByPosition())
    }

    /// The same with every fix applied that its findings offer, and then those of what is found after that.
    /// - Returns: nil when there is nothing to fix.
    package func fixed() -> ValidatedManifest? {
        let bytes = ManifestFixes.apply(diagnostics, to: source, options: Self.options(location))
        return bytes == source.bytes ? nil : ValidatedManifest(location, bytes)
    }
}
