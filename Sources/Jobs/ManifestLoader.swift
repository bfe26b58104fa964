import BundleManifest
import ContentLibrary
import Downloads
import JSONSyntax
import Platform

/// Reads the manifests of a run and judges whether they may be followed. One that can't be used is reported, and the others go on.
struct ManifestLoader {
    private let options: RunOptions
    private let downloader: Downloader
    private let highestSerial: (ContentID) -> Int?
    private let published: Generation?
    /// What the published manifests say themselves: the index may be lost, or not answer.
    private let publishedSerials: [ContentID: Int]
    private let emit: (RunEvent.Kind, String?) -> Void

    private(set) var manifests: [LoadedManifest] = []
    /// What the manifests that can't be used make of the run.
    private(set) var exit = ExitCode.success

    /// - Parameters:
    ///   - published: what readers see; nil when nothing was published, or nobody knows.
    ///   - highestSerial: the highest that the index knows to have been published for a manifest; nil when it knows none.
    init(
        _ options: RunOptions, downloader: Downloader, published: Generation?,
        highestSerial: @escaping (ContentID) -> Int?,
        emit: @escaping (RunEvent.Kind, String?) -> Void
    ) {
        self.options = options
        self.downloader = downloader
        self.published = published
        publishedSerials = (try? published?.serials()) ?? [:]
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
        if !options.allowsRollback,
            let highest = [highestSerial(manifest.id), publishedSerials[manifest.id]].compactMap(\.self).max(),
            serial < highest
        {
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
        warnOfOtherBytes(manifest, location)
    }

    /// A serial stands for one manifest: its author changed this one and forgot to raise it, or somebody else did.
    private func warnOfOtherBytes(_ manifest: LoadedManifest, _ location: ManifestLocation) {
        let serial = manifest.manifest.serial
        guard let bytes = try? published?.manifestBytes(manifest.id), bytes != manifest.bytes,
            (try? JSONDocument(bytes, name: "\(manifest.id)"))?.root["serial"]?.integer == serial
        else { return }
        emit(
            .warning(
                "\(location): it differs from what was published here with the same serial \(serial); raise the serial with every change"
            ), manifest.id.description)
    }
}

extension Timestamp {
    fileprivate var hasPassed: Bool { self <= Timestamp.now }
}
