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

    /// What a courier has of a file.
    enum Answer: Sendable {
        case copy(LocalCopy)
        case nothing
        /// Something that isn't the file, or can't be read: where, and why.
        case unusable(String)
    }

    /// Copies the file of this digest, hashing it on the way.
    /// - Parameters:
    ///   - sizeBytes: how long it is, where that is known.
    ///   - scratch: where the copy lies until it is placed.
    ///   - isStopped: asked again and again.
    ///   - didWrite: told of bytes that went to the disk.
    /// - Throws: when the copy can't be written, or is stopped: what can't be read here may be had elsewhere.
    func take(
        _ digest: SHA256Digest, sizeBytes: Int64?, in scratch: Directory, isStopped: @Sendable () -> Bool,
        didWrite: @Sendable (Int64) -> Void
    ) throws(BundleFailure) -> Answer {
        var trouble: String?
        for (directory, name) in places(of: digest) {
            do throws(BundleFailure) {
                guard let file = try Self.file(name, in: directory) else { continue }
                let length =
                    if let sizeBytes { sizeBytes } else {
                        try Self.length(of: file, scratch, proving: digest, isStopped)
                    }
                let copy = try LocalCopy(
                    of: file, url: file.name, sizeBytes: length, in: scratch, isStopped: isStopped, didWrite: didWrite)
                if copy.digest == digest { return .copy(copy) }
                throw Self.otherBytes(file)
            } catch {
                guard [.localFileFailed, .sizeMismatch, .digestMismatch].contains(error.code) else { throw error }
                trouble = trouble ?? error.description
            }
        }
        return trouble.map { .unusable($0) } ?? .nothing
    }

    /// - Returns: nil where there is nothing of that name, or a folder.
    private static func file(_ name: RelativePath, in directory: Directory) throws(BundleFailure) -> OwnedDescriptor? {
        do throws(SystemError) {
            // Not blocking: a FIFO without a writer is refused, not waited for.
            guard let file = try directory.openIfThere(name, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
                return nil
            }
            switch try file.status().kind {
            case .file: return file
            case .directory: return nil
            default:
                throw SystemError(code: EINVAL, operation: "read", subject: "\(file.name), which is no regular file")
            }
        } catch {
            if [ENOTDIR, ENAMETOOLONG].contains(error.code) { return nil }
            throw BundleFailure(.localFileFailed, "\(error)")
        }
    }

    /// Reads a file once more of which nobody says how long it is: one of any length could fill the disk before its digest is known.
    private static func length(
        of file: OwnedDescriptor, _ scratch: Directory, proving digest: SHA256Digest, _ isStopped: () -> Bool
    ) throws(BundleFailure) -> Int64 {
        let hasher = SHA256()
        let (length, free, read): (Int64, Int64, Int64)
        do throws(SystemError) {
            (length, free) = (try file.status().sizeBytes, try scratch.descriptor.freeBytes())
            read = length > free ? 0 : try hasher.update(from: file, lengthBytes: length, isStopped: isStopped)
        } catch {
            throw BundleFailure(.localFileFailed, "\(error)")
        }
        if isStopped() { throw BundleFailure(.paused, "stopped") }
        guard read == length, hasher.finalize() == digest else { throw otherBytes(file) }
        return length
    }

    private static func otherBytes(_ file: OwnedDescriptor) -> BundleFailure {
        BundleFailure(.digestMismatch, "it has other bytes than the ones asked for", url: file.name)
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
