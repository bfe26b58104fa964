import Jobs

/// The line at the end of a run, or of a fetch.
struct SummaryLine {
    let text: String

    /// `2 published, 1 unchanged, 0 failed; fetched 73.2 MB, resumed 0 B; 1.5 s`, or that there was nothing to do.
    init(_ summary: RunSummary, _ exit: ExitCode) {
        var counts = ["\(summary.published) published", "\(summary.unchanged) unchanged", "\(summary.failed) failed"]
        if summary.removed > 0 { counts.append("\(summary.removed) removed") }
        if summary.paused > 0 { counts.append("\(summary.paused) paused") }
        if summary.mended > 0 { counts.append("\(summary.mended) mended") }
        if summary.renewed > 0 { counts.append("\(summary.renewed) fetched anew") }
        let news =
            summary.published + summary.failed + summary.paused + summary.mended + summary.removed
            + summary.renewed
        // A manifest of a higher serial is published even where its bundles are the same.
        if news == 0, let generation = summary.generation { counts.append("generation \(generation) published") }
        let isIdle = exit == .success && news == 0 && summary.generation == nil
        if let stop = summary.stop { counts.append("stopped by \(stop.cause)") }
        text = (isIdle ? "nothing to do: " : "") + counts.joined(separator: ", ") + Self.figures(summary)
    }

    /// `fetched 73.2 MB, resumed 0 B; 1.5 s`, after a word when the file isn't there.
    init(ofFetch summary: RunSummary) {
        let outcome =
            switch summary {
            case _ where summary.unchanged > 0: "nothing to do: the file is there"
            case _ where summary.failed > 0: "failed"
            case _ where summary.paused > 0: "paused"
            case _ where summary.published > 0: "complete"
            default: "failed"
            }
        text = outcome + Self.figures(summary)
    }

    private static func figures(_ summary: RunSummary) -> String {
        let traffic = traffic(
            fetched: summary.fetchedBytes, fromCouriers: summary.courierBytes, copied: summary.copiedBytes,
            resumed: summary.resumedBytes)
        return "; \(traffic); \(HumanQuantity.duration(summary.duration))"
    }

    /// `fetched 73.2 MB, resumed 0 B`, and between them what came otherwise.
    static func traffic(fetched: Int64, fromCouriers: Int64, copied: Int64, resumed: Int64) -> String {
        var parts = ["fetched \(HumanQuantity.bytes(fetched))"]
        if fromCouriers > 0 { parts.append("from couriers \(HumanQuantity.bytes(fromCouriers))") }
        if copied > 0 { parts.append("copied \(HumanQuantity.bytes(copied))") }
        parts.append("resumed \(HumanQuantity.bytes(resumed))")
        return parts.joined(separator: ", ")
    }
}
