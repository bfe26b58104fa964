/// A part of a source, from front to back.
final class SourceStream: ByteStream {
    private let source: any ByteSource
    private var offset: Int64
    private let end: Int64

    /// - Parameter range: must lie within the source.
    init(_ source: any ByteSource, range: Range<Int64>) {
        self.source = source
        offset = range.lowerBound
        end = range.upperBound
    }

    convenience init(_ source: any ByteSource) { self.init(source, range: 0..<source.lengthBytes) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let wanted = Int(min(Int64(buffer.count), end - offset))
        guard wanted > 0 else { return 0 }
        let count = try source.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        guard count > 0 else {
            throw ArchiveError(.unreadable, "the file became shorter while it was read", offsetBytes: offset)
        }
        offset += Int64(count)
        return count
    }
}
