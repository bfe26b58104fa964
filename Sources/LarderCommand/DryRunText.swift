import Jobs

/// What `--dry-run` prints: a line a bundle, and the sums.
struct DryRunText {
    let text: String

    init(_ report: DryRun.Report) {
        var lines = report.steps.map { step in
            let size = step.state == .fetch && step.bytes > 0 ? "  \(HumanQuantity.bytes(step.bytes))" : ""
            return "\(Self.verb(step.state))  \(step.bundle)\(size)\(step.reason.map { ": \($0)" } ?? "")"
        }
        if !report.steps.isEmpty { lines.append(Self.sums(report)) }
        text = lines.map { $0 + "\n" }.joined()
    }

    private static func sums(_ report: DryRun.Report) -> String {
        let free = report.freeBytes.map { ", \(HumanQuantity.bytes($0)) are free" } ?? ""
        let peak = HumanQuantity.bytes(report.peakBytes)
        let fetch = "would fetch \(HumanQuantity.bytes(report.fetchedBytes))"
        guard !report.unboundedBundles.isEmpty else { return "\(fetch); takes at most \(peak) more of disk\(free)" }
        let named = report.unboundedBundles.prefix(namedBundles).joined(separator: ", ")
        let others = report.unboundedBundles.count - namedBundles
        let more = others > 0 ? " and \(HumanQuantity.count(others, "other", "others"))" : ""
        return "\(fetch); takes \(peak) more of disk, and what nobody knows beforehand for \(named)\(more)\(free)"
    }

    /// The others are only counted.
    private static let namedBundles = 5

    private static func verb(_ state: BundlePlan.State?) -> String {
        switch state {
        case .unchanged: "unchanged "
        case .revalidate: "ask server"
        case .mend: "mend"
        case .fetch: "fetch     "
        case .impossible: "fail      "
        case nil: "remove    "
        }
    }
}
