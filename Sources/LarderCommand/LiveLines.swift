import Glibc
import Platform

/// Lines at the end of a terminal that are redrawn in place a few times a second; other lines scroll by above them. Off a terminal nothing is drawn.
final class LiveLines: Sendable {
    typealias Painter = @Sendable (_ columns: Int, _ rows: Int) -> [String]

    private struct State {
        /// How wide the lines are that are on the screen now.
        var drawn: [Int] = []
        var isRunning = false
    }

    private let isLive: Bool
    private let state = Locked(State())
    private let paint: Painter

    /// - Parameter paint: makes the lines, for a terminal of that size.
    init(isLive: Bool, _ paint: @escaping Painter) {
        self.isLive = isLive
        self.paint = paint
    }

    /// Prints a line above.
    func print(_ line: String) {
        state.withLock { state in
            Console.writeError(Self.erasing(state.drawn) + line + "\n")
            state.drawn = []
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

    /// Takes the lines off the screen.
    func end() {
        state.withLock { state in
            state.isRunning = false
            if !state.drawn.isEmpty { Console.writeError(Self.erasing(state.drawn)) }
            state.drawn = []
        }
    }

    private func draw() {
        let size = Terminal.size(STDERR_FILENO)
        state.withLock { state in
            guard state.isRunning else { return }
            // A line that fills the last column would wrap.
            let lines = paint(max(10, size.columns - 1), size.rows)
            Console.writeError(Self.erasing(state.drawn) + lines.map { $0 + "\n" }.joined())
            state.drawn = lines.map(\.count)
        }
    }

    /// Moves up over what was drawn and erases to the end of the screen; from the first column, since a terminal that echoes `^C` moves on. One that has become
    /// narrower has broken the lines that were too wide, as nearly all do.
    private static func erasing(_ widths: [Int]) -> String {
        guard !widths.isEmpty else { return "" }
        let columns = Terminal.size(STDERR_FILENO).columns
        let rows = widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
        return "\r\u{1b}[\(rows)A\u{1b}[J"
    }
}
