import ContentLibrary
import Platform

/// Counts what is obtained, for each bundle and by where it came from.
final class BundleTally: Sendable {
    private struct Counts {
        var obtained: [BundleAddress: Int64] = [:]
        var ofCouriers: Int64 = 0
        var copied: Int64 = 0
    }

    private let counts = Locked(Counts())

    /// Bytes of files that arrived, and of what there was of them before.
    var obtainedBytes: [BundleAddress: Int64] { counts.withLock { $0.obtained } }
    /// Bytes of files that couriers had.
    var courierBytes: Int64 { counts.withLock { $0.ofCouriers } }
    /// Bytes of sources that are files of this machine.
    var copiedBytes: Int64 { counts.withLock { $0.copied } }

    func note(_ kind: RunEvent.Kind, of bundle: BundleAddress) {
        switch kind {
        case .transferFinished(let bytes): counts.withLock { $0.obtained.add(bytes, of: bundle) }
        case .fileCopied(let bytes):
            counts.withLock {
                $0.obtained.add(bytes, of: bundle)
                $0.copied.addClamped(bytes)
            }
        case .courierTaken(let bytes, let isFetched):
            counts.withLock {
                // A transfer tells of what came over the network.
                if !isFetched { $0.obtained.add(bytes, of: bundle) }
                $0.ofCouriers.addClamped(bytes)
            }
        default: break
        }
    }
}

extension [BundleAddress: Int64] {
    fileprivate mutating func add(_ bytes: Int64, of bundle: BundleAddress) {
        self[bundle] = (self[bundle] ?? 0).addingClamped(bytes)
    }
}
