import Platform
import Transfer

/// A complete asset that has another digest than the one asked for, before it is let go.
package struct WrongBytes: Sendable {
    /// Who sent it, all of it.
    package let url: TransferURL
    package let wantedDigest: SHA256Digest
    package let digest: SHA256Digest
    package let sizeBytes: Int64
    private let partial: PartialFile

    init(url: TransferURL, wantedDigest: SHA256Digest, digest: SHA256Digest, sizeBytes: Int64, partial: PartialFile) {
        self.url = url
        self.wantedDigest = wantedDigest
        self.digest = digest
        self.sizeBytes = sizeBytes
        self.partial = partial
    }

    /// Its first bytes, as far as they can be read.
    package func head(limitBytes: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limitBytes) { buffer, count in
            count = (try? partial.file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)) ?? 0
        }
    }

    /// Moves it away, on the same file system.
    package func move(to path: RelativePath, in directory: Directory) throws(SystemError) {
        try partial.location.directory.rename(partial.location.name, to: path, in: directory)
    }
}

/// Looks at wrong bytes, and may keep them. Blocks on the disk.
/// - Returns: what they seem to be, for people; nil for nothing in particular.
package typealias WrongBytesHandler = @Sendable (WrongBytes) -> String?
