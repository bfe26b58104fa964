import Downloads
import Platform

/// A file that is here, complete and proven, wherever it came from.
enum FetchedFile: Sendable {
    case downloaded(DownloadedFile)
    case copied(LocalCopy)

    var descriptor: OwnedDescriptor {
        switch self {
        case .downloaded(let file): file.descriptor
        case .copied(let copy): copy.descriptor
        }
    }

    var sizeBytes: Int64 {
        switch self {
        case .downloaded(let file): file.sizeBytes
        case .copied(let copy): copy.sizeBytes
        }
    }

    /// The SHA-256; a run's downloader takes it of everything.
    var digest: SHA256Digest {
        switch self {
        case .downloaded(let file): file.digest ?? SHA256.digest(of: [])
        case .copied(let copy): copy.digest
        }
    }

    /// What the server says distinguishes these bytes from later ones.
    var validator: String? {
        switch self {
        case .downloaded(let file): file.validator
        case .copied: nil
        }
    }

    /// Gives the file its place in a bundle's staging directory. Nothing is flushed: sealing does that.
    func place(at path: RelativePath, in directory: Directory) throws(SystemError) {
        if let parent = path.parent { try directory.makeDirectories(parent) }
        switch self {
        case .downloaded(let file): try file.take(to: path, in: directory, flush: false)
        case .copied(let copy): try directory.linkUnnamedFile(copy.descriptor, at: path)
        }
    }

    /// Leaves a download where the next run finds it, so that not a byte is fetched again.
    func keep() {
        if case .downloaded(let file) = self { file.keep() }
    }
}
