/// What a decompressor yields, held to the ratio limit where it leaves it.
final class LimitedExpansion: ByteStream {
    private let stream: any ByteStream
    private let inputBytes: () -> Int64
    private var expansion: Expansion

    /// - Parameter inputBytes: how much of the archive what was read last came from.
    init(_ stream: any ByteStream, limits: ExtractionPolicy.Limits, inputBytes: @escaping () -> Int64) {
        self.stream = stream
        self.inputBytes = inputBytes
        expansion = Expansion(limits)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = try stream.read(into: buffer)
        try expansion.charge(Int64(count), inputBytes: inputBytes())
        return count
    }
}
