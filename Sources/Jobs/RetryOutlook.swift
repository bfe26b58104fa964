import BundleManifest
import ContentLibrary
import Platform
import Transfer

/// When a bundle that failed can be had again, as far as it is known: `refresh` leaves sources alone that sent what could not be used.
struct RetryOutlook {
    /// What is known against a source of what should have a digest.
    let distrust: (_ source: TransferURL, _ wanted: SHA256Digest) -> DistrustRecord?
    /// The same of a source of what has no digest, by what was to be done with it.
    let rejection: (_ source: TransferURL, _ use: SHA256Digest) -> RejectionRecord?

    /// - Returns: before when nobody is asked who could bring it; nil where the next run asks somebody for all that is missing.
    func nextTry(of bundle: Bundle, in manifest: LoadedManifest, at now: Timestamp) -> Timestamp? {
        bundle.sources.compactMap { nextTry(of: $0.file, for: bundle, in: manifest, at: now) }.max()
    }

    private func nextTry(
        of file: SourceFile, for bundle: Bundle, in manifest: LoadedManifest, at now: Timestamp
    ) -> Timestamp? {
        guard let sources = try? manifest.sources(file), !sources.isEmpty else { return nil }
        var earliest: Timestamp?
        for source in sources {
            guard let record = record(of: source, for: file, in: bundle), record.holdsBack(at: now) else { return nil }
            earliest = min(earliest ?? record.nextTry, record.nextTry)
        }
        return earliest
    }

    /// What is known against a source of a file.
    func record(of source: TransferURL, for file: SourceFile, in bundle: Bundle) -> DistrustRecord? {
        guard let digest = file.digest else { return rejection(source, bundle.useDigest)?.distrust }
        return distrust(source, digest)
    }
}

extension RetryOutlook {
    init(_ history: RunHistory) {
        self.init(distrust: history.distrust, rejection: history.rejection)
    }

    /// By an index that is only read; one that can't be knows nothing.
    init(_ index: StateIndex?) {
        self.init(
            distrust: { source, wanted in
                (try? index?.distrust(of: SHA256.digest(of: source.text.utf8), for: wanted)) ?? nil
            },
            rejection: { source, use in
                (try? index?.rejection(of: SHA256.digest(of: source.text.utf8), for: use)) ?? nil
            })
    }
}
