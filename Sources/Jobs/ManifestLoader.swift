import BundleManifest
import ContentLibrary
import Downloads
import Platform

/// Reads the manifests of a run and judges whether they may be followed. One that can't be used is reported, and the others go on.
struct ManifestLoader {
    private let options: RunOptions
    private let downloader: Downloader
    private let highestSerial: (ContentID) -> Int?
    private let emit: (RunEvent.Kind, String?) -> Void

    private(set) var manifests: [LoadedManifest] = []
    /// What the manifests that can't be used make of the run.
    private(set) var exit = ExitCode.success

    /// - Parameter highestSerial: the highest that was ever published for a manifest; nil when none was, or nobody knows.
    init(
        _ options: RunOptions, downloader: Downloader, highestSerial: @escaping (ContentID) -> Int?,
        emit: @escaping (RunEvent.Kind, String?) -> Void
    ) {
        self.options = options
        self.downloader = downloader
        self.highestSerial = highestSerial
        self.emit = emit
    }

    mutating func load(_ location: ManifestLocation) async {
        do throws(RunProblem) {
            let manifest = try await LoadedManifest.load(
                location, downloader: downloader, redirects: options.redirects
            ) { emit(.manifestFinding(text: $0, refusal: nil), nil) }
            try admit(manifest, location)
            emit(
                .manifestLoaded(serial: manifest.manifest.serial, bundles: manifest.manifest.bundles.count),
                manifest.id.description)
            manifests.append(manifest)
        } catch {
            for event in error.events { emit(event, nil) }
            exit = exit.combined(with: error.exit)
        }
    }

    /// Whether a valid manifest may be followed: not when it is older than what was published, nor when its time is over.
    private func admit(_ manifest: LoadedManifest, _ location: ManifestLocation) throws(RunProblem) {
        let serial = manifest.manifest.serial
        if manifests.contains(where: { $0.id == manifest.id }) {
            throw RunProblem(
                .invalidManifest, "\(location): another manifest of this run has the id '\(manifest.id)' too")
        }
        if !options.allowsRollback, let highest = highestSerial(manifest.id), serial < highest {
            throw RunProblem(
                .refused,
                "\(location): serial \(serial) of '\(manifest.id)' is older than \(highest), which was published here; use --allow-rollback if that is meant"
            )
        }
        if !options.allowsExpired, let expires = manifest.manifest.expires, expires.hasPassed {
            throw RunProblem(
                .refused,
                "\(location): '\(manifest.id)' has expired; ask its author for a new one, or use --allow-expired. What is published stays"
            )
        }
    }
}

extension Timestamp {
    fileprivate var hasPassed: Bool { self <= Timestamp.now }
}
