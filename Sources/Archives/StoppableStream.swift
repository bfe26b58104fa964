/// An archive's bytes, read as long as the caller doesn't want the work to end: whatever is made of them, and whether anybody wants it, ends too.
final class StoppableStream: ByteStream {
    private let stream: any ByteStream
    private let observer: UnpackObserver

    init(_ stream: any ByteStream, observer: UnpackObserver) {
        self.stream = stream
        self.observer = observer
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        try observer.checkStop()
        return try stream.read(into: buffer)
    }
}
