import BundleManifest
import ContentLibrary
import Glibc
import Platform

/// A courier on this machine: what `larder export` wrote, a library, or files that are called what the manifest calls them. Nothing in it is trusted:
/// no link is followed, and a file is taken for what its digest says.
struct CourierFolder: Sendable {
    let path: String
    private let directory: Directory
    /// Where the files that are wanted may be, as the manifests of the run call them.
    private let names: [SHA256Digest: [RelativePath]]
    /// Of a library.
    private let stored: StoredFiles?

    /// - Throws: when it can't be opened.
    init(_ path: String, for names: [SHA256Digest: [RelativePath]]) throws(SystemError) {
        self.path = path
        self.names = names
        directory = try Directory.open(path)
        let library = try? Library.open(path, for: .reading)
        stored = library.flatMap { try? StoredFiles(for: Set(names.keys), in: $0) }
    }

    /// Copies the file of this digest, hashing it on the way.
    /// - Parameters:
    ///   - scratch: where the copy lies until it is placed.
    ///   - isStopped: asked again and again.
    ///   - didWrite: told of bytes that went to the disk.
    /// - Returns: nil where there is none: what can't be read here may be had elsewhere.
    /// - Throws: when the copy can't be written, or is stopped.
    func take(
        _ digest: SHA256Digest, sizeBytes: Int64?, in scratch: Directory, isStopped: @Sendable () -> Bool,
        didWrite: @Sendable (Int64) -> Void
    ) throws(BundleFailure) -> LocalCopy? {
        for (directory, name) in places(of: digest) {
            guard let file = try? directory.open(name, flags: O_RDONLY | O_NONBLOCK), let status = try? file.status(),
                status.kind == .file, sizeBytes.map({ $0 == status.sizeBytes }) ?? isProven(file, digest, isStopped)
            else { continue }
            do throws(BundleFailure) {
                let copy = try LocalCopy(
                    of: file, url: "\(file.name)", in: scratch, isStopped: isStopped, didWrite: didWrite)
                if copy.digest == digest { return copy }
            } catch {
                // A disk that can't be read is no reason to give up; one that can't be written is.
                guard error.code == .localFileFailed else { throw error }
            }
        }
        return nil
    }

    /// Read once more: a file of any length could fill the disk before its digest is known.
    private func isProven(_ file: OwnedDescriptor, _ digest: SHA256Digest, _ isStopped: () -> Bool) -> Bool {
        let hasher = SHA256()
        return (try? hasher.update(from: file, isStopped: isStopped)) != nil && hasher.finalize() == digest
    }

    private func places(of digest: SHA256Digest) -> [(Directory, RelativePath)] {
        [(directory, CourierLayout.path(of: digest))] + (stored?.places(of: digest) ?? [])
            + (names[digest] ?? []).map { (directory, $0) }
    }
}

extension Bundle {
    /// What the files of the bundle that have digests may be called in a folder: as their URLs say, as in the bundle, as in a library's `current`.
    func courierNames(in manifest: ContentID) -> [(SHA256Digest, [RelativePath])] {
        sources.compactMap { source in
            guard let digest = source.file.digest else { return nil }
            var names: [String] = []
            for url in source.file.urls {
                let path = url.text.prefix { $0 != "?" && $0 != "#" }
                let decoded = String(decoding: percentDecoded(path.utf8), as: UTF8.self)
                if !url.isAbsolute { names.append(decoded) }
                if let last = decoded.split(separator: "/").last { names.append(String(last)) }
            }
            if let path = source.path ?? (isUnpacked ? nil : package?.keptName) {
                names += [path, "\(id.text)/\(path)", "\(manifest)/\(id.text)/\(path)"]
            }
            var seen: Set<RelativePath> = []
            return (digest, names.compactMap { try? RelativePath($0) }.filter { seen.insert($0).inserted })
        }
    }
}
