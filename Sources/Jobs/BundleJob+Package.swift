import Archives
import BundleManifest
import ContentLibrary
import Downloads
import Platform
import Transfer

/// A bundle of one download: unpacked, or kept whole.
extension BundleJob {
    func obtainPackage(previous: StoredContent?, receipt: Receipt?) async throws(BundleFailure) -> StoredContent {
        guard let package = bundle.package else { throw BundleFailure(.unsupportedKind, "it is no package") }
        var unusable: Set<TransferURL> = []
        while true {
            let (source, outcome) = try await obtain(package, besides: unusable, previous: previous, receipt: receipt)
            do throws(BundleFailure) { return try outcome.get() } catch {
                guard error.isOfSource, package.source.digest == nil, let source else { throw error }
                unusable.insert(source)
                guard fetcher.hasSource(of: package.source, besides: unusable) else { throw error }
                // That it is as bad as it was is no news where what is here came from another one.
                if !error.isNotModified { emit(.warning("\(error); the next source is asked")) }
            }
        }
    }

    /// - Parameter unusable: sources that have brought nothing of use.
    /// - Returns: whose file it is about, and what became of that.
    /// - Throws: where nobody has any.
    private func obtain(
        _ package: PackagedFile, besides unusable: Set<TransferURL>, previous: StoredContent?, receipt: Receipt?
    ) async throws(BundleFailure) -> (source: TransferURL?, outcome: Result<StoredContent, BundleFailure>) {
        // Another URL's validator says nothing about this one.
        var sender = receipt?.sources.first.flatMap { fetcher.sender(of: $0, package.source) }
        if let server = sender?.server, unusable.contains(server) { sender = nil }
        let next = fetcher.servers(of: package.source).first { !unusable.contains($0) }
        let isAnothers = sender.map { $0.server != next } ?? false
        let rejected = next.flatMap { rejection(of: $0, package.source, isWantedAnyway: !isAnothers) }
        let condition: SourceFetcher.Condition
        if let rejected {
            condition = .unless(validator: rejected.validator, at: next)
        } else if let sender {
            condition = .unless(validator: sender.validator, at: sender.server)
        } else {
            condition = .none
        }
        let early = earlyUnpacking(of: package)
        let preferred = rejected == nil ? sender?.server : next
        guard
            let file = try await fetch(
                package.source, condition, of: preferred, besides: unusable, unpackedBy: early)
        else {
            // What is here without a validator came from another one, when this one's file could not be used. Where that one can be asked, it is.
            let known = receipt?.sources.first { $0.url == fetcher.name(of: package.source) }
            let isFromElsewhere = known.map { $0.validator == nil } ?? false
            if let rejected, let next, isAnothers || !isFromElsewhere {
                let failure = BundleFailure(
                    .archiveDamaged,
                    "the server still has the file that could not be used before; it is fetched again once it changes, or after \(rejected.distrust.nextTry.rfc3339)",
                    url: "\(next)", isNotModified: isAnothers)
                return (next, .failure(failure))
            }
            guard let previous else { throw BundleFailure(.libraryFailed, "the content that was here is gone") }
            emit(.bundleVerified)
            return (nil, .success(previous))
        }
        emit(.bundleVerified)
        let outcome = await outcome { () throws(BundleFailure) in
            try await blocking.attempt { () throws(BundleFailure) in
                let product = early?.finish(with: file.descriptor)
                do throws(BundleFailure) {
                    return try commit(file, package: package, product, previous: previous)
                } catch {
                    if error.code != .paused { try? product?.staging.discard() }
                    throw error
                }
            }
        }
        conclude(outcome, of: file, from: package.source)
        return (file.source, outcome)
    }

    /// Notes what the outcome says of whoever sent the file, and whether that is kept.
    private func conclude(
        _ outcome: Result<StoredContent, BundleFailure>, of file: FetchedFile, from source: SourceFile
    ) {
        switch outcome {
        case .success:
            if source.digest == nil, let server = file.source {
                fetcher.distrust.forgive(server, for: bundle.useDigest)
            }
        case .failure(let error):
            note(error, of: file, from: source)
            // Where the trouble is ours, or a digest says that these are the bytes, they needn't be fetched again.
            if source.digest != nil || !error.isOfContent { file.keep() }
        }
    }

    /// Where nothing comes of the download, nothing stays of what was unpacked of it.
    private func fetch(
        _ source: SourceFile, _ condition: SourceFetcher.Condition, of preferred: TransferURL?,
        besides unusable: Set<TransferURL>, unpackedBy early: EarlyUnpacking?
    ) async throws(BundleFailure) -> FetchedFile? {
        let file: FetchedFile?
        do throws(BundleFailure) {
            file = try await fetcher.fetch(
                source, condition, of: preferred, besides: unusable, arriving: early?.arriving)
        } catch {
            await abandon(early, isResumable: error.isResumable)
            throw error
        }
        if file == nil { await abandon(early, isResumable: false) }
        return file
    }

    /// - Parameter isResumable: whether the next run goes on with the bytes that came.
    private func abandon(_ early: EarlyUnpacking?, isResumable: Bool) async {
        guard let early else { return }
        await blocking.run { if isResumable { early.pause() } else { _ = early.finish(with: nil) } }
    }

    /// - Parameter isWantedAnyway: whether it may have been damaged on its way only, and that is worth another try. It isn't where what is here came from
    ///   another server, and is good.
    private func rejection(
        of server: TransferURL, _ source: SourceFile, isWantedAnyway: Bool
    ) -> RejectionRecord? {
        guard source.digest == nil else { return nil }
        let (distrust, use) = (fetcher.distrust, bundle.useDigest)
        return isWantedAnyway
            ? distrust.rejection(of: server, for: use) : distrust.history.rejection(of: server, for: use)
    }

    /// What can't be used and has no digest would be fetched by every run, for ever, if nobody noted which version that was.
    private func note(_ failure: BundleFailure, of file: FetchedFile, from source: SourceFile) {
        // A page for people says nothing of whom it claims to be from.
        guard source.digest == nil, failure.isOfContent, failure.code != .htmlPage, let server = file.source,
            let validator = file.sendersValidator
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
        let source = fetcher.receiptSource(of: package.source, file)
        if let stored = try stored(origin, from: [source]) {
            try? product?.staging.discard()
            try? writer.discardSalvage(of: plan.address)
            return stored
        }
        return try staged(in: product?.staging, previous: previous) { staging throws(BundleFailure) in
            let digests =
                if let product { try accepted(product.unpacked, of: file) } else {
                    try fill(staging, with: file, package: package)
                }
            if bundle.kind == .textures { warnOfMisnamedImages(among: digests.keys, in: staging) }
            return (digests, origin, [source])
        }
    }
}
