import Glibc
import Jobs
import Platform

/// The live display on a terminal: redrawn in place a few times a second; other lines scroll by above it. Off a terminal it draws nothing.
final class ProgressDisplay: Sendable {
    private struct State {
        var model = ProgressModel()
        /// Lines that are on the screen now.
        var drawn = 0
        var isRunning = false
    }

    private let isLive: Bool
    private let state = Locked(State())

    init(isLive: Bool) { self.isLive = isLive }

    func take(_ event: RunEvent) { state.withLock { $0.model.take(event) } }

    /// The run in one line.
    var totalLine: String {
        let model = state.withLock { $0.model }
        return ProgressPainter(columns: 120, rows: 2).total(model)
    }

    /// Prints a line above the display.
    func print(_ line: String) {
        state.withLock { state in
            Console.writeError(Self.erasing(state.drawn) + line + "\n")
            state.drawn = 0
        }
    }

    /// Redraws until `end`.
    func start() {
        guard isLive else { return }
        state.withLock { $0.isRunning = true }
        Task { [self] in
            while state.withLock({ $0.isRunning }) {
                draw()
                try? await Task.sleep(for: .milliseconds(125))
            }
        }
    }

    /// Takes the display off the screen.
    func end() {
        state.withLock { state in
            state.isRunning = false
            if state.drawn > 0 { Console.writeError(Self.erasing(state.drawn)) }
            state.drawn = 0
        }
    }

    private func draw() {
        let size = Terminal.size(STDERR_FILENO)
        // A line that fills the last column would wrap.
        let painter = ProgressPainter(columns: max(10, size.columns - 1), rows: size.rows)
        state.withLock { state in
            guard state.isRunning else { return }
            let lines = painter.lines(state.model)
            Console.writeError(Self.erasing(state.drawn) + lines.map { $0 + "\n" }.joined())
            state.drawn = lines.count
        }
    }

    /// Moves up over what was drawn and erases to the end of the screen; from the first column, since a terminal that echoes `^C` moves on.
    private static func erasing(_ lines: Int) -> String { lines > 0 ? "\r\u{1b}[\(lines)A\u{1b}[J" : "" }
}
