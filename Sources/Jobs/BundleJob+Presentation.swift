import BundleManifest
import ContentLibrary
import Platform

/// Bundles of the kind `hls`.
extension BundleJob {
    func obtainPresentation(
        _ presentation: Presentation, previous: StoredContent?, receipt: Receipt?
    ) async throws(BundleFailure) -> StoredContent {
        try await inStaging { staging throws(BundleFailure) in
            let job = HLSJob(
                presentation: presentation, recordingName: bundle.recordingName, staging: staging,
                salvage: await blocking.run { writer.salvage(of: plan.address) }, previous: previous,
                trustsPrevious: isMending(previous), fetcher: fetcher, placing: placing,
                slots: slots, clock: clock, progress: SegmentProgress(emit: emit)
            ) { emit(.warning($0)) }
            if let previous, let receipt, try await job.isUnchanged(since: receipt) {
                emit(.bundleVerified)
                try? staging.discard()
                return previous
            }
            let copy = try await job.run()
            emit(.bundleVerified)
            return try await blocking.attempt { () throws(BundleFailure) in
                let key = bundle.presentationKey(digests: copy.sources.map(\.sha256))
                let origin = Receipt.Origin(bundle: plan.address, version: bundle.version, key: key)
                let sharing = previous.flatMap { try? ContentSharing($0) }
                return try store(staging, copy.digests, origin, copy.sources, sharing: sharing)
            }
        }
    }
}
