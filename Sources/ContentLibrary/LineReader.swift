import Glibc
import Platform

/// A file read line by line through one buffer, from its start, whatever else reads it through the same descriptor.
struct LineReader {
    private let file: OwnedDescriptor
    private let limitBytes: Int
    private var buffer: [UInt8] = []
    /// Where in `buffer` the next line starts.
    private var start = 0
    /// Where in the file the next piece starts.
    private var offset: Int64 = 0
    /// Little at first: of most files only the first line or two are read.
    private var pieceBytes = 4 << 10

    /// - Parameter limitBytes: a longer line fails with `EFBIG`.
    init(_ file: OwnedDescriptor, limitBytes: Int) {
        self.file = file
        self.limitBytes = limitBytes
    }

    /// The next line without its end; nil at the end of the file, and for a last line that has no end.
    mutating func next() throws(SystemError) -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            guard buffer.count - start <= limitBytes else {
                throw SystemError(code: EFBIG, operation: "read a line of", subject: file.name)
            }
            if start > 0 { buffer.removeFirst(start) }
            start = 0
            searched = buffer.count
            guard try fill() else { return nil }
        }
    }

    /// - Returns: false at the end of the file.
    private mutating func fill() throws(SystemError) -> Bool {
        var outcome: Result<Int, SystemError> = .success(0)
        let piece = [UInt8](unsafeUninitializedCapacity: pieceBytes) { bytes, filled in
            outcome = Result { () throws(SystemError) in
                try file.readOnce(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
            }
            filled = (try? outcome.get()) ?? 0
        }
        pieceBytes = 64 << 10
        let count = try outcome.get()
        offset += Int64(count)
        if buffer.isEmpty { buffer = piece } else { buffer += piece }
        return count > 0
    }
}
