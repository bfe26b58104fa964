import BundleManifest
import Glibc
import Platform
import ContentLibrary
import Playlists

/// Files of which a presentation names ranges. Each is fetched whole, once, and then taken apart: a server that doesn't do ranges, or answers one
/// with another, can do no harm.
struct RangedFiles: Sendable {
    /// Where each URL's file gathers, in staging.
    private let paths: [String: String]
    let sources: [BundleSource]

    private static let folder = "ranges"

    init(_ resources: [PlannedResource]) {
        var paths: [String: String] = [:]
        var sources: [BundleSource] = []
        for resource in resources where resource.byteRange != nil && paths[resource.url] == nil {
            let path = "\(Self.folder)/\(paths.count)"
            paths[resource.url] = path
            sources.append(BundleSource(path: path, file: SourceFile(url: resource.url)))
        }
        self.paths = paths
        self.sources = sources
    }

    /// Puts every range in its place.
    /// - Returns: the digests of what was made.
    func slice(
        _ resources: [PlannedResource], in staging: Staging, _ fetcher: SourceFetcher
    ) throws(BundleFailure) -> [RelativePath: SHA256Digest] {
        var digests: [RelativePath: SHA256Digest] = [:]
        guard !sources.isEmpty else { return digests }
        let directory = staging.directory
        var bytesLeft: [String: Int64] = [:]
        for resource in resources {
            if fetcher.control.reason != nil { throw BundleFailure(.paused, "stopped") }
            guard let range = resource.byteRange, let whole = paths[resource.url] else { continue }
            let (source, target) = (try path(whole), try path(resource.path))
            let (size, digest) = try onDisk { () throws(SystemError) in
                let file = try directory.open(source, flags: O_RDONLY)
                let size = try file.status().sizeBytes
                guard range.end <= size else { return (size, SHA256Digest?.none) }
                // Ranges may overlap, but not so that a small file makes a disk full.
                let left = (bytesLeft[whole] ?? size.addingClamped(size)) - range.lengthBytes
                bytesLeft[whole] = left
                guard left >= 0 else { return (size, nil) }
                if let parent = target.parent { try directory.makeDirectories(parent) }
                return (size, try Self.copy(range, of: file, to: target, in: directory))
            }
            guard let digest else {
                let isInside = range.end <= size
                throw BundleFailure(
                    .playlistRefused,
                    isInside
                        ? "the playlist names the bytes of a file of \(size) bytes more than twice over"
                        : "the playlist names bytes \(range.offset) to \(range.end - 1) of a file of \(size) bytes",
                    url: shownURL(resource.url))
            }
            digests[target] = digest
            fetcher.limits.note(written: range.lengthBytes)
        }
        return digests
    }

    /// Lets go of the files that the ranges came from.
    func discardWholes(in staging: Staging) throws(BundleFailure) {
        let folder = try path(Self.folder)
        try onDisk { () throws(SystemError) in _ = try staging.directory.removeTree(folder) }
    }

    private func onDisk<Success>(_ body: () throws(SystemError) -> Success) throws(BundleFailure) -> Success {
        do throws(SystemError) { return try body() } catch { throw BundleFailure(error) }
    }

    private static func copy(
        _ range: ByteRange, of source: OwnedDescriptor, to path: RelativePath, in directory: Directory
    ) throws(SystemError) -> SHA256Digest {
        let target = try directory.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
        let hasher = SHA256()
        try target.write(range.lengthBytes, of: source, at: range.offset, to: 0, hashing: hasher)
        return hasher.finalize()
    }
}
