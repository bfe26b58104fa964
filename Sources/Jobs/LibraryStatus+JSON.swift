import ContentLibrary
import Downloads
import JSONSyntax
import Platform

/// `larder status --json`, for scripts, and for `larder export` on another machine: see `Manifests.md`. Members may be added, none changes its meaning.
extension LibraryStatus {
    package static let format = "larder-status/1"

    /// One line, without its end.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { status in
            status.member("format", Self.format)
            status.member("library", path)
            status.member("time", time.rfc3339)
            status.member("generation", current?.value)
            status.member("published", published?.rfc3339)
            status.member("generations", generations.map(\.value))
            status.key("pin")
            status.write(pin) { $1.write(to: &$0) }
            status.member("writingProcess", writingProcess)
            status.member("hasIndex", hasIndex)
            status.key("lastRun")
            status.write(lastRun) { $1.write(to: &$0) }
            status.array("refused") { list in
                for refusal in refusals { refusal.write(to: &list) }
            }
            status.object("disk") { disk in
                disk.member("freeBytes", self.disk.freeBytes)
                disk.member("totalBytes", self.disk.totalBytes)
                disk.member("contentBytes", contentBytes)
                disk.member("unfinishedBytes", self.disk.unfinishedBytes)
                disk.member("quarantineBytes", self.disk.quarantineBytes)
            }
            status.array("manifests") { list in
                for manifest in manifests { manifest.write(to: &list) }
            }
            status.array("unfinished") { list in
                for download in unfinished { download.write(to: &list) }
            }
            status.member("problems", problems)
        }
        return writer.bytes
    }
}

extension ManifestStatus {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { manifest in
            manifest.member("id", id.description)
            manifest.member("serial", serial)
            manifest.member("expires", expires?.rfc3339)
            manifest.member("lastSuccess", lastSuccess?.rfc3339)
            manifest.member("lastComplete", lastComplete?.rfc3339)
            manifest.array("bundles") { list in
                for bundle in bundles { bundle.write(to: &list) }
            }
        }
    }
}

extension BundleStatus {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { bundle in
            bundle.member("id", id.description)
            bundle.member("state", state.rawValue)
            let origin = content?.header.origin
            bundle.member("version", origin?.version)
            bundle.member("kind", origin?.kind)
            bundle.member("store", origin.map { "\($0.address.name)" })
            bundle.member("key", origin?.key.description)
            bundle.member("created", origin?.created.rfc3339)
            bundle.member("bytes", content?.header.contentBytes)
            bundle.member("files", content?.header.entryCount)
            bundle.member("url", content?.firstURL.map(shownURL))
            bundle.member("sources", content?.sourceDigests.map(\.description))
            bundle.member("lastSuccess", record?.lastSuccess?.rfc3339)
            bundle.member("lastFailure", record?.lastFailure?.rfc3339)
            bundle.member("failure", record?.failure)
            bundle.member("failures", record?.failureCount)
            bundle.member("nextTry", record?.nextTry?.rfc3339)
            bundle.key("paused")
            bundle.write(record?.pause) { writer, pause in
                writer.object {
                    $0.member("time", pause.time.rfc3339)
                    $0.member("plannedBytes", pause.plannedBytes)
                    $0.member("heldBytes", pause.heldBytes)
                }
            }
            bundle.member("stagedFiles", staged?.files)
            bundle.member("stagedBytes", staged?.bytes)
        }
    }
}

extension LibraryPin {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { pin in
            pin.member("generation", generation.value)
            pin.member("created", created.rfc3339)
            pin.key("manifests")
            switch hold {
            case .everything: pin.null()
            case .serials(let serials):
                pin.object { held in
                    for (manifest, serial) in serials.sorted(by: { $0.key < $1.key }) {
                        held.member(manifest.description, serial)
                    }
                }
            }
        }
    }
}

extension RunRecord {
    /// As `larder history --json` shows it, too.
    package func write(to writer: inout JSONWriter) {
        writer.object { run in
            run.member("id", id)
            run.member("command", command)
            run.member("started", started.rfc3339)
            run.member("ended", ended?.rfc3339)
            run.member("exit", exit)
            run.object("bundles") { bundles in
                bundles.member("published", counts.published)
                bundles.member("unchanged", counts.unchanged)
                bundles.member("failed", counts.failed)
                bundles.member("paused", counts.paused)
                bundles.member("mended", counts.mended)
            }
            run.member("bytesFetched", counts.bytesFetched)
            run.member("bytesResumed", counts.bytesResumed)
            run.member("bytesFromCouriers", counts.bytesFromCouriers)
            run.member("bytesCopied", counts.bytesCopied)
            run.member("stopped", stop)
        }
    }
}

extension RefusalRecord {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { refusal in
            refusal.member("reason", reason)
            refusal.member("since", since.rfc3339)
            refusal.member("last", last.rfc3339)
        }
    }
}

extension PausedDownload {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { download in
            download.member("url", url.map(shownURL))
            download.member("sha256", digest?.description)
            download.member("heldBytes", heldBytes)
            download.member("totalBytes", totalBytes)
            download.member("modified", modified.rfc3339)
        }
    }
}

extension JSONWriter {
    /// `nil` is `null`.
    fileprivate mutating func write<Value>(_ value: Value?, _ body: (inout JSONWriter, Value) -> Void) {
        if let value { body(&self, value) } else { null() }
    }
}
