import BundleManifest
import ContentLibrary
import Platform

/// Content of the bundle that is here and damaged.
extension BundleJob {
    /// Mends it by what the library has, or else fetches what of it is damaged, as far as its kind lets that be had alone.
    func mend(_ content: StoredContent) async throws(BundleFailure) -> StoredContent {
        let mending = try await blocking.attempt {
            [writer, limits = fetcher.limits, control = fetcher.control] () throws(BundleFailure) in
            try writer.mendIfProven(content, limits) { control.reason != nil }
        }
        switch mending {
        case .whole:
            try await blocking.attempt { () throws(BundleFailure) in try checkPlayback(of: content) }
            return content
        case .mended:
            emit(.contentMended(content: "\(content.address.name)", isFetched: false))
            return content
        case .lacking, nil: break
        }
        if fetcher.control.reason != nil { throw BundleFailure(.paused, "stopped") }
        if case .hls(let presentation) = bundle.content, presentation.recording != nil {
            throw BundleFailure(
                .segmentsLost,
                "it is damaged, and a recording can't be made again; give it another version to begin anew")
        }
        if let objection = fetcher.limits.objection(to: bytesToMake(content)) {
            throw BundleFailure(.noSpace, objection)
        }
        let mended = try await obtain(previous: content, receipt: nil)
        // What its servers have by now may be something else: then that is published.
        if mended.address == content.address {
            emit(.contentMended(content: "\(mended.address.name)", isFetched: true))
        }
        return mended
    }

    /// How many bytes it takes to have content anew whose parts can't be had alone; of others the parts that are lacking have been asked for already.
    private func bytesToMake(_ content: StoredContent) -> Int64 {
        switch bundle.content {
        case .archive, .textures, .ebook:
            // The file as it is fetched, and what it unpacks to.
            let fetched = (try? content.receipt())?.sources.reduce(Int64(0)) { $0.addingClamped($1.sizeBytes) } ?? 0
            return fetched.addingClamped(bundle.isUnpacked ? content.header.contentBytes : 0)
        case .segments(let list) where list.join != nil: return content.header.contentBytes
        case .segments, .files, .hls: return 0
        }
    }

    /// Of a presentation whose bytes are as they were published that isn't all: it may have been found not to play.
    private func checkPlayback(of content: StoredContent) throws(BundleFailure) {
        guard case .hls = bundle.content else { return }
        let directory: Directory
        do throws(LibraryError) { directory = try content.open() } catch { throw BundleFailure(error) }
        do throws(BundleFailure) { try PlaylistVerdict.check(directory) { _ in } } catch {
            writer.note(damaged: [content.address])
            throw BundleFailure(
                error.code,
                "it is as it was published and would not play: \(error.message); give it another version to have it anew",
                url: error.url)
        }
    }

    /// Whether this bundle is to become what it was.
    func isMending(_ content: StoredContent?) -> Bool {
        guard case .mend = plan.work else { return false }
        return content != nil
    }

    /// Files of a bundle that was damaged, or whose receipt was lost, wherever in the library they are: what stands where its content belongs, too.
    func otherShelves() async -> [Shelf] {
        guard let key = bundle.storeKey(digests: bundle.knownDigests) else { return [] }
        let address = Receipt.Origin(bundle: plan.address, version: bundle.version, key: key).address
        guard writer.isDamaged(address) else { return [] }
        let wanted = bundle.sources.map { (path: $0.path, file: $0.file, url: fetcher.name(of: $0)) }
        return await placing.run { [writer] in
            let digests = Set(wanted.compactMap(\.file.digest))
            guard let files = try? writer.storedFiles(for: digests) else { return [] }
            var standing = StoredFiles(in: writer.library)
            let remains = wanted.compactMap { source -> (RelativePath, SHA256Digest, Int64?)? in
                guard let path = source.path.flatMap({ try? RelativePath($0) }), let digest = source.file.digest else {
                    return nil
                }
                return (path, digest, source.file.sizeBytes.map(Int64.init) ?? files.sizeBytes(of: digest))
            }
            standing.add(remains, at: address)
            return [standing, files].map { files in
                Shelf(
                    files,
                    of: wanted.compactMap { source in
                        source.file.digest.flatMap { digest in
                            files.sizeBytes(of: digest).map {
                                Receipt.Source(url: source.url, sizeBytes: $0, sha256: digest)
                            }
                        }
                    })
            }
        }
    }
}

extension LibraryWriter {
    /// - Returns: nil where the receipt is damaged, so that nothing proves what is there.
    fileprivate func mendIfProven(
        _ content: StoredContent, _ limits: RunLimits, isStopped: @escaping @Sendable () -> Bool
    ) throws(BundleFailure) -> Mending? {
        do throws(LibraryError) {
            return try mend(
                content,
                checkRoom: { bytes throws(LibraryError) in
                    if let objection = limits.objection(to: bytes) { throw LibraryError(.noSpace, objection) }
                }, isStopped: isStopped)
        } catch {
            guard error.code == .damaged else { throw BundleFailure(error) }
            return nil
        }
    }
}
