import ContentLibrary
import Jobs
import Platform

/// What is told of a run.
enum HistoryText {
    /// `2026-11-29T03:00:00Z refresh: 1 published, 3 unchanged, 0 failed; fetched 73.2 MB, resumed 0 B; 12.0 s, exit 0`.
    static func line(of run: RunRecord, at now: Timestamp) -> String {
        let start = "\(run.started.rfc3339) \(run.command)"
        guard let ended = run.ended, let exit = run.exit else {
            return "\(start): at work, or killed; begun \(HumanQuantity.age(run.started, at: now)) ago"
        }
        let duration = HumanQuantity.duration(.seconds(max(0, ended.seconds &- run.started.seconds)))
        return "\(start): " + (deeds(of: run) + ["\(duration), exit \(exit)"]).joined(separator: "; ")
    }

    /// What the counts mean depends on the command: who steers a library has none, and of what is mended nothing else is counted.
    private static func deeds(of run: RunRecord) -> [String] {
        let counts = run.counts
        var parts: [String]
        switch run.command {
        case SteeringCommands.rollback.name, SteeringCommands.pin.name, SteeringCommands.unpin.name,
            SteeringCommands.forget.name:
            return []
        case VerifyCommand.command.name: parts = ["\(counts.unchanged) mended", "\(counts.failed) failed"]
        default:
            parts = ["\(counts.published) published", "\(counts.unchanged) unchanged", "\(counts.failed) failed"]
        }
        if counts.paused > 0 { parts.append("\(counts.paused) paused") }
        if counts.mended > 0, run.command != VerifyCommand.command.name { parts.append("\(counts.mended) mended") }
        let stop = run.stop.flatMap(StopReason.init).map { ["stopped by \($0.cause)"] } ?? []
        return [parts.joined(separator: ", ")] + stop + [
            SummaryLine.traffic(
                fetched: counts.bytesFetched, fromCouriers: counts.bytesFromCouriers, copied: counts.bytesCopied,
                resumed: counts.bytesResumed)
        ]
    }
}
