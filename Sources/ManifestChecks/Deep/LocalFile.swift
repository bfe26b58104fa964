import Archives
import Glibc
import JSONSyntax
import Platform
import Transfer

/// A file of a download that is here: on this machine, or in a library.
struct LocalFile {
    let descriptor: OwnedDescriptor
    let sizeBytes: Int64
    /// What messages call it; safe to print.
    let name: String

    /// Why there is no such file, in words.
    struct Absence: Error, CustomStringConvertible {
        let description: String
    }

    /// Opens the file; a FIFO is not waited for.
    init(path: String) throws(Absence) {
        let descriptor: OwnedDescriptor
        do { descriptor = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK) } catch {
            throw Absence(description: "\(error)")
        }
        try self.init(descriptor, name: escapedText(path))
    }

    /// - Throws: where it is no regular file.
    init(_ descriptor: OwnedDescriptor, name: String) throws(Absence) {
        guard let status = try? descriptor.status(), status.kind == .file else {
            throw Absence(description: "it is not a regular file")
        }
        (self.descriptor, sizeBytes, self.name) = (descriptor, status.sizeBytes, name)
    }

    /// The SHA-256, taken in pieces of 1 MiB.
    /// - Parameter joined: is fed the same bytes.
    /// - Returns: nil where reading was stopped.
    func digest(into joined: SHA256?, isStopped: () -> Bool) throws(SystemError) -> SHA256Digest? {
        let hasher = SHA256()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while !isStopped() {
            let count = try descriptor.read(into: piece, at: offset)
            if count == 0 { return hasher.finalize() }
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            hasher.update(bytes)
            joined?.update(bytes)
            offset += Int64(count)
        }
        return nil
    }

    /// The ends of the file, for a look at its format.
    func ends() throws(SystemError) -> FileEnds { try FileEnds(of: descriptor, sizeBytes: sizeBytes) }
}
