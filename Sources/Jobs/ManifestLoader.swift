import BundleManifest
import ContentLibrary
import Downloads
import JSONSyntax
import Platform

/// A manifest that is as it was, all of whose bundles are published: there is nothing to do for it.
struct SettledManifest: Sendable {
    let source: SHA256Digest
    let record: ManifestRecord
    let bundleCount: Int
}

/// The manifests of a run.
struct LoadedManifests: Sendable {
    var manifests: [LoadedManifest] = []
    var settled: [SettledManifest] = []
    /// What the manifests that can't be used make of the run.
    var exit = ExitCode.success
}

/// Reads the manifests of a run and judges whether they may be followed. One that can't be used is reported, and the others go on.
struct ManifestLoader {
    private let options: RunOptions
    private let downloader: Downloader
    private let memory: ManifestMemory
    private let emit: (RunEvent.Kind, String?) -> Void

    private(set) var loaded = LoadedManifests()

    init(
        _ options: RunOptions, downloader: Downloader, memory: ManifestMemory,
        emit: @escaping (RunEvent.Kind, String?) -> Void
    ) {
        (self.options, self.downloader, self.memory, self.emit) = (options, downloader, memory, emit)
    }

    mutating func load(_ location: ManifestLocation) async {
        do throws(RunProblem) {
            let known = memory.manifest(from: location)
            let reply = try await location.read(downloader, options.redirects, unless: known)
            if reply.isUnchanged, let known, let count = memory.settledBundles(of: known),
                let source = location.recordKey
            {
                try settle(SettledManifest(source: source, record: known.record, bundleCount: count), location)
            } else {
                try await admit(reply, location)
            }
        } catch {
            for event in error.events { emit(event, nil) }
            loaded.exit = loaded.exit.combined(with: error.exit)
        }
    }

    /// The run is stopped before all of its manifests were read.
    mutating func stop(_ exit: ExitCode) { loaded.exit = loaded.exit.combined(with: exit) }

    private mutating func settle(_ manifest: SettledManifest, _ location: ManifestLocation) throws(RunProblem) {
        let id = manifest.record.manifest
        try checkIsFirst(id, location)
        try check(expires: manifest.record.expires, id, location)
        emit(.manifestLoaded(serial: manifest.record.serial, bundles: manifest.bundleCount), id.description)
        loaded.settled.append(manifest)
    }

    private mutating func admit(_ reply: ManifestReply, _ location: ManifestLocation) async throws(RunProblem) {
        // A large one keeps a thread busy for a while.
        let (result, warnings) = await JobQueue(name: "larder-decode").run { [tellsBriefly = options.tellsBriefly] in
            var warnings: [String] = []
            let result = Result { () throws(RunProblem) in
                try LoadedManifest(location, reply, tellsBriefly: tellsBriefly) { warnings.append($0) }
            }
            return (result, warnings)
        }
        for warning in warnings { emit(.manifestFinding(text: warning, refusal: nil), nil) }
        var manifest = try result.get()
        try checkMayBeFollowed(manifest, location)
        manifest.isHeld = try isHeld(manifest)
        emit(
            .manifestLoaded(serial: manifest.manifest.serial, bundles: manifest.manifest.bundles.count),
            manifest.id.description)
        loaded.manifests.append(manifest)
    }

    /// Whether a valid manifest may be followed: not when it is older than what was published, nor when its time is over.
    private func checkMayBeFollowed(_ manifest: LoadedManifest, _ location: ManifestLocation) throws(RunProblem) {
        let serial = manifest.manifest.serial
        try checkIsFirst(manifest.id, location)
        if !options.allowsRollback, let highest = memory.highestSerial(of: manifest.id), serial < highest {
            throw RunProblem(
                .refused,
                "\(location): serial \(serial) of '\(manifest.id)' is older than \(highest), which was published here; use --allow-rollback if that is meant"
            )
        }
        try check(expires: manifest.manifest.expires, manifest.id, location)
        warnOfOtherBytes(manifest, location)
    }

    /// Whether a pin keeps the manifest from being published. Whoever set it knows, so that nothing is told where nobody looks.
    private func isHeld(_ manifest: LoadedManifest) throws(RunProblem) -> Bool {
        let serial = manifest.manifest.serial
        do throws(LibraryError) {
            guard let pin = try memory.pin(on: manifest.id, serial: serial) else { return false }
            let way: String =
                switch pin.hold {
                case .everything: "larder unpin"
                case .serials: "a higher serial, or larder unpin,"
                }
            emit(
                .warning(
                    "serial \(serial) isn't published: the library is held at generation \(pin.generation.value); \(way) ends that"
                ), manifest.id.description)
            return true
        } catch {
            throw RunProblem(error)
        }
    }

    private func checkIsFirst(_ id: ContentID, _ location: ManifestLocation) throws(RunProblem) {
        guard loaded.manifests.map(\.id).contains(id) || loaded.settled.map(\.record.manifest).contains(id) else {
            return
        }
        throw RunProblem(.invalidManifest, "\(location): another manifest of this run has the id '\(id)' too")
    }

    private func check(
        expires: Timestamp?, _ id: ContentID, _ location: ManifestLocation
    ) throws(RunProblem) {
        guard !options.allowsExpired, let expires, expires.hasPassed else { return }
        throw RunProblem(
            .refused,
            "\(location): '\(id)' has expired; ask its author for a new one, or use --allow-expired. What is published stays"
        )
    }

    /// A serial stands for one manifest: its author changed this one and forgot to raise it, or somebody else did.
    private func warnOfOtherBytes(_ manifest: LoadedManifest, _ location: ManifestLocation) {
        let serial = manifest.manifest.serial
        guard let bytes = try? memory.published?.manifestBytes(manifest.id), bytes != manifest.bytes,
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
