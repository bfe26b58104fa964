import ContentLibrary
import Platform

/// What a run did and how old everything is, as Prometheus reads it (its text format, version 0.0.4): for node_exporter's textfile collector.
struct RunMetrics {
    /// The last run that was carried out; nil where nobody knows of any.
    let run: Run?
    /// Why the latest one wasn't; nil: it was.
    let skip: RunSkip.Reason?
    var manifests: [ManifestRecord] = []
    var bundles: [BundleAddress: BundleRecord] = [:]
    /// Bytes that were obtained for a bundle in this run; nil where there was none.
    let obtainedBytes: [BundleAddress: Int64]?
    /// Nil where nobody knows.
    var monthBytes: Int64?
    var distrustedSources: Int?

    /// How a run went.
    struct Run {
        let ended: Timestamp
        let exit: Int32
        let duration: Duration
        let fetchedBytes: Int64
        /// Nil where nobody remembers.
        let requestCount: Int?
        let bundles: [(state: String, count: Int)]

        init(ended: Timestamp, exit: ExitCode, _ summary: RunSummary) {
            self.ended = ended
            self.exit = exit.rawValue
            duration = summary.duration
            fetchedBytes = summary.fetchedBytes
            requestCount = summary.requestCount
            bundles = [
                ("published", summary.published), ("unchanged", summary.unchanged), ("failed", summary.failed),
                ("paused", summary.paused),
            ]
        }

        /// - Returns: nil for one that has no end.
        init?(_ record: RunRecord) {
            guard let ended = record.ended, let exit = record.exit else { return nil }
            let counts = record.counts
            self.ended = ended
            self.exit = exit
            duration = .seconds(ended.seconds &- record.started.seconds)
            fetchedBytes = counts.bytesFetched
            requestCount = nil
            bundles = [
                ("published", counts.published), ("unchanged", counts.unchanged), ("failed", counts.failed),
                ("paused", counts.paused),
            ]
        }
    }

    var text: String {
        var lines: [String] = []
        func metric(_ name: String, _ help: String, _ samples: [(labels: String, value: String)]) {
            guard !samples.isEmpty else { return }
            lines += ["# HELP larder_\(name) \(help)", "# TYPE larder_\(name) gauge"]
            lines += samples.map { "larder_\(name)\($0.labels) \($0.value)" }
        }
        func single(_ name: String, _ help: String, _ value: (some CustomStringConvertible)?) {
            if let value { metric(name, help, [("", "\(value)")]) }
        }
        metric(
            "run_skipped", "Whether the latest run was not begun, and why.",
            RunSkip.Reason.allCases.map { ("{reason=\"\($0.rawValue)\"}", $0 == skip ? "1" : "0") })
        single("last_run_timestamp_seconds", "When the last run ended.", run?.ended.seconds)
        single("last_run_exit_code", "How it ended: 0 is a success, 3 a pause.", run?.exit)
        single("last_run_duration_seconds", "How long it took.", run?.duration.inSeconds)
        single("last_run_fetched_bytes", "Body bytes that it received.", run?.fetchedBytes)
        single("last_run_requests", "Requests that it sent.", run?.requestCount)
        metric(
            "last_run_bundles", "What became of its bundles.",
            run?.bundles.map { ("{state=\"\($0.state)\"}", "\($0.count)") } ?? [])
        single("month_fetched_bytes", "Body bytes that all runs of this month received.", monthBytes)
        single(
            "distrusted_sources",
            "Sources that are left alone for a while: they sent other bytes than the ones asked for.",
            distrustedSources)
        metric(
            "manifest_last_success_timestamp_seconds",
            "When all that a run was asked for of a manifest was last up to date.",
            manifests.compactMap { record in
                record.lastSuccess.map { ("{manifest=\"\(record.manifest)\"}", "\($0.seconds)") }
            })
        metric(
            "manifest_serial", "The serial of what is published.",
            manifests.map { ("{manifest=\"\($0.manifest)\"}", "\($0.serial)") })
        let complete = Dictionary(
            manifests.compactMap { record in record.lastComplete.map { (record.manifest, $0) } },
            uniquingKeysWith: { max($0, $1) })
        let known = bundles.sorted { $0.key < $1.key }
        metric(
            "bundle_last_success_timestamp_seconds", "When a bundle was last known to be up to date.",
            known.compactMap { bundle, record in
                // A manifest that is complete has all of its bundles.
                [record.lastSuccess, complete[bundle.manifest]].compactMap(\.self).max()
                    .map { (Self.labels(bundle), "\($0.seconds)") }
            })
        metric(
            "bundle_failures", "Failures of a bundle in a row.",
            known.map { (Self.labels($0), "\($1.failureCount)") })
        metric(
            "bundle_last_run_obtained_bytes", "Bytes of the files that the last run obtained for a bundle.",
            obtainedBytes.map { bytes in known.map { (Self.labels($0.key), "\(bytes[$0.key] ?? 0)") } } ?? [])
        return lines.map { $0 + "\n" }.joined()
    }

    /// Ids have no character that would have to be escaped.
    private static func labels(_ bundle: BundleAddress) -> String {
        "{manifest=\"\(bundle.manifest)\",bundle=\"\(bundle.bundle)\"}"
    }

    /// Puts the text at `path` in one step.
    /// - Returns: what went wrong, in a line.
    func write(to path: String) -> String? {
        do {
            try Directory.replaceFile(named: path, with: Array(text.utf8))
            return nil
        } catch {
            return "the metrics could not be written: \(error)"
        }
    }
}
