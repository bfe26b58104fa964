/// Bytes that can be read at any offset: a file, or something remote that is read by ranges.
public protocol ByteSource: Sendable {
    /// What it is called in messages; must be safe to print.
    var name: String { get }

    /// How many bytes there are; must not change while the source is read.
    var lengthBytes: Int64 { get }

    /// Fills `buffer` with the bytes at `offset`.
    /// - Returns: how many bytes were put; fewer than `buffer.count` only at the end of the source.
    /// - Throws: an error with the code `unreadable`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}
