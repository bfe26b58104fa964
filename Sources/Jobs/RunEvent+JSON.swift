import JSONSyntax
import Platform

extension RunEvent {
    /// The event as one line of JSON, without a line end; `Manifests.md` lists them.
    package var jsonLine: String {
        var writer = JSONWriter(.compact)
        writer.object { line in
            line.member("event", kind.name)
            line.member("time", time.rfc3339Milliseconds)
            if let manifest { line.member("manifest", manifest) }
            if let bundle { line.member("bundle", bundle) }
            if let url { line.member("url", url) }
            if let transfer { line.member("transfer", transfer) }
            kind.writeMembers(to: &line)
        }
        return writer.text
    }
}

extension RunEvent.Kind {
    /// The event's name, as `Manifests.md` lists it.
    package var name: String {
        switch self {
        case .runStarted: "run.started"
        case .manifestLoaded: "manifest.loaded"
        case .manifestVerified: "manifest.verified"
        case .runFailed, .manifestFinding(_, refusal: .some): "run.failed"
        case .bundlePlanned: "bundle.planned"
        case .runPlanned: "run.planned"
        case .transferStarted: "transfer.started"
        case .transferCoalesced: "transfer.coalesced"
        case .transferResumed: "transfer.resumed"
        case .transferProgress: "transfer.progress"
        case .transferPaused: "transfer.paused"
        case .transferRetrying: "transfer.retrying"
        case .transferFailed: "transfer.failed"
        case .transferFinished: "transfer.finished"
        case .courierTaken: "courier.taken"
        case .fileCopied: "file.copied"
        case .sessionRebuilt: "session.rebuilt"
        case .networkWaiting: "network.waiting"
        case .memoryPressure: "pressure.memory"
        case .diskPressure: "pressure.disk"
        case .partialEvicted: "partial.evicted"
        case .leftoversEvicted: "leftovers.evicted"
        case .bytesQuarantined: "bytes.quarantined"
        case .libraryCleaned: "library.cleaned"
        case .segmentProgress: "segments.progress"
        case .contentDamaged: "content.damaged"
        case .contentVerified: "content.verified"
        case .contentMended: "content.mended"
        case .libraryVerified: "library.verified"
        case .bundleExported: "bundle.exported"
        case .bundleVerified: "bundle.verified"
        case .bundleUnpacked: "bundle.unpacked"
        case .bundlePublished: "bundle.published"
        case .bundleFailed: "bundle.failed"
        case .generationPublished: "generation.published"
        case .warning, .notice, .optionalBundleFailed, .manifestFinding(_, refusal: nil): "warning"
        case .runFinished: "run.finished"
        }
    }

