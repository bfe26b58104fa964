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
    /// By their places what became of them: they are followed, or may not be, or aren't valid. What couldn't be read is in neither case.
    var fates: [SHA256Digest: ManifestFate] = [:]
}

/// Reads the manifests of a run and judges whether they may be followed. One that can't be used is reported, and the others go on.
struct ManifestLoader {
    private let options: RunOptions
    private let downloader: Downloader
    private let memory: ManifestMemory
    private let limits: RunLimits?
    private let trust: ManifestTrust
    private let emit: (RunEvent.Kind, String?) -> Void

    private(set) var loaded = LoadedManifests()
    /// The manifest that was loaded last.
    private var followed: ContentID?

    /// - Parameter limits: what the run may spend; nil: all that reading a manifest takes.
    init(
        _ options: RunOptions, downloader: Downloader, memory: ManifestMemory, limits: RunLimits? = nil,
        emit: @escaping (RunEvent.Kind, String?) -> Void
    ) {
        (self.options, self.downloader, self.memory, self.limits) = (options, downloader, memory, limits)
        self.emit = emit
        trust = ManifestTrust(options.publicKeys)
    }

    mutating func load(_ location: ManifestLocation) async {
        var text: [UInt8]?
        followed = nil
        do throws(RunProblem) {
            let known = memory.manifest(from: location)
            // A server that can be asked whether anything changed has nothing to send where nothing did.
            if case .remote = location, known?.record.validator == nil, limits?.allowsFetch() == false {
                throw .stopped
            }
            var reply = try await location.read(downloader, options.redirects, unless: known)
            text = reply.bytes
            let voucher = try await trust.check(&reply, known, from: location, downloader, options.redirects)
            if !trust.isRequired, let signer = memory.record(of: location)?.signer { tellUnasked(signer, location) }
            // A signature that isn't kept yet has to be.
            if reply.isUnchanged, voucher?.signature == nil, let known, let count = memory.settledBundles(of: known) {
                var record = known.record
                record.signer = voucher?.key.description
                let settled = SettledManifest(source: location.recordKey, record: record, bundleCount: count)
                try settle(settled, location, voucher)
            } else {
                try await admit(reply, location, voucher)
            }
            loaded.fates[location.recordKey] = ManifestFate(of: followed)
        } catch {
            if [.refused, .invalidManifest].contains(error.exit), let line = error.lines.first {
                // A finding goes on with what it is about.
                loaded.fates[location.recordKey] = ManifestFate(
                    of: Self.id(in: text) ?? memory.record(of: location)?.manifest,
                    refusal: String(line.prefix { $0 != "\n" }))
            }
            for event in error.events { emit(event, nil) }
            loaded.exit = loaded.exit.combined(with: error.exit)
        }
    }

    /// What a text that may not be followed says that it is.
    private static func id(in text: [UInt8]?) -> ContentID? {
        guard let text, let root = try? JSONDocument(text, name: "a manifest").root else { return nil }
        return root["id"]?.string.flatMap { ContentID($0) }
    }

    /// The run is stopped before all of its manifests were read.
    mutating func stop(_ exit: ExitCode) { loaded.exit = loaded.exit.combined(with: exit) }

    private mutating func settle(
        _ manifest: SettledManifest, _ location: ManifestLocation, _ voucher: ManifestTrust.Voucher?
    ) throws(RunProblem) {
        let id = manifest.record.manifest
        try checkIsFirst(id, location)
        try check(expires: manifest.record.expires, id, location)
        tell(voucher, of: id)
        emit(.manifestLoaded(serial: manifest.record.serial, bundles: manifest.bundleCount), id.description)
        loaded.settled.append(manifest)
        followed = id
    }

    private mutating func admit(
        _ reply: ManifestReply, _ location: ManifestLocation, _ voucher: ManifestTrust.Voucher?
    ) async throws(RunProblem) {
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
        manifest.signer = voucher?.key
        manifest.signature = voucher?.signature.map { Array($0.text.utf8) }
        tell(voucher, of: manifest.id)
        emit(
            .manifestLoaded(serial: manifest.manifest.serial, bundles: manifest.manifest.bundles.count),
            manifest.id.description)
        loaded.manifests.append(manifest)
        followed = manifest.id
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
        if trust.isRequired, let record = memory.record(of: location) {
            try checkPlace(of: manifest, location, had: record)
        }
        try judgeOtherBytes(manifest, location)
    }

    /// Whoever owns a server can put one signed manifest in the place of another one by the same signer: each place keeps to its own.
    private func checkPlace(
        of manifest: LoadedManifest, _ location: ManifestLocation, had record: ManifestRecord
    ) throws(RunProblem) {
        guard record.manifest == manifest.id else {
            throw RunProblem(
                .refused,
                "\(location): it is the manifest '\(manifest.id)', and '\(record.manifest)' was read there before; if that is meant, larder forget \(record.manifest)"
            )
        }
        let serial = manifest.manifest.serial
        if record.serial == serial, record.digest != SHA256.digest(of: manifest.bytes) {
            throw RunProblem(.refused, Self.sameSerial(serial, location))
        }
    }

    /// Keys belong to the run, but one that was given before may have been left out by mistake. Told once: what is remembered of the place is then that
    /// nobody asked.
    private func tellUnasked(_ signer: String, _ location: ManifestLocation) {
        emit(
            .notice(
                "\(location): it was read with --public-key before, and had to be signed with \(signer); this run asks for no signature, and takes it from anybody"
            ), nil)
    }

    private func tell(_ voucher: ManifestTrust.Voucher?, of id: ContentID) {
        guard let voucher, let comment = voucher.comment else { return }
        emit(.manifestVerified(key: voucher.key.id.description, comment: comment), id.description)
    }

    /// Whether a pin keeps the manifest from being published. Whoever set it knows, so that nothing is told where nobody looks, nor where
    /// nothing else would be published anyway.
    private func isHeld(_ manifest: LoadedManifest) throws(RunProblem) -> Bool {
        let serial = manifest.manifest.serial
        do throws(LibraryError) {
            guard let pin = try memory.pin(on: manifest.id, serial: serial) else { return false }
            if (try? memory.published?.manifestBytes(manifest.id)) == manifest.bytes { return true }
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
    private func judgeOtherBytes(_ manifest: LoadedManifest, _ location: ManifestLocation) throws(RunProblem) {
        let serial = manifest.manifest.serial
        guard let bytes = try? memory.published?.manifestBytes(manifest.id), bytes != manifest.bytes,
            (try? JSONDocument(bytes, name: "\(manifest.id)"))?.root["serial"]?.integer == serial
        else { return }
        let text = Self.sameSerial(serial, location)
        // Both are signed, and nobody can tell which of them is the later one.
        guard !trust.isRequired else { throw RunProblem(.refused, text) }
        emit(.warning(text), manifest.id.description)
    }

    private static func sameSerial(_ serial: Int, _ location: ManifestLocation) -> String {
        "\(location): it differs from what was published here with the same serial \(serial); raise the serial with every change"
    }
}

extension Timestamp {
    fileprivate var hasPassed: Bool { self <= Timestamp.now }
}
