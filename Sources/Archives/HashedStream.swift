import Platform

/// Another stream, of which a running digest is taken.
final class HashedStream: ByteStream {
    private let stream: any ByteStream
    private let hasher: SHA256

    init(_ stream: any ByteStream, hasher: SHA256) { (self.stream, self.hasher) = (stream, hasher) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = try stream.read(into: buffer)
        hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return count
    }
}
