import BundleManifest
import Platform

/// Whether a valid manifest may be followed: not when it is older than what was published, nor when its time is over.
struct ManifestAdmission {
    private let options: RunOptions
    private let history: RunHistory

    init(_ options: RunOptions, _ history: RunHistory) {
        self.options = options
        self.history = history
    }

    func check(_ manifest: LoadedManifest, _ location: ManifestLocation) throws(RunProblem) {
        let serial = manifest.manifest.serial
        if !options.allowsRollback, let highest = history.highestSerial(of: manifest.id), serial < highest {
            throw RunProblem(
                .refused,
                "\(location): serial \(serial) of '\(manifest.id)' is older than \(highest), which was published here; use --allow-rollback if that is meant")
        }
        if !options.allowsExpired, let expires = manifest.manifest.expires, expires.hasPassed {
            throw RunProblem(
                .refused,
                "\(location): '\(manifest.id)' has expired; ask its author for a new one, or use --allow-expired. What is published stays")
        }
    }
}

extension BundleManifest.Timestamp {
    fileprivate var hasPassed: Bool { Int64(secondsSinceEpoch) <= Platform.Timestamp.now.seconds }
}
