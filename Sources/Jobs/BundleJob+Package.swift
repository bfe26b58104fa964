import Archives
import BundleManifest
import ContentLibrary
import Downloads
import Platform

/// A bundle of one download: unpacked, or kept whole.
extension BundleJob {
    func obtainPackage(previous: StoredContent?, receipt: Receipt?) async throws(BundleFailure) -> StoredContent {
        guard let package = bundle.package else { throw BundleFailure(.unsupportedKind, "it is no package") }
        // Another URL's validator says nothing about this one.
        let known = receipt?.sources.first { $0.url == fetcher.name(of: package.source) }
        let rejected = rejection(of: package.source)
        let condition =
            (rejected?.validator ?? known?.validator).map { SourceFetcher.Condition.unless(validator: $0) } ?? .none
        guard let file = try await fetcher.fetch(package.source, condition) else {
            if let rejected {
                throw BundleFailure(
                    .archiveDamaged,
                    "the server still has the file that could not be used before; it is fetched again once it changes, or after \(rejected.distrust.nextTry.rfc3339)",
                    url: fetcher.firstServer(of: package.source).map { "\($0)" })
            }
            guard let previous else { throw BundleFailure(.libraryFailed, "the content that was here is gone") }
            emit(.bundleVerified)
            return previous
        }
        emit(.bundleVerified)
        do {
            let content = try await blocking.attempt { () throws(BundleFailure) in
                try commit(file, package: package, previous: previous)
            }
            if package.source.digest == nil, let server = fetcher.firstServer(of: package.source) {
                fetcher.distrust.forgive(server, for: bundle.useDigest)
            }
            return content
        } catch {
            note(error, of: file, from: package.source)
            // Where the trouble is ours, or a digest says that these are the bytes, they needn't be fetched again.
            if package.source.digest != nil || !error.isOfContent { file.keep() }
            throw error
        }
    }

    private func rejection(of source: SourceFile) -> RejectionRecord? {
        guard source.digest == nil, let server = fetcher.firstServer(of: source) else { return nil }
        return fetcher.distrust.rejection(of: server, for: bundle.useDigest)
    }

    /// What can't be used and has no digest would be fetched by every run, for ever, if nobody noted which version that was.
    private func note(_ failure: BundleFailure, of file: FetchedFile, from source: SourceFile) {
        // A page for people says nothing of whom it claims to be from.
        guard source.digest == nil, failure.isOfContent, failure.code != .htmlPage, let validator = file.validator,
            let server = fetcher.firstServer(of: source)
        else { return }
        fetcher.distrust.reject(validator, of: server, for: bundle.useDigest)
    }

    private func commit(
        _ file: FetchedFile, package: PackagedFile, previous: StoredContent?
    ) throws(BundleFailure) -> StoredContent {
        if package.source.digest == nil {
            try file.refuseHTMLPage(insteadOf: bundle.isUnpacked ? .archive : .file(named: package.keptName))
        }
        let origin = try origin(digests: [file.digest])
        if let stored = try stored(origin) { return stored }
        let source = fetcher.receiptSource(package.source, file)
        return try staged(previous: previous) { staging throws(BundleFailure) in
            let digests = try fill(staging, with: file, package: package)
            return (digests, origin, [source])
        }
    }

    private func fill(
        _ staging: Staging, with file: FetchedFile, package: PackagedFile
    ) throws(BundleFailure) -> [RelativePath: SHA256Digest] {
        guard bundle.isUnpacked else {
            let name = try path(package.keptName)
            do throws(SystemError) { try file.place(at: name, in: staging.directory) } catch {
                throw BundleFailure(error)
            }
            return [name: file.digest]
        }
        let digests = Locked<[RelativePath: SHA256Digest]>([:])
        let observer = UnpackObserver(
            shouldStop: { [control = fetcher.control] in control.reason != nil },
            didWrite: { [limits = fetcher.limits] in limits.note(written: Int64($0)) },
            didCreate: { entry in
                guard case .file(_, let sha256, _) = entry.content, let digest = SHA256Digest(bytes: sha256) else {
                    return
                }
                digests.withLock { $0[entry.relativePath] = digest }
            })
        do throws(ArchiveError) {
            let source = try FileSource(file.descriptor, name: "")
            let format: ArchiveFormat?
            do throws(BundleFailure) { format = try package.archiveFormat() } catch {
                throw ArchiveError(.unsupported, error.message)
            }
            let unpacker = try Unpacker(source: source, format: format, policy: package.extractionPolicy())
            let summary = try unpacker.unpack(into: staging.directory, observer: observer)
            guard file.isProvenComplete || summary.isProvenWhole else {
                throw ArchiveError(
                    .corrupted,
                    "its end can't be told from a cut: the server closed the connection without a length; give size or sha256 in the manifest"
                )
            }
            for warning in summary.warnings { emit(.warning(warning)) }
            emit(.bundleUnpacked(files: summary.files, bytes: summary.bytes))
        } catch {
            throw BundleFailure(error, url: file.url)
        }
        return digests.withLock { $0 }
    }
}
