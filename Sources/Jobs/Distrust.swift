import ContentLibrary
import Platform
import Transfer

/// What earlier runs found out about sources: what they sent could not be used.
struct Distrust: Sendable {
    let history: RunHistory
    /// Whether sources are left alone for it.
    let isHeeded: Bool
    let now: @Sendable () -> Timestamp

    /// When a source may be asked again for what should have a digest; nil for at once.
    func nextTry(_ url: TransferURL, for digest: SHA256Digest?) -> Timestamp? {
        guard isHeeded, let digest, let record = history.distrust(of: url, for: digest), record.holdsBack(at: now())
        else { return nil }
        return record.nextTry
    }

    /// What a source said of a file without a digest that could not be used: while it has nothing else, it needn't send that again for a while.
    func rejection(of url: TransferURL, for use: SHA256Digest) -> RejectionRecord? {
        guard isHeeded, let record = history.rejection(of: url, for: use), record.distrust.holdsBack(at: now()) else {
            return nil
        }
        return record
    }

    /// Notes that a file without a digest could not be used.
    func reject(_ validator: String, of url: TransferURL, for use: SHA256Digest) {
        history.noteRejection(of: validator, from: url, for: use, at: now())
    }

    /// Notes that what a source has now can be used.
    func forgive(_ url: TransferURL, for use: SHA256Digest) {
        if history.rejection(of: url, for: use) != nil { history.removeRejection(of: url, for: use) }
    }
}
