import ManifestAuthoring
import Platform

/// How far `larder manifest create` has come, as a line on a terminal.
final class CreationProgress: AuthoringProgress {
    struct Figures: Sendable {
        var files = 0
        var totalBytes: Int64 = 0
        var readBytes: Int64 = 0
        /// Since the first byte was read.
        var seconds = 0.0

        /// `12 files, 3.2 GB of 10.0 GB read, 1.1 GB a second`.
        var line: String {
            let found = HumanQuantity.count(files, "file", "files")
            guard readBytes > 0 else { return "\(found), \(HumanQuantity.bytes(totalBytes)) found" }
            let read = "\(found), \(HumanQuantity.bytes(readBytes)) of \(HumanQuantity.bytes(totalBytes)) read"
            guard seconds >= 1 else { return read }
            return read + ", \(HumanQuantity.bytes(Int64(Double(readBytes) / seconds))) a second"
        }
    }

    private struct State {
        var figures = Figures()
        var began: ContinuousClock.Instant?
    }

    private let state: Locked<State>
    private let lines: LiveLines

    init(isLive: Bool) {
        let state = Locked(State())
        self.state = state
        lines = LiveLines(isLive: isLive) { columns, _ in [String(Self.line(state).prefix(columns))] }
    }

    /// The state in one line.
    var line: String { Self.line(state) }

    private static func line(_ state: Locked<State>) -> String {
        state.withLock { state in
            var figures = state.figures
            if let began = state.began { figures.seconds = (ContinuousClock.now - began) / .seconds(1) }
            return figures.line
        }
    }

    func start() { lines.start() }

    func end() { lines.end() }

    /// What the making of a manifest is watched by.
    func observer(_ style: OutputStyle, shouldStop: @escaping @Sendable () -> Bool) -> CreationObserver {
        CreationObserver(
            shouldStop: shouldStop,
            didFind: { [state] files, bytes in
                state.withLock { state in
                    state.figures.files = files
                    state.figures.totalBytes = bytes
                }
            },
            didRead: { [state] count in
                state.withLock { state in
                    state.began = state.began ?? .now
                    state.figures.readBytes += Int64(count)
                }
            },
            warn: { [lines] line in lines.print("\(style.warningLabel) \(line)") })
    }
}
