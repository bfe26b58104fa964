import ContentLibrary
import Downloads
import Platform
import Transfer

/// Keeps what sources sent in the place of what has a digest, for whoever wants to look, and notes in the library's index who did: so that the
/// same wrong bytes aren't fetched by every run.
final class Quarantine: Sendable {
    private let directory: Directory
    private let writer: LibraryWriter
    private let history: RunHistory
    private let observer: RunObserver

    /// The newest stay, whatever their size; they are the first to go when room is short.
    private static let keptFiles = 2
    private static let suffix = Array(".bytes".utf8)

    init(_ writer: LibraryWriter, _ history: RunHistory, _ observer: @escaping RunObserver) {
        self.writer = writer
        directory = writer.library.quarantine
        self.history = history
        self.observer = observer
    }

    /// Takes in what has another digest than the one asked for. Pages for people are no fault of whom they claim to be from, and aren't kept.
    /// - Returns: what it seems to be, for people; nil for nothing in particular.
    @Sendable func take(_ wrong: WrongBytes) -> String? {
        if HTMLPage.begins(wrong.head(limitBytes: HTMLPage.headBytes)) { return HTMLPage.found(insteadOf: "the file") }
        history.noteWrongBytes(from: wrong.url, insteadOf: wrong.wantedDigest)
        // Nothing depends on it: where it can't be kept it goes, as it would have without.
        guard let name = try? RelativePath("\(wrong.digest).bytes"),
            (try? wrong.move(to: name, in: directory)) != nil
        else { return nil }
        let kind = RunEvent.Kind.bytesQuarantined(bytes: wrong.sizeBytes, name: "\(name)")
        observer(RunEvent(time: .now, url: "\(wrong.url)", kind: kind))
        remove(allBut: Self.keptFiles)
        return nil
    }

    /// Lets everything go, for want of room: damaged content that was replaced, too, unless a reader may still have it.
    func clear() {
        remove(allBut: 0)
        _ = try? writer.discardReplacedContent(keeping: 0, olderThan: .zero)
    }

    private func remove(allBut count: Int) {
        guard let names = try? directory.names() else { return }
        let files = names.filter { $0.bytes.suffix(Self.suffix.count) == Self.suffix[...] }.map { name in
            (name: name, time: (try? directory.status(of: name))?.modified ?? Timestamp(seconds: 0))
        }
        for file in files.sorted(by: { $0.time > $1.time }).dropFirst(count) { try? directory.remove(file.name) }
    }
}
