import ContentLibrary
import Platform

/// Reads stored content, several files at once, and tells what of it isn't as its receipt says.
struct ContentVerifier: Sendable {
    /// Where directories and receipts are read.
    let walking: JobQueue
    /// Where files are read and hashed.
    let hashing: JobQueue
    /// How many files are handed out at once.
    let width: Int
    let pace: ReadPace
    let clock: RunClock
    /// When nothing further is begun, by the clock's uptime.
    let end: Duration?
    let control: RunControl

    struct Verdict: Sendable {
        /// What was read in this run.
        fileprivate(set) var files = 0
        fileprivate(set) var bytes: Int64 = 0
        /// The first findings; of `damageCount`.
        fileprivate(set) var damage: [ContentDamage] = []
        fileprivate(set) var damageCount = 0
        /// Whether the end was reached.
        fileprivate(set) var isComplete = false
        /// How far it came, where it didn't.
        fileprivate(set) var position: RelativePath?
        /// It was replaced or removed while it was being read: nothing is known of it.
        fileprivate(set) var isGone = false

        fileprivate mutating func note(_ found: [ContentDamage]) {
            damageCount += found.count
            damage += found.prefix(max(0, ContentVerifier.toldDamage - damage.count))
        }
    }

    /// How much of one content is told.
    private static let toldDamage = 100

    /// Whether nothing further is to be begun.
    var isOver: Bool { control.reason != nil || (end.map { clock.uptime() >= $0 } ?? false) }

    /// - Parameter position: where an earlier look had come to.
    func verify(
        _ address: StoreAddress, in library: Library, after position: RelativePath?
    ) async throws(RunProblem) -> Verdict {
        do throws(LibraryError) {
            return try await look(at: address, in: library, after: position)
        } catch {
            throw RunProblem(error)
        }
    }

    private func look(
        at address: StoreAddress, in library: Library, after position: RelativePath?
    ) async throws(LibraryError) -> Verdict {
        var verdict = Verdict()
        verdict.position = position
        let opened = try await walking.attempt { () throws(LibraryError) in try open(address, in: library, position) }
        switch opened {
        case .gone:
            verdict.isGone = true
        case .damaged(let damage):
            verdict.note([damage])
            verdict.isComplete = true
        case .content(let content, let identity, let inspection):
            try await read(inspection, &verdict)
            let isComplete = verdict.isComplete
            let isWhole = verdict.damageCount == 0
            let late = await walking.run { () -> ContentDamage? in
                isComplete && isWhole ? playbackDamage(of: content, inspection.directory) : nil
            }
            if let late { verdict.note([late]) }
            if verdict.damageCount > 0, await walking.run({ content.identity != identity }) {
                // A run has collected it, or put something else in its place.
                verdict = Verdict()
                verdict.isGone = true
            }
        }
        return verdict
    }

    private enum Opened: Sendable {
        case content(StoredContent, ContentIdentity?, ContentInspection)
        case damaged(ContentDamage)
        case gone
    }

    private func open(
        _ address: StoreAddress, in library: Library, _ position: RelativePath?
    ) throws(LibraryError) -> Opened {
        guard let content = try library.store.open(address) else {
            return try library.damageOfUnbelieved(address).map(Opened.damaged) ?? .gone
        }
        let identity = content.identity
        do {
            return .content(content, identity, try ContentInspection(content, after: position))
        } catch {
            // A run may be collecting it, whose receipt goes first.
            guard let identity, content.identity == identity else {
                return try library.damageOfUnbelieved(address).map(Opened.damaged) ?? .gone
            }
            return .damaged(
                error.code == .damaged
                    ? ContentDamage(nil, .receipt(error.message)) : ContentDamage(nil, .unreadable(error.message)))
        }
    }

    private func read(_ inspection: ContentInspection, _ verdict: inout Verdict) async throws(LibraryError) {
        let files = FileInspection(
            inspection.directory, willRead: pace.wait, isStopped: { [control] in control.reason != nil })
        repeat {
            // What was begun once is gone on with until a part of it is done: so every run gets further.
            let part: ContentInspection.Part
            do { part = try await walking.attempt { () throws(LibraryError) in try inspection.next() } } catch {
                guard error.code == .damaged else { throw error }
                verdict.note([ContentDamage(nil, .receipt(error.message))])
                verdict.isComplete = true
                return
            }
            var isStopped = false
            var found = part.damage
            await TaskWindow.run(part.files.count, width: width) { [hashing, control] number in
                await hashing.run {
                    let verdict = files.inspect(part.files[number])
                    control.noteActivity()
                    return verdict
                }
            } take: { number, outcome in
                switch outcome {
                case .whole: break
                case .damaged(let damage): found.append(damage)
                case .stopped: isStopped = true
                }
                return !isStopped
            }
            if isStopped || control.reason != nil { return }
            verdict.note(found)
            verdict.files += part.files.count
            verdict.bytes = part.files.reduce(verdict.bytes) { $0.addingClamped($1.expected.sizeBytes) }
            verdict.position = part.end
            verdict.isComplete = part.end == nil
        } while !verdict.isComplete && !isOver
    }

    /// What a player would stop at, though every byte is as it was.
    private func playbackDamage(of content: StoredContent, _ directory: Directory) -> ContentDamage? {
        guard content.header.origin.kind == "hls" else { return nil }
        do throws(BundleFailure) {
            try PlaylistVerdict.check(directory) { _ in }
            return nil
        } catch {
            let place = error.url.map { "'\(escapedText($0))': " } ?? ""
            return ContentDamage(nil, .unplayable("it would not play: \(place)\(error.message)"))
        }
    }
}
