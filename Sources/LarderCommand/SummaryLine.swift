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
        let news = summary.published + summary.failed + summary.paused + summary.mended + summary.removed
        let isIdle = exit == .success && news == 0
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
        "; fetched \(HumanQuantity.bytes(summary.fetchedBytes)), resumed \(HumanQuantity.bytes(summary.resumedBytes))"
            + "; \(HumanQuantity.duration(summary.duration))"
    }
}