    fileprivate func writeMembers(to line: inout JSONWriter) {
        switch self {
        case .runStarted(let command): line.member("command", command)
        case .manifestLoaded(let serial, let bundles):
            line.member("serial", serial)
            line.member("bundles", bundles)
        case .manifestVerified(let key, let comment):
            line.member("key", key)
            line.member("comment", comment)
        case .runFailed(let exit, let message):
            line.member("exit", exit.rawValue)
            line.member("message", message)
        case .manifestFinding(let text, let refusal):
            if let refusal { line.member("exit", refusal.rawValue) }
            line.member("message", text)
        case .bundlePlanned(let state, let bytes):
            line.member("state", state.rawValue)
            line.member("bytes", bytes)
        case .transferFinished(let bytes), .partialEvicted(let bytes), .leftoversEvicted(let bytes),
            .fileCopied(let bytes):
            line.member("bytes", bytes)
        case .courierTaken(let bytes, let isFetched):
            line.member("bytes", bytes)
            line.member("fetched", isFetched)
        case .bytesQuarantined(let bytes, let name):
            line.member("bytes", bytes)
            line.member("name", name)
        case .transferResumed(let offset): line.member("offset", offset)
        case .transferProgress(let received, let total, let rate):
            line.member("received", received)
            line.member("total", total)
            line.member("bytesPerSecond", rate)
        case .transferRetrying(let reason, let delay):
            line.member("reason", reason)
            line.member("delay", delay.inSeconds)
        case .transferFailed(let code, let message), .bundleFailed(let code, let message):
            line.member("code", code)
            line.member("message", message)
        case .bundleUnpacked(let files, let bytes):
            line.member("files", files)
            line.member("bytes", bytes)
        case .bundleExported(let files, let bytes, let present):
            line.member("files", files)
            line.member("bytes", bytes)
            line.member("present", present)
        case .segmentProgress(let figures): figures.write(to: &line)
        case .contentDamaged(let damage, let content):
            line.member("content", content)
            line.member("path", damage.path?.description)
            line.member("problem", damage.code)
            line.member("message", "\(damage)")
        case .contentVerified(let content, let files, let bytes, let damaged):
            line.member("content", content)
            line.member("files", files)
            line.member("bytes", bytes)
            line.member("damaged", damaged)
        case .libraryVerified(let contents, let files, let bytes, let damaged, let mended, let remaining):
            line.member("contents", contents)
            line.member("files", files)
            line.member("bytes", bytes)
            line.member("damaged", damaged)
            line.member("mended", mended)
            line.member("remaining", remaining)
        case .contentMended(let content, let isFetched):
            line.member("content", content)
            line.member("fetched", isFetched)
        case .bundlePublished(let version): line.member("version", version)
        case .sessionRebuilt(let reason): line.member("reason", reason.rawValue)
        case .memoryPressure(let bufferBytes, let handles):
            line.member("buffers", bufferBytes)
            line.member("handles", handles)
        case .diskPressure(let freeBytes, let wantedBytes):
            line.member("free", freeBytes)
            line.member("wanted", wantedBytes)
        case .runPlanned(let bytes, let peak, let free, let unbounded):
            line.member("bytes", bytes)
            line.member("peakBytes", peak)
            line.member("freeBytes", free)
            line.member("unbounded", unbounded)
        case .libraryCleaned(let partials, let generations, let contents, let bytes, let isRehearsal):
            line.member("partials", partials)
            line.member("generations", generations)
            line.member("contents", contents)
            line.member("bytes", bytes)
            line.member("dryRun", isRehearsal)
        case .generationPublished(let number): line.member("number", number)
        case .warning(let message), .notice(let message), .optionalBundleFailed(let message):
            line.member("message", message)
        case .runFinished(let summary, let exit):
            line.member("exit", exit.rawValue)
            line.member("stopped", summary.stop?.rawValue)
            summary.write(to: &line)
        case .transferStarted, .transferCoalesced, .transferPaused, .networkWaiting, .bundleVerified: break
        }
    }
}

extension SegmentFigures {
    fileprivate func write(to line: inout JSONWriter) {
        line.member("files", files)
        line.member("totalFiles", totalFiles)
        line.member("bytes", bytes)
        line.member("seconds", duration.inSeconds)
        line.member("totalSeconds", totalDuration?.inSeconds)
    }
}

extension RunSummary {
    fileprivate func write(to line: inout JSONWriter) {
        line.object("bundles") { bundles in
            bundles.member("published", published)
            bundles.member("unchanged", unchanged)
            bundles.member("removed", removed)
            bundles.member("failed", failed)
            bundles.member("paused", paused)
            bundles.member("mended", mended)
            bundles.member("renewed", renewed)
        }
        line.member("bytesFetched", fetchedBytes)
        line.member("bytesResumed", resumedBytes)
        line.member("bytesCoalesced", coalescedBytes)
        line.member("bytesFromCouriers", courierBytes)
        line.member("bytesCopied", copiedBytes)
        line.member("bytesWritten", writtenBytes)
        line.member("requests", requestCount)
        line.member("durationSeconds", duration.inSeconds)
    }
}
