import Platform
import Playlists

/// How much of a bundle's segments is here, in files, bytes and time of play; told a few times a second.
final class SegmentProgress: Sendable {
    private struct State {
        var figures = SegmentFigures()
        var lastTold: ContinuousClock.Instant?
    }

    private let state = Locked(State())
    private let emit: @Sendable (RunEvent.Kind) -> Void
    private static let interval: Duration = .milliseconds(200)

    init(emit: @escaping @Sendable (RunEvent.Kind) -> Void) { self.emit = emit }

    /// What is to come in all, as far as that is known.
    func expect(files: Int, duration: Duration?) {
        state.withLock { ($0.figures.totalFiles, $0.figures.totalDuration) = (files, duration) }
    }

    func expect(_ resources: [PlannedResource]) {
        expect(files: resources.count, duration: resources.reduce(.zero) { $0 + $1.duration })
    }

    /// How many files are here.
    var fileCount: Int { state.withLock { $0.figures.files } }

    /// A file is here.
    func note(_ bytes: Int64, _ duration: Duration) {
        let now = ContinuousClock.now
        let figures = state.withLock { state -> SegmentFigures? in
            state.figures.files += 1
            state.figures.bytes.addClamped(bytes)
            state.figures.duration += duration
            guard
                state.figures.files == state.figures.totalFiles
                    || state.lastTold.map({ now - $0 >= Self.interval }) ?? true
            else { return nil }
            state.lastTold = now
            return state.figures
        }
        if let figures { emit(.segmentProgress(figures)) }
    }
}

/// How much of a bundle's segments is here.
package struct SegmentFigures: Hashable, Sendable {
    /// Segments, and what is needed to play them.
    package var files = 0
    package var totalFiles = 0
    package var bytes: Int64 = 0
    package var duration: Duration = .zero
    /// Nil where nobody knows it.
    package var totalDuration: Duration?

    package init() {}
}
