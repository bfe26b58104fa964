import Archives
import BundleManifest
import ContentLibrary
import Downloads
import Platform

/// Obtains one bundle: fetch, verify, unpack or place, seal, commit. Nothing of it is visible to readers before the run publishes.
struct BundleJob: Sendable {
    let plan: BundlePlan
    let fetcher: SourceFetcher
    let writer: LibraryWriter
    /// Where hashing, inflating and flushing block.
    let blocking: JobQueue
    /// Where single files are copied and placed.
    let placing: JobQueue
    let slots: RequestSlots
    let clock: RunClock
    let emit: @Sendable (RunEvent.Kind) -> Void

    var bundle: Bundle { plan.bundle }

    /// - Returns: the bundle's content, in the store.
    func run() async throws(BundleFailure) -> StoredContent {
        switch plan.work {
        case .upToDate(let content): return content
        case .impossible(let failure): throw failure
        case .revalidate(let content, let receipt):
            return try await obtain(previous: content, receipt: receipt)
        case .mend(let content):
            return try await mend(content)
        case .obtain(let previous):
            return try await obtain(previous: previous, receipt: nil)
        }
    }

    /// - Parameter receipt: of content that may still be what the sources have; they are asked before anything is fetched.
    func obtain(previous: StoredContent?, receipt: Receipt?) async throws(BundleFailure) -> StoredContent {
        if bundle.package != nil {
            try await obtainPackage(previous: previous, receipt: receipt)
        } else if case .hls(let presentation) = bundle.content {
            try await obtainPresentation(presentation, previous: previous, receipt: receipt)
        } else {
            try await obtainFiles(previous: previous, receipt: receipt)
        }
    }

    // MARK: Several files

    private func obtainFiles(previous: StoredContent?, receipt: Receipt?) async throws(BundleFailure) -> StoredContent {
        try await inStaging { staging throws(BundleFailure) in
            if case .segments(let list) = bundle.content, let join = list.join {
                return try await obtainJoined(join, in: staging, previous: previous, receipt: receipt)
            }
            let (sharing, salvage) = await blocking.run {
                (previous.flatMap { try? ContentSharing($0) }, writer.salvage(of: plan.address))
            }
            let files = try await FileSetJob(
                sources: bundle.sources, staging: staging, salvage: salvage,
                previous: previous, sharing: sharing, trustsPrevious: isMending(previous), others: await otherShelves(),
                fetcher: fetcher, placing: placing, slots: slots, progress: segmentProgress
            ).run()
            emit(.bundleVerified)
            return try await blocking.attempt { () throws(BundleFailure) in
                var digests: [RelativePath: SHA256Digest] = [:]
                for file in files { digests[file.path] = file.digest }
                try writeLists(of: files, in: staging, &digests)
                return try store(
                    staging, digests, try origin(digests: files.map(\.digest)), files.map(\.source),
                    sharing: sharing)
            }
        }
    }

    /// Nil for files that aren't segments.
    private var segmentProgress: SegmentProgress? {
        guard case .segments(let list) = bundle.content else { return nil }
        let progress = SegmentProgress(emit: emit)
        progress.expect(files: list.segments.count, duration: list.duration)
        return progress
    }

    /// Lets `body` build the content. Whatever goes wrong there, what came and was noted needn't be fetched again.
    func inStaging(
        _ body: (Staging) async throws(BundleFailure) -> StoredContent
    ) async throws(BundleFailure) -> StoredContent {
        let staging: Staging
        do throws(LibraryError) {
            staging = try await blocking.attempt { () throws(LibraryError) in try writer.makeStaging(for: plan.address)
            }
        } catch {
            throw BundleFailure(error)
        }
        do throws(BundleFailure) { return try await body(staging) } catch {
            await blocking.run { try? staging.leave() }
            throw error
        }
    }

