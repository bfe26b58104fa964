import Jobs

/// What `--dry-run` prints: a line a bundle, and the sums.
struct DryRunText {
    let text: String

    init(_ report: DryRun.Report) {
        var lines = report.steps.map { step in
            let size = step.state == .fetch && step.bytes > 0 ? "  \(HumanQuantity.bytes(step.bytes))" : ""
            return "\(Self.verb(step.state))  \(step.bundle)\(size)\(step.reason.map { ": \($0)" } ?? "")"
        }
        if !report.steps.isEmpty {
            let free = report.freeBytes.map { ", \(HumanQuantity.bytes($0)) are free" } ?? ""
            lines.append(
                "would fetch \(HumanQuantity.bytes(report.fetchedBytes)); needs at least \(HumanQuantity.bytes(report.peakBytes)) of disk\(free)"
            )
        }
        text = lines.map { $0 + "\n" }.joined()
    }

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
