import ManifestAuthoring
import Platform

/// How far `larder manifest import` has come, as a line on a terminal.
final class ImportProgress: AuthoringProgress {
    private struct Figures {
        var files = 0
        var hashedFiles = 0
        var readBytes: Int64 = 0

        /// `12 files listed, 3 of them hashed, 1.2 GB read`.
        var line: String {
            let listed = "\(HumanQuantity.count(files, "file", "files")) listed"
            guard readBytes > 0 || hashedFiles > 0 else { return listed }
            return "\(listed), \(hashedFiles) of them hashed, \(HumanQuantity.bytes(readBytes)) read"
        }
    }

    private let figures: Locked<Figures>
    private let lines: LiveLines

    init(isLive: Bool) {
        let figures = Locked(Figures())
        self.figures = figures
        lines = LiveLines(isLive: isLive) { columns, _ in [String(figures.withLock { $0.line }.prefix(columns))] }
    }

    /// The state in one line.
    var line: String { figures.withLock { $0.line } }

    func start() { lines.start() }

    func end() { lines.end() }

    /// What the import is watched by.
    func observer(_ style: OutputStyle, shouldStop: @escaping @Sendable () -> Bool) -> ImportObserver {
        ImportObserver(
            shouldStop: shouldStop,
            didList: { [figures] count in figures.withLock { $0.files += count } },
            didRead: { [figures] bytes in figures.withLock { $0.readBytes += bytes } },
            didHash: { [figures] in figures.withLock { $0.hashedFiles += 1 } },
            warn: { [lines] line in lines.print("\(style.warningLabel) \(line)") })
    }
}
