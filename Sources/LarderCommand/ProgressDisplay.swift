import Jobs
import Platform

/// The live display of a run on a terminal.
final class ProgressDisplay: Sendable {
    private let model: Locked<ProgressModel>
    private let lines: LiveLines

    init(isLive: Bool) {
        let model = Locked(ProgressModel())
        self.model = model
        lines = LiveLines(isLive: isLive) { columns, rows in
            ProgressPainter(columns: columns, rows: rows).lines(model.withLock { $0 })
        }
    }

    func take(_ event: RunEvent) { model.withLock { $0.take(event) } }

    /// The run in one line.
    var totalLine: String { ProgressPainter(columns: 120, rows: 2).total(model.withLock { $0 }) }

    /// Prints a line above the display.
    func print(_ line: String) { lines.print(line) }

    /// Redraws until `end`.
    func start() { lines.start() }

    /// Takes the display off the screen.
    func end() { lines.end() }
}
