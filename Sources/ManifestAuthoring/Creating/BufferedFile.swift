import Glibc
import Platform

/// A file that is written from front to back, in large pieces.
struct BufferedFile {
    let descriptor: OwnedDescriptor
    private var pending: [UInt8] = []
    /// Of what was written, since it was last moved elsewhere.
    private(set) var sizeBytes: Int64 = 0

    private static let pieceBytes = 256 << 10

    init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

    mutating func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
        pending += bytes
        sizeBytes += Int64(bytes.count)
        if pending.count >= Self.pieceBytes { try flush() }
    }

    mutating func write(_ text: String) throws(SystemError) { try write(text.utf8) }

    mutating func flush() throws(SystemError) {
        try descriptor.write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// Moves all that was written to another file, and begins anew.
    mutating func move(to other: inout BufferedFile) throws(SystemError) {
        try flush()
        try other.flush()
        try descriptor.copyAll(to: other.descriptor.rawValue)
        other.sizeBytes += sizeBytes
        sizeBytes = 0
        try descriptor.truncate(to: 0)
        guard lseek(descriptor.rawValue, 0, SEEK_SET) == 0 else { throw .last("rewind", descriptor.name) }
    }
}
