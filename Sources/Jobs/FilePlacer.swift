import BundleManifest
import ContentLibrary
import Glibc
import Platform
import Playlists

/// Puts files of a bundle into its staging directory, in the form in which they are stored.
struct FilePlacer: Sendable {
    typealias Placed = FileSetJob.Placed

    let staging: Staging
    let shelves: [Shelf]
    let fetcher: SourceFetcher
    let placing: JobQueue
    let keys: KeyRing?
    /// Whether the next run takes over even what nothing would tell from another version.
    let keepsUnproven: Bool
    let progress: SegmentProgress?

    /// - Parameter group: one file, or parts of one file.
    /// - Returns: for each what became of it.
    func place(_ group: [BundleSource]) async -> [Result<Placed, BundleFailure>] {
        if group.count == 1, group[0].byteRange == nil {
            return [
                await outcome { () throws(BundleFailure) in
                    let placed = try await place(group[0])
                    note(placed, of: group[0])
                    return placed
                }
            ]
        }
        return await RangedFile(group, self).place()
    }

    /// Tells that a source's file is here.
    func note(_ placed: Placed, of source: BundleSource) { progress?.note(placed.source.sizeBytes, source.duration) }

    private func place(_ source: BundleSource) async throws(BundleFailure) -> Placed {
        // What is here isn't asked for, so that nobody else would notice.
        if fetcher.control.reason != nil { throw BundleFailure(.paused, "stopped") }
        let path = try path(source.path ?? "")
        if let digest = source.file.digest {
            if let held = held(digest), let known = try await take(held, at: path) { return known }
        } else if let (held, isTrusted) = held(source) {
            if !isTrusted, let validator = held.validator,
                let file = try await fetcher.fetch(source.file, .unless(validator: validator))
            {
                return try await store(source, of: file, at: path)
            }
            if isTrusted || held.validator != nil, let known = try await take(held, at: path) { return known }
        }
        try await askForKey(of: source)
        return try await store(source, of: try await fetcher.fetchUnasked(source.file), at: path)
    }

    /// Before anything is fetched that couldn't be stored without it.
    func askForKey(of source: BundleSource) async throws(BundleFailure) {
        _ = try await decryption(source)
    }

    // MARK: What is here already

    /// What a source had brought, and whether that needn't be asked about.
    func held(_ source: BundleSource) -> (held: Receipt.Source, isTrusted: Bool)? {
        let name = fetcher.name(of: source)
        return shelves.lazy.compactMap { shelf in shelf.byURL[name].map { ($0, shelf.isTrusted) } }.first
    }

    private func held(_ digest: SHA256Digest) -> Receipt.Source? {
        shelves.lazy.compactMap { $0.byDigest[digest] }.first
    }

    /// Whether a file may be here that its digest alone tells.
    func mayHold(_ source: BundleSource) -> Bool {
        source.byteRange == nil && source.file.digest.flatMap(held) != nil
    }

    /// Takes the files that are here and that their digests tell: many in one go, since handing each to a thread costs more than placing it.
    /// - Parameter isStopped: asked before each.
    /// - Returns: nil for one that can't be had after all, or not without trouble: to be obtained, or told of, by itself.
    func takeHeld(_ sources: [BundleSource], unless isStopped: @escaping @Sendable () -> Bool) async -> [Placed?] {
        await placing.run {
            sources.map { source in
                guard !isStopped(), mayHold(source), let held = source.file.digest.flatMap(held),
                    let path = try? path(source.path ?? ""),
                    let placed = try? takeNow(held, at: path)
                else { return nil }
                note(placed, of: source)
                return placed
            }
        }
    }

    /// - Parameter held: what is wanted, as it came from its own URL: others may have brought the same bytes.
    func take(_ held: Receipt.Source, at path: RelativePath) async throws(BundleFailure) -> Placed? {
        do throws(LibraryError) {
            return try await placing.attempt { () throws(LibraryError) in try takeNow(held, at: path) }
        } catch {
            throw BundleFailure(error)
        }
    }

    private func takeNow(_ held: Receipt.Source, at path: RelativePath) throws(LibraryError) -> Placed? {
        for shelf in shelves {
            guard let own = shelf.byDigest[held.sha256] else { continue }
            // Each tells itself how long its file is: that of another may be damaged.
            let source = Receipt.Source(
                url: held.url, sizeBytes: own.sizeBytes, sha256: held.sha256, validator: held.validator)
            if try shelf.place(source, path, staging) { return Placed(path: path, digest: held.sha256, source: source) }
        }
        return nil
    }

