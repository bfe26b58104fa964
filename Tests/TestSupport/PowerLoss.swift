/// What a disk may hold after the power was lost somewhere in a recorded run.
///
/// The model is weaker than any file system in use, so that what survives here survives there:
///
/// - A change of content, length, mode or time is on the disk once its file was flushed (`fsync`, `fdatasync`), or everything (`syncfs`). Until then
///   each of them is there, or isn't, or of a write only the first half is, whatever came of the others: so a file may be empty, short, torn, or have
///   zeros where nothing came.
/// - A change of names (create, link, rename, remove) is on the disk once its directory was flushed; of a rename either of the two. Until then each
///   is there or isn't, in whatever order, but never without the change before it that the same name or the same file was subject to. A rename is
///   one step.
/// - That a file was flushed says nothing of its name.
package struct PowerLoss: Sendable {
    private let before: DiskImage
    private let effects: [Effect]
    /// The moments that differ: before each flush, when most is still at stake, and at the end. The last is the first.
    private let moments: [Moment]

    struct Moment: Sendable {
        /// How many effects there were.
        let effectCount: Int
        /// Those that are on the disk for good.
        let durable: Set<Int>
        /// The others, oldest first.
        let pending: [Int]
    }

    /// A disk after a power loss.
    package struct State: Hashable, Sendable {
        /// Whether the run had ended.
        package let isAfterEnd: Bool
        fileprivate var kept: Set<Int>
        fileprivate var torn: Set<Int> = []

        package static func == (one: State, other: State) -> Bool { one.kept == other.kept && one.torn == other.torn }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(kept)
            hasher.combine(torn)
        }
    }

    /// - Parameters:
    ///   - before: the directory as it was when the run began: all of it was on the disk.
    ///   - calls: what the run did.
    package init(from before: DiskImage, _ calls: [RecordedCall]) {
        var history = History(before)
        for call in calls { history.add(call) }
        history.addMoment(isEnd: true)
        self.before = history.image
        effects = history.effects
        moments = history.moments.reversed()
    }

    /// How many changes of files were recorded.
    package var effectCount: Int { effects.count }

    /// The disk when the run had ended and all of it was written.
    package var end: State { State(isAfterEnd: true, kept: Set(effects.indices)) }

    /// All states, if there are no more than `limit`; otherwise so many of them, chosen at random.
    package func states(
        atMost limit: Int, using generator: inout some RandomNumberGenerator
    ) -> (states: [State], isComplete: Bool) {
        if let all = allStates(atMost: limit) { return (all, true) }
        var states: [State] = []
        var seen: Set<State> = []
        var attempts = 0
        while states.count < limit, attempts < 20 * limit {
            attempts += 1
            let state = randomState(using: &generator)
            if seen.insert(state).inserted { states.append(state) }
        }
        return (states, false)
    }

    /// Of states in which a disk holds the same, however that came about, one; those after the end first, of which most is asked.
    package func distinct(_ states: [State]) -> [State] {
        var seen: Set<Int> = []
        let ordered = states.filter(\.isAfterEnd) + states.filter { !$0.isAfterEnd }
        return ordered.filter { seen.insert(image(of: $0).fingerprint).inserted }
    }

    /// Makes the directory at `path` what it is in that state.
    package func write(_ state: State, to path: String) throws(SystemError) { try image(of: state).write(to: path) }

    private func image(of state: State) -> DiskImage {
        var image = before
        for index in state.kept.sorted() { effects[index].apply(to: &image, isTorn: state.torn.contains(index)) }
        return image
    }

    // MARK: Choosing

    private func allStates(atMost limit: Int) -> [State]? {
        var found: Set<State> = []
        for (number, moment) in moments.enumerated() {
            var open = [(State(isAfterEnd: number == 0, kept: moment.durable), 0)]
            while let (state, next) = open.popLast() {
                guard found.count + open.count <= limit else { return nil }
                guard next < moment.pending.count else {
                    found.insert(state)
                    continue
                }
                let index = moment.pending[next]
                open.append((state, next + 1))
                guard effects[index].needs.isSubset(of: state.kept) else { continue }
                var with = state
                with.kept.insert(index)
                open.append((with, next + 1))
                if effects[index].canBeTorn {
                    with.torn.insert(index)
                    open.append((with, next + 1))
                }
            }
        }
        return found.count <= limit ? Array(found) : nil
    }

    private func randomState(using generator: inout some RandomNumberGenerator) -> State {
        // The end lasts longest: every eighth is lost there.
        let isAfterEnd = Int.random(in: 0..<8, using: &generator) == 0
        let number = isAfterEnd ? 0 : Int.random(in: moments.indices, using: &generator)
        let moment = moments[number]
        var state = State(isAfterEnd: number == 0, kept: moment.durable)
        // Nearly nothing, about half, nearly everything, or all up to some change: as if each had been written at once.
        let kind = Int.random(in: 0..<4, using: &generator)
        let cut = Int.random(in: 0...moment.effectCount, using: &generator)
        for index in moment.pending where effects[index].needs.isSubset(of: state.kept) {
            let isKept = kind == 3 ? index < cut : Double.random(in: 0..<1, using: &generator) < [0.1, 0.5, 0.9][kind]
            guard isKept else { continue }
            state.kept.insert(index)
            if kind < 3, effects[index].canBeTorn, Int.random(in: 0..<4, using: &generator) == 0 {
                state.torn.insert(index)
            }
        }
        return state
    }

    // MARK: What was recorded

    /// One change.
    struct Effect: Sendable {
        enum Change: Sendable {
            case add(Name, DiskImage.NodeID)
            case move(Name, to: Name)
            case swap(Name, Name)
            case remove(Name)
            case write(DiskImage.NodeID, offset: Int, bytes: [UInt8])
            case truncate(DiskImage.NodeID, lengthBytes: Int)
            case setMode(DiskImage.NodeID, UInt32)
            case setTime(DiskImage.NodeID, seconds: Int, nanoseconds: Int)
        }

        let change: Change
        /// The changes without which it can't be.
        let needs: Set<Int>
    }

    struct Name: Hashable, Sendable {
        let directory: DiskImage.NodeID
        let name: FilePathBytes
    }
}

