/// What one deflate or zlib stream holds. Afterwards the input stands behind the stream's last byte.
final class InflateStream: ByteStream {
    private let input: BufferedInput
    private let inflater: Inflater
    private(set) var finished = false

    init(_ input: BufferedInput, container: Inflater.Container) {
        self.input = input
        inflater = Inflater(container)
    }

    /// Goes on with a further stream of the same kind.
    func restart() {
        inflater.reset()
        finished = false
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        var done = 0
        // The buffer is filled as far as it goes: whoever writes it to a file wants few large pieces.
        while done < buffer.count, !finished {
            let hasInput = try input.fill(1)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let step = try inflater.inflate(input.available, into: room)
            input.consume(step.consumedBytes)
            done += step.producedBytes
            finished = step.finished
            if !hasInput, !finished, step.producedBytes == 0 {
                throw ArchiveError(.corrupted, "the compressed data is cut short")
            }
        }
        return done
    }
}
