import CZlib
import Platform

/// The state of one decompression (RFC 1951), with or without the zlib frame (RFC 1950).
final class Inflater {
    enum Container: Hashable, Sendable {
        /// Bare deflate blocks, as zip and gzip hold them.
        case raw
        /// A two-byte header and an Adler-32 that is checked.
        case zlib

        fileprivate var windowBits: Int32 {
            switch self {
            case .raw: -MAX_WBITS
            case .zlib: MAX_WBITS
            }
        }
    }

    /// What one call did.
    struct Step {
        let consumedBytes: Int
        let producedBytes: Int
        /// The last block, and with zlib the checksum, has been read.
        let finished: Bool
    }

    // zlib keeps a pointer back to it: it must never move.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ container: Container) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = larder_inflateInit2(stream, container.windowBits)
        guard code == Z_OK else { giveUp("zlib refused to start: error \(code)") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Starts anew with the same container.
    func reset() { inflateReset(stream) }

    /// Decompresses as much of `input` as `output` has room for.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Step {
        // zlib's counters are 32 bits wide; what doesn't fit is left for the next call.
        let inputBytes = UInt32(clamping: input.count)
        let outputBytes = UInt32(clamping: output.count)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = inputBytes
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = outputBytes
        let code = CZlib.inflate(stream, Z_NO_FLUSH)
        switch code {
        case Z_OK, Z_STREAM_END, Z_BUF_ERROR: break
        case Z_NEED_DICT: throw ArchiveError(.unsupported, "the zlib stream needs a preset dictionary")
        case Z_MEM_ERROR: throw ArchiveError(.unreadable, "out of memory while decompressing")
        default:
            let words = stream.pointee.msg.map { String(cString: $0) } ?? "error \(code)"
            throw ArchiveError(.corrupted, "the compressed data is damaged (\(words))")
        }
        return Step(
            consumedBytes: Int(inputBytes - stream.pointee.avail_in),
            producedBytes: Int(outputBytes - stream.pointee.avail_out), finished: code == Z_STREAM_END)
    }
}
