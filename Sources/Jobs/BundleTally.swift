import ContentLibrary
import Platform

/// Counts what is obtained for each bundle.
final class BundleTally: Sendable {
    private let bytes = Locked<[BundleAddress: Int64]>([:])

    /// Bytes of files that arrived, and of what there was of them before.
    var obtainedBytes: [BundleAddress: Int64] { bytes.withLock { $0 } }

    func note(_ kind: RunEvent.Kind, of bundle: BundleAddress) {
        guard case .transferFinished(let count) = kind else { return }
        bytes.withLock { $0[bundle] = ($0[bundle] ?? 0).addingClamped(count) }
    }
}
