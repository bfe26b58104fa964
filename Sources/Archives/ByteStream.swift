/// Bytes that come one after the other: a download as it arrives, or what a decompressor makes of another stream.
public protocol ByteStream: AnyObject {
    /// Puts the next bytes into `buffer`, at least one unless the stream has ended or `buffer` is empty; may wait for them.
    /// - Returns: how many bytes were put; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}
