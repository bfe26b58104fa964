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
        let condition = SourceFetcher.Condition(validator: rejected?.validator ?? known?.validator)
        let early = earlyUnpacking(of: package)
        guard let file = try await fetch(package.source, condition, unpackedBy: early) else {
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
                let product = early?.finish(isWhole: true)
                do throws(BundleFailure) {
                    return try commit(file, package: package, product, previous: previous)
                } catch {
                    try? product?.staging.discard()
                    throw error
                }
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

    /// Where nothing comes of the download, nothing stays of what was unpacked of it.
    private func fetch(
        _ source: SourceFile, _ condition: SourceFetcher.Condition, unpackedBy early: EarlyUnpacking?
    ) async throws(BundleFailure) -> FetchedFile? {
        let file: FetchedFile?
        do throws(BundleFailure) {
            file = try await fetcher.fetch(source, condition, arriving: early?.arriving)
        } catch {
            await abandon(early)
            throw error
        }
        if file == nil { await abandon(early) }
        return file
    }

    private func abandon(_ early: EarlyUnpacking?) async {
        guard let early else { return }
        await blocking.run { try? early.finish(isWhole: false)?.staging.discard() }
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
        _ file: FetchedFile, package: PackagedFile, _ product: EarlyUnpacking.Product?, previous: StoredContent?
    ) throws(BundleFailure) -> StoredContent {
        if package.source.digest == nil {
            try file.refuseHTMLPage(insteadOf: bundle.isUnpacked ? .archive : .file(named: package.keptName))
        }
        let origin = try origin(digests: [file.digest])
        if let stored = try stored(origin) {
            try? product?.staging.discard()
            return stored
        }
        let source = fetcher.receiptSource(package.source, file)
        return try staged(in: product?.staging, previous: previous) { staging throws(BundleFailure) in
            let digests =
                if let product { try accepted(product.unpacked, of: file) } else {
                    try fill(staging, with: file, package: package)
                }
            return (digests, origin, [source])
        }
    }
}
