import Glibc

/// The pipes to and from a child process.
final class Pipes: Sendable {
    enum Stream { case output, errors }

    private let input: Pipe
    private let output: Pipe
    private let errors: Pipe

    /// To be made, and handed to a child, under `spawnLock`.
    init() throws(SystemError) {
        (input, output, errors) = (try Pipe(), try Pipe(), try Pipe())
    }

    /// For the child's descriptors 0, 1 and 2.
    var childEnds: [Int32] { [input.reading.number, output.writing.number, errors.writing.number] }

    /// Moves bytes until the child has ended and nothing is left of what it wrote. A grandchild that holds the pipes open
    /// doesn't matter.
    func move(input bytes: [UInt8], until ended: Gate, _ receive: (Stream, [UInt8]) -> Void) {
        for end in [input.reading, output.writing, errors.writing] { end.close() }
        for end in [input.writing, output.reading, errors.reading] { setNonBlocking(end.number) }
        var rest = bytes[...]
        var isOver = false
        while !isOver {
            if rest.isEmpty { input.writing.close() }
            let events = pollDescriptors([
                (ended.descriptor, Int16(POLLIN)), (input.writing.isOpen ? input.writing.number : -1, Int16(POLLOUT)),
                (output.reading.isOpen ? output.reading.number : -1, Int16(POLLIN)),
                (errors.reading.isOpen ? errors.reading.number : -1, Int16(POLLIN)),
            ])
            isOver = events[0] != 0
            if events[1] != 0 { rest = write(rest) }
            if isOver || events[2] != 0 { drain(output.reading) { receive(.output, $0) } }
            if isOver || events[3] != 0 { drain(errors.reading) { receive(.errors, $0) } }
        }
    }

    /// - Returns: what is still to be written: nothing, when nobody reads any more.
    private func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let written = bytes.withUnsafeBytes { Glibc.write(input.writing.number, $0.baseAddress, $0.count) }
        if written < 0 { return errno == EAGAIN || errno == EINTR ? bytes : [] }
        return bytes.dropFirst(written)
    }

    /// Reads all there is for now, and closes what has come to its end.
    private func drain(_ end: OwnedDescriptor, _ receive: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while end.isOpen {
            let count = read(end.number, &buffer, buffer.count)
            if count > 0 {
                receive(Array(buffer[..<count]))
            } else if count == 0 {
                end.close()
            } else if errno != EINTR {
                return
            }
        }
    }
}

private struct Pipe {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try check(pipe(&ends), "pipe")
        ends.forEach(setCloseOnExec)
        (reading, writing) = (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }
}
