import Archives
import ContentLibrary
import Downloads
import Platform

/// Unpacks an archive while it still arrives. What comes of that counts only once the download has ended well; whatever goes wrong before, the
/// complete file is unpacked as if nothing had been, and tells why it can't be.
///
/// A zip archive's directory stands at its end, which comes first where the server does ranges and vouches for one version with a validator. Where
/// it doesn't, unpacking begins with the last byte: a local header is no authority on what the archive holds.
final class EarlyUnpacking: Sendable {
    typealias Product = (staging: Staging, unpacked: UnpackedArchive)
    /// What an attempt came to; whatever that was, a part of the content is in staging.
    typealias Attempt = (staging: Staging, outcome: Result<UnpackedArchive, ArchiveError>)

    private enum State {
        case idle
        case running
        case ended(Product?)
    }

    /// What the download is to be given.
    let arriving: ArrivingBytes
    private let state: Monitor<State>

    /// What is smaller is unpacked in no time when it is here.
    private static let worthwhileBytes: Int64 = 1 << 20

    /// - Parameters:
    ///   - readsEndFirst: whether an archive that begins with these bytes is one.
    ///   - isStopped: whether the run ends before its time: the next one goes on with what is in staging.
    ///   - unpack: called with the archive on a thread of its own, at most once; nil when it can't be unpacked that way.
    init(
        readsEndFirst: @escaping @Sendable (_ head: [UInt8]) -> Bool, isStopped: @escaping @Sendable () -> Bool,
        unpack: @escaping @Sendable (ArrivingBytes) -> Attempt?
    ) {
        let state = Monitor(State.idle)
        self.state = state
        arriving = ArrivingBytes(announcedBytes: Self.worthwhileBytes, readsEndFirst: readsEndFirst) { arriving in
            let isWanted = state.change { state in
                guard case .idle = state else { return false }
                state = .running
                return true
            }
            guard isWanted else { return }
            do throws(SystemError) {
                _ = try WorkerThread(ifGranted: "larder-unpack") {
                    let product = unpack(arriving).flatMap { Self.product($0, of: arriving, isStopped) }
                    state.change { $0 = .ended(product) }
                }
            } catch {
                state.change { $0 = .ended(nil) }
            }
        }
    }

    /// What was unpacked, if that counts. What is worthless goes as soon as that is known: it takes room.
    private static func product(
        _ attempt: Attempt, of arriving: ArrivingBytes, _ isStopped: () -> Bool
    ) -> Product? {
        switch attempt.outcome {
        case .success(let unpacked):
            if arriving.areProven() { return (attempt.staging, unpacked) }
        case .failure(let error):
            guard error.code == .stopped else {
                try? attempt.staging.discard()
                return nil
            }
        }
        if isStopped() || arriving.arePaused { try? attempt.staging.leave() } else { try? attempt.staging.discard() }
        return nil
    }

    /// Tells that the download was stopped, and will be gone on with by a later run, and waits for the unpacking to end. Blocks.
    func pause() {
        arriving.pause()
        _ = product()
    }

    /// Tells how the download ended, and waits for the unpacking. Blocks.
    /// - Parameter file: what it brought; nil for nothing.
    /// - Returns: what was unpacked of that file's bytes and of no others; nil where that is still to be done.
    func finish(with file: OwnedDescriptor?) -> Product? {
        arriving.end(with: file)
        return product()
    }

    private func product() -> Product? {
        state.wait { state in
            switch state {
            case .idle:
                // Too late to begin.
                state = .ended(nil)
                return .some(nil)
            case .running: return nil
            case .ended(let product): return .some(product)
            }
        }
    }
}
