import ContentLibrary
import Platform

/// Files that are here already, and where each had come from.
struct Shelf: Sendable {
    let byDigest: [SHA256Digest: Receipt.Source]
    let byURL: [String: Receipt.Source]
    /// Whether what a URL had brought is what it would bring, unasked.
    let isTrusted: Bool
    /// Puts the file that a source had brought into staging; false where it can't be had after all.
    let place: @Sendable (Receipt.Source, RelativePath, Staging) throws(LibraryError) -> Bool

    private init(
        _ sources: [Receipt.Source], isTrusted: Bool = false,
        place: @escaping @Sendable (Receipt.Source, RelativePath, Staging) throws(LibraryError) -> Bool
    ) {
        // The last is the latest.
        byDigest = Dictionary(sources.map { ($0.sha256, $0) }, uniquingKeysWith: { $1 })
        byURL = Dictionary(sources.map { ($0.url, $0) }, uniquingKeysWith: { $1 })
        self.isTrusted = isTrusted
        self.place = place
    }

    /// What the library has.
    init(_ sharing: ContentSharing, isTrusted: Bool = false) {
        self.init(sharing.sources, isTrusted: isTrusted) { source, path, staging throws(LibraryError) in
            try sharing.place(source.sha256, sizeBytes: source.sizeBytes, at: path, in: staging)
        }
    }

    /// Files of the library by what they are, wherever they lie.
    init(_ files: StoredFiles, of sources: [Receipt.Source]) {
        self.init(sources) { source, path, staging throws(LibraryError) in
            try files.place(source.sha256, sizeBytes: source.sizeBytes, at: path, in: staging)
        }
    }

    /// What runs that were cut short had brought.
    init(_ salvage: Salvage, _ limits: RunLimits, isTrusted: Bool) {
        self.init(salvage.sources, isTrusted: isTrusted) { source, path, staging throws(LibraryError) in
            // First: a file that is there and that nobody knows of is lost.
            do throws(SystemError) { try staging.note(source, at: path) } catch { throw LibraryError(error) }
            guard try salvage.take(source.sha256, sizeBytes: source.sizeBytes, to: path, in: staging) else {
                return false
            }
            limits.note(salvaged: source.sizeBytes)
            return true
        }
    }
}
