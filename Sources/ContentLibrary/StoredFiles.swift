import Glibc
import Platform

/// Files of some digests, wherever in the store they lie. Receipts tell it, and these are only read through, never held: each file is hashed before it
/// is used.
package struct StoredFiles: Sendable {
    private struct Location: Sendable {
        let content: StoreAddress
        let path: RelativePath
        let sizeBytes: Int64
    }

    private let store: Store
    private var locations: [SHA256Digest: [Location]] = [:]
    /// How long sources were that were fetched, kept as they came or not.
    private var fetchedBytes: [SHA256Digest: Int64] = [:]

    /// Each may be damaged, and in the same way where they are links to one file.
    private static let kept = 8

    /// Of none, until some are added.
    package init(in library: Library) { store = library.store }

    package init(for wanted: Set<SHA256Digest>, in library: Library) throws(LibraryError) {
        store = library.store
        guard !wanted.isEmpty else { return }
        for address in try library.vouchedContents().sorted() {
            guard let content = try store.open(address), let file = try? content.openReceipt(),
                var reader = try? ReceiptReader(file), (try? noteSources(&reader, wanted)) != nil
            else { continue }
            // Up to where it can be read.
            while let entry = try? reader.nextEntry() {
                guard case .file(let file) = entry.content, wanted.contains(file.sha256) else { continue }
                add(Location(content: address, path: entry.path, sizeBytes: file.sizeBytes), of: file.sha256)
            }
        }
    }

    private mutating func noteSources(
        _ reader: inout ReceiptReader, _ wanted: Set<SHA256Digest>
    ) throws(LibraryError) {
        try reader.forEachSource { source in
            if wanted.contains(source.sha256) { fetchedBytes[source.sha256] = source.sizeBytes }
        }
    }

    /// Adds files that may be at these paths of content, whether or not that has a receipt.
    /// - Parameter files: each with its length, as far as that is known: what isn't so long is passed over.
    package mutating func add(
        _ files: [(path: RelativePath, digest: SHA256Digest, sizeBytes: Int64?)], at content: StoreAddress
    ) {
        guard let directory = try? directory(of: content) else { return }
        for (path, digest, sizeBytes) in files {
            guard let status = try? directory.status(of: path), status.kind == .file,
                sizeBytes ?? status.sizeBytes == status.sizeBytes
            else { continue }
            add(Location(content: content, path: path, sizeBytes: status.sizeBytes), of: digest)
        }
    }

    private mutating func add(_ location: Location, of digest: SHA256Digest) {
        if locations[digest, default: []].count < Self.kept { locations[digest, default: []].append(location) }
    }

    /// How long the file of a digest is, as far as that can be told before it is read; nil where none is known.
    package func sizeBytes(of digest: SHA256Digest) -> Int64? {
        locations[digest]?.first?.sizeBytes ?? fetchedBytes[digest]
    }

    /// Where it may be: content, and a path in that.
    package func places(of digest: SHA256Digest) -> [(directory: Directory, path: RelativePath)] {
        (locations[digest] ?? []).compactMap { location in
            (try? directory(of: location.content)).map { ($0, location.path) }
        }
    }

    /// Puts the file of this digest at `path` in staging, with the mode and the time it has in the store.
    /// - Returns: false where there is none that is whole.
    package func place(
        _ digest: SHA256Digest, sizeBytes: Int64, at path: RelativePath, in staging: Staging
    ) throws(LibraryError) -> Bool {
        for location in locations[digest] ?? [] where location.sizeBytes == sizeBytes {
            guard let directory = try? directory(of: location.content) else { continue }
            let sharing = ContentSharing(directory, [digest: location.path])
            if try sharing.place(digest, sizeBytes: sizeBytes, at: path, in: staging) { return true }
        }
        return false
    }

    /// Puts it there as a receipt tells.
    func restore(
        _ wanted: Receipt.File, at path: RelativePath, in staging: Staging
    ) throws(LibraryError) -> Bool {
        for place in places(of: wanted.sha256) {
            let sharing = ContentSharing(place.directory, [:])
            if try sharing.restore(place.path, isProven: false, at: path, as: wanted, in: staging) { return true }
        }
        return false
    }

    private func directory(of content: StoreAddress) throws(SystemError) -> Directory {
        try store.bundleDirectory(content.bundle).subdirectory(content.name.path)
    }
}
