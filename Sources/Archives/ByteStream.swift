/// Bytes that come one after the other: a download as it arrives, or what a decompressor makes of another stream. An `Unpacker` may read it on a
/// thread of its own, never on two at once, and not any more once it has returned or thrown.
public protocol ByteStream: AnyObject {
    /// Puts the next bytes into `buffer`, at least one unless the stream has ended or `buffer` is empty; may wait for them.
    /// - Returns: how many bytes were put; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}
