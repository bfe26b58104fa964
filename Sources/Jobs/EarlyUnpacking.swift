import Archives
import ContentLibrary
import Downloads
import Platform

/// Unpacks an archive while it still arrives, where its format can be read from front to back. What comes of that counts only once the download
/// has ended well; whatever goes wrong before, the complete file is unpacked as if nothing had been, and tells why it can't be.
final class EarlyUnpacking: Sendable {
    typealias Product = (staging: Staging, unpacked: UnpackedArchive)

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

    /// - Parameter unpack: called with the archive on a thread of its own, at most once; nil when it can't be unpacked that way.
    init(unpack: @escaping @Sendable (any ByteStream) -> Product?) {
        let state = Monitor(State.idle)
        self.state = state
        arriving = ArrivingBytes(announcedBytes: Self.worthwhileBytes) { arriving in
            let isWanted = state.change { state in
                guard case .idle = state else { return false }
                state = .running
                return true
            }
            guard isWanted else { return }
            do throws(SystemError) {
                _ = try WorkerThread(ifGranted: "larder-unpack") {
                    let product = unpack(ArrivingStream(arriving))
                    state.change { $0 = .ended(product) }
                }
            } catch {
                state.change { $0 = .ended(nil) }
            }
        }
    }

    /// Tells how the download ended, and waits for the unpacking. Blocks.
    /// - Returns: what was unpacked; nil where that is still to be done.
    func finish(isWhole: Bool) -> Product? {
        arriving.end(isWhole: isWhole)
        return state.wait { state in
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

/// A download's bytes as a stream.
private final class ArrivingStream: ByteStream {
    private let arriving: ArrivingBytes
    private var offset: Int64 = 0

    init(_ arriving: ArrivingBytes) { self.arriving = arriving }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count: Int?
        do throws(SystemError) { count = try arriving.read(at: offset, into: buffer) } catch {
            throw ArchiveError(.unreadable, "\(error)")
        }
        guard let count else { throw ArchiveError(.stopped, "the download failed or began anew") }
        offset += Int64(count)
        return count
    }
}