extension PowerLoss.Effect {
    private static let sectorBytes = 512

    var canBeTorn: Bool {
        if case .write(_, _, let bytes) = change { bytes.count > 1 } else { false }
    }

    func apply(to image: inout DiskImage, isTorn: Bool) {
        switch change {
        case .add(let name, let node): image.setEntry(name.name, in: name.directory, to: node)
        case .move(let old, let new):
            let node = image.node(old.name, in: old.directory)
            image.setEntry(old.name, in: old.directory, to: nil)
            image.setEntry(new.name, in: new.directory, to: node)
        case .swap(let one, let other):
            let (first, second) = (image.node(one.name, in: one.directory), image.node(other.name, in: other.directory))
            image.setEntry(one.name, in: one.directory, to: second)
            image.setEntry(other.name, in: other.directory, to: first)
        case .remove(let name): image.setEntry(name.name, in: name.directory, to: nil)
        case .write(let node, let offset, let bytes):
            // Disks write whole sectors; of a write that is shorter than two, any part may still have come with another.
            let half = bytes.count / 2
            let count =
                isTorn ? max(half / Self.sectorBytes * Self.sectorBytes, min(half, Self.sectorBytes)) : bytes.count
            image.changeFile(node) { file in
                let end = offset + count
                if file.content.count < end {
                    file.content += [UInt8](repeating: 0, count: end - file.content.count)
                }
                file.content.replaceSubrange(offset..<end, with: bytes[..<count])
            }
        case .truncate(let node, let length):
            image.changeFile(node) { file in
                let missing = length - file.content.count
                if missing > 0 {
                    file.content += [UInt8](repeating: 0, count: missing)
                } else {
                    file.content.removeLast(-missing)
                }
            }
        case .setMode(let node, let mode): image.setMode(node, mode)
        case .setTime(let node, let seconds, let nanoseconds):
            image.changeFile(node) { $0.modified = (seconds, nanoseconds) }
        }
    }
}

extension PowerLoss.Effect.Change {
    /// What is given a name.
    var addedNodes: [DiskImage.NodeID] {
        if case .add(_, let node) = self { [node] } else { [] }
    }

    /// The names that it changes the meaning of.
    var names: [PowerLoss.Name] {
        switch self {
        case .add(let name, _), .remove(let name): [name]
        case .move(let one, let other), .swap(let one, let other): [one, other]
        case .write, .truncate, .setMode, .setTime: []
        }
    }

    /// Whether a flush of this file or directory makes it last.
    func isFlushed(with flushed: DiskImage.NodeID) -> Bool {
        switch self {
        case .write(let node, _, _), .truncate(let node, _), .setMode(let node, _), .setTime(let node, _, _):
            node == flushed
        default: names.contains { $0.directory == flushed }
        }
    }
}
