import Jobs
import Transfer

/// Asks many sources, some after the others, no more at once than the limits allow, and none of an origin that leaves one request after the other
/// unanswered.
struct SourceInterview {
    /// Asks one source.
    let ask: @Sendable (ProbedSource) async -> SourceAnswer
    let limits: OnlineLimits
    /// Whether nothing is asked any more.
    let isOver: @Sendable () -> Bool
    /// How many sources in a row each origin has left unanswered by now.
    private var silences: [TransferURL.Origin: Int] = [:]

    private typealias Answered = (index: Int, answer: SourceAnswer)

    init(
        limits: OnlineLimits, isOver: @escaping @Sendable () -> Bool,
        ask: @escaping @Sendable (ProbedSource) async -> SourceAnswer
    ) {
        (self.limits, self.isOver, self.ask) = (limits, isOver, ask)
    }

    /// - Parameter sources: each once.
    /// - Returns: an answer for each source, in their order.
    mutating func answers(of sources: [ProbedSource]) async -> [SourceAnswer] {
        let slots = RequestSlots(limits.exchanges)
        let origins = Dictionary(grouping: sources.indices) { sources[$0].url.origin }
        var all = [SourceAnswer](repeating: .notAsked(.stopped), count: sources.count)
        await withTaskGroup(of: (TransferURL.Origin, [Answered], silences: Int).self) { group in
            for (origin, indices) in origins {
                group.addTask { [self] in
                    let (answers, silences) = await answers(of: indices, among: sources, of: origin, slots)
                    return (origin, answers, silences)
                }
            }
            for await (origin, some, silences) in group {
                self.silences[origin] = silences
                for (index, answer) in some { all[index] = answer }
            }
        }
        return all
    }

    /// Asks sources of one origin.
    private func answers(
        of indices: [Int], among sources: [ProbedSource], of origin: TransferURL.Origin, _ slots: RequestSlots
    ) async -> (answers: [Answered], silences: Int) {
        await withTaskGroup(of: Answered.self) { group in
            var answers: [Answered] = []
            var rest = indices[...]
            var silences = silences[origin] ?? 0
            func askNext() {
                guard silences < limits.patience, !isOver(), let index = rest.popFirst() else { return }
                group.addTask { (index, await slots.withSlot { await ask(sources[index]) }) }
            }
            for _ in 0..<max(1, limits.exchangesPerOrigin) { askNext() }
            while let answered = await group.next() {
                answers.append(answered)
                silences = answered.answer.isSilence ? silences + 1 : 0
                askNext()
            }
            let reason: SourceAnswer.Reason = silences < limits.patience ? .stopped : .unresponsive
            return (answers + rest.map { ($0, .notAsked(reason)) }, silences)
        }
    }
}