    // MARK: What was fetched

    /// Puts a source in its place. A file of which it is only a part stays where it is.
    func store(
        _ source: BundleSource, of file: FetchedFile, at path: RelativePath
    ) async throws(BundleFailure) -> Placed {
        do throws(BundleFailure) {
            if source.isVerbatim { return try await move(file, to: path, source) }
            let placed = try await copy(source, of: file, to: path)
            if source.byteRange == nil { file.discard() }
            return placed
        } catch {
            // Of these nothing but other bytes would help.
            if error.code != .implausibleMedia, error.code != .htmlPage { file.keep() }
            throw error
        }
    }

    private func move(
        _ file: FetchedFile, to path: RelativePath, _ source: BundleSource
    ) async throws(BundleFailure) -> Placed {
        let placed = Placed(path: path, digest: file.digest, source: fetcher.receiptSource(source.file, file))
        try await placing.attempt { () throws(BundleFailure) in
            if source.file.digest == nil { try file.refuseHTMLPage(insteadOf: .file(named: "\(path)")) }
            do throws(SystemError) {
                // First: a file that is there and that nobody knows of is lost.
                try note(placed, isProven: source.file.digest != nil)
                try file.move(to: path, in: staging.directory)
            } catch {
                throw BundleFailure(error)
            }
        }
        return placed
    }

    private func copy(
        _ source: BundleSource, of file: FetchedFile, to path: RelativePath
    ) async throws(BundleFailure) -> Placed {
        let decryption = try await decryption(source)
        return try await placing.attempt { () throws(BundleFailure) in
            let (size, digest) = try copy(source, of: file, to: path, decryption)
            let known = Receipt.Source(
                url: fetcher.name(of: source), sizeBytes: size, sha256: digest, validator: file.validator)
            let placed = Placed(path: path, digest: digest, source: known)
            do throws(SystemError) { try note(placed, isProven: false) } catch { throw BundleFailure(error) }
            fetcher.limits.note(written: size)
            return placed
        }
    }

    /// What nothing would tell from another version is of no use to anybody later.
    private func note(_ placed: Placed, isProven: Bool) throws(SystemError) {
        if isProven || keepsUnproven || placed.source.validator != nil {
            try staging.note(placed.source, at: placed.path)
        }
    }

    private func copy(
        _ source: BundleSource, of file: FetchedFile, to path: RelativePath, _ decryption: Decryption?
    ) throws(BundleFailure) -> (sizeBytes: Int64, digest: SHA256Digest) {
        // Whoever asked for a range saw that the file has it.
        let offset = source.byteRange.map { $0.offset - file.start } ?? 0
        let length = source.byteRange?.lengthBytes ?? file.sizeBytes
        let hasher = SHA256()
        var size: Int64? = length
        do throws(SystemError) {
            if let parent = path.parent { try staging.directory.makeDirectories(parent) }
            let target = try staging.directory.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
            if let decryption {
                size = try decryption.begin().flatMap { cipher throws(SystemError) in
                    try target.write(length, of: file.descriptor, at: offset, decrypting: cipher, hashing: hasher)
                }
            } else {
                try target.write(length, of: file.descriptor, at: offset, to: 0, hashing: hasher)
            }
        } catch {
            throw BundleFailure(error)
        }
        guard let size else {
            try? staging.directory.remove(path)
            throw BundleFailure(
                .implausibleMedia,
                "it doesn't decrypt: its end is missing, or the key, the vector or the segment is another's",
                url: file.url)
        }
        return (size, hasher.finalize())
    }

    private struct Decryption: Sendable {
        let key: [UInt8]
        let vector: [UInt8]

        func begin() -> AES128CBC.Decryption? { AES128CBC.Decryption(key: key, vector: vector) }
    }

    private func decryption(_ source: BundleSource) async throws(BundleFailure) -> Decryption? {
        guard let encryption = source.encryption, let keys else { return nil }
        return Decryption(key: try await keys.key(at: encryption.keyURL), vector: encryption.vector.bytes)
    }
}