    /// - Parameter join: the one file that all segments make.
    private func obtainJoined(
        _ join: JoinedFile, in staging: Staging, previous: StoredContent?, receipt: Receipt?
    ) async throws(BundleFailure) -> StoredContent {
        let name = try path(join.filename)
        let job = JoinJob(
            sources: bundle.sources, name: name, staging: staging,
            salvage: await blocking.run { writer.salvage(of: plan.address) },
            previous: previous, fetcher: fetcher, placing: placing, slots: slots, progress: segmentProgress)
        if let previous, let receipt, try await job.isUnchanged(since: receipt) {
            emit(.bundleVerified)
            try? staging.discard()
            return previous
        }
        let (digest, sources) = try await job.run()
        return try await blocking.attempt { () throws(BundleFailure) in
            if let wanted = join.digest, digest != wanted {
                // Where a segment has no digest, nobody knows which of them it is.
                if bundle.knownDigests.contains(nil) {
                    try? staging.discard()
                    try? writer.discardSalvage(of: plan.address)
                }
                throw BundleFailure.wrongWhole(digest, wanted)
            }
            emit(.bundleVerified)
            return try store(
                staging, [name: digest], try origin(digests: sources.map(\.sha256)), sources, sharing: nil)
        }
    }

    private func writeLists(
        of files: [FileSetJob.Placed], in staging: Staging, _ digests: inout [RelativePath: SHA256Digest]
    ) throws(BundleFailure) {
        guard case .segments(let list) = bundle.content else { return }
        let index = SegmentIndex(
            segments: list.segments, contents: files.map { ($0.source.sizeBytes, $0.digest) })
        for (name, bytes) in [(SegmentIndex.playlistName, index.playlist), (SegmentIndex.listName, index.list)] {
            let path = try path(name)
            do throws(SystemError) {
                try staging.directory.replaceFile(path, with: bytes, mode: 0o644, flush: false)
            } catch {
                throw BundleFailure(error)
            }
            digests[path] = SHA256.digest(of: bytes)
        }
    }

    // MARK: Into the store

    /// Puts what was built into the store, unless that has it already.
    func store(
        _ staging: Staging, _ digests: [RelativePath: SHA256Digest], _ origin: Receipt.Origin,
        _ sources: [Receipt.Source], sharing: ContentSharing?
    ) throws(BundleFailure) -> StoredContent {
        if let stored = try stored(origin, from: sources) {
            try? staging.discard()
            try? writer.discardSalvage(of: plan.address)
            return stored
        }
        return try seal(staging, digests: digests, origin: origin, sources: sources, sharing: sharing)
    }

    /// Lets `fill` build the content. What was noted when the run is stopped there is left to the next one.
    /// - Parameter begun: what is filled; nil for a new one.
    func staged(
        in begun: Staging? = nil, previous: StoredContent?,
        fill: (Staging) throws(BundleFailure) -> ([RelativePath: SHA256Digest], Receipt.Origin, [Receipt.Source])
    ) throws(BundleFailure) -> StoredContent {
        let staging: Staging
        do throws(LibraryError) {
            staging = if let begun { begun } else { try writer.makeStaging(for: plan.address) }
        } catch { throw BundleFailure(error) }
        do throws(BundleFailure) {
            let (digests, origin, sources) = try fill(staging)
            // Damage at rest is no reason not to publish what is new.
            let sharing = previous.flatMap { try? ContentSharing($0) }
            return try seal(staging, digests: digests, origin: origin, sources: sources, sharing: sharing)
        } catch {
            if error.code == .paused { try? staging.leave() } else { try? staging.discard() }
            throw error
        }
    }

    private func seal(
        _ staging: Staging, digests: [RelativePath: SHA256Digest], origin: Receipt.Origin, sources: [Receipt.Source],
        sharing: ContentSharing?
    ) throws(BundleFailure) -> StoredContent {
        do throws(LibraryError) {
            let sealed = try staging.seal(digests: digests, sharing: sharing)
            return try writer.commit(sealed, origin: origin, sources: sources)
        } catch {
            throw BundleFailure(error)
        }
    }

    /// What is in the store already of what was fetched, with what its servers call it now.
    func stored(_ origin: Receipt.Origin, from sources: [Receipt.Source]) throws(BundleFailure) -> StoredContent? {
        do throws(LibraryError) {
            return try writer.find(origin).map { writer.renew($0, sources: sources) }
        } catch {
            throw BundleFailure(error)
        }
    }

    func origin(digests: [SHA256Digest]) throws(BundleFailure) -> Receipt.Origin {
        guard let key = bundle.storeKey(digests: digests) else {
            throw BundleFailure(.libraryFailed, "its content can't be told apart from others")
        }
        return Receipt.Origin(bundle: plan.address, version: bundle.version, key: key)
    }
}

func path(_ text: String) throws(BundleFailure) -> RelativePath {
    do throws(PathProblem) { return try RelativePath(text) } catch {
        throw BundleFailure(.libraryFailed, "'\(escapedText(text))': \(error)")
    }
}
