import Platform

/// Files that are read on all cores; what is known of them comes out in the order in which they went in.
final class InspectionLine {
    /// How far the line has come: files have numbers, and `told ... taken ... given` is their order.
    private struct State {
        var waiting: [Int: InspectionItem] = [:]
        /// Nil: what is no file of the manifest's.
        var facts: [Int: (item: InspectionItem, facts: FileFacts?)] = [:]
        /// The first one that there was: nothing is told any more.
        var failure: CreationProblem?
        var (given, taken, told) = (0, 0, 0)
        var isOver = false
    }

    private let state = Monitor(State())
    /// Apart from the state, so that whoever reads can look without waking anybody.
    private let isLeft = Locked(false)
    private let threads: [WorkerThread]

    /// So many that all cores have work while one of them reads a large file; each takes a few hundred bytes.
    private static let mostFiles = 4096

    /// - Throws: where not even one thread can be had.
    init(_ selection: FileSelection, _ observer: CreationObserver) throws(CreationProblem) {
        let cores = Processors.count
        let (state, isLeft) = (state, isLeft)
        var observer = observer
        observer.shouldStop = { [shouldStop = observer.shouldStop] in shouldStop() || isLeft.withLock { $0 } }
        let watched = observer
        var threads: [WorkerThread] = []
        for _ in 0..<cores {
            do throws(SystemError) {
                threads.append(try WorkerThread(ifGranted: "hash") { Self.work(state, selection, watched) })
            } catch {
                // With fewer it only takes longer.
                guard !threads.isEmpty else { throw .system(error) }
                break
            }
        }
        self.threads = threads
    }

    /// Nobody wants to know any more what is still being read.
    deinit {
        isLeft.withLock { $0 = true }
        state.change { $0.isOver = true }
        for thread in threads { thread.join() }
    }

    /// Puts a file in; waits where too many are in the line.
    /// - Parameter tell: called for files that went in earlier.
    func add(
        _ item: InspectionItem, tell: (InspectionItem, FileFacts) throws(CreationProblem) -> Void
    ) throws(CreationProblem) {
        try advance(untilAtMost: Self.mostFiles - 1, tell)
        state.change { state in
            state.waiting[state.given] = item
            state.given += 1
        }
    }

    /// Waits until all files are told.
    func finish(tell: (InspectionItem, FileFacts) throws(CreationProblem) -> Void) throws(CreationProblem) {
        try advance(untilAtMost: 0, tell)
    }

    private func advance(
        untilAtMost most: Int, _ tell: (InspectionItem, FileFacts) throws(CreationProblem) -> Void
    ) throws(CreationProblem) {
        while let next = try next(untilAtMost: most).get() {
            if let facts = next.facts { try tell(next.item, facts) }
        }
    }

    /// The next file that is told; nil once no more than so many are in the line.
    private func next(
        untilAtMost most: Int
    ) -> Result<(item: InspectionItem, facts: FileFacts?)?, CreationProblem> {
        state.wait { state in
            if let failure = state.failure { return .failure(failure) }
            if let next = state.facts.removeValue(forKey: state.told) {
                state.told += 1
                return .success(next)
            }
            return state.given - state.told <= most ? .success(nil) : nil
        }
    }

    private static func work(_ state: Monitor<State>, _ selection: FileSelection, _ observer: CreationObserver) {
        let inspector = FileInspector(selection, observer)
        while let (number, item) = take(state) {
            do throws(CreationProblem) {
                let facts = try inspector.inspect(item)
                state.change { $0.facts[number] = (item, facts) }
            } catch {
                state.change { $0.failure = $0.failure ?? error }
            }
        }
    }

    /// The next file to be read; nil once there will be none.
    private static func take(_ state: Monitor<State>) -> (number: Int, item: InspectionItem)? {
        state.wait { state in
            if state.isOver { return .some(nil) }
            guard let item = state.waiting.removeValue(forKey: state.taken) else { return nil }
            defer { state.taken += 1 }
            return .some((state.taken, item))
        }
    }
}
