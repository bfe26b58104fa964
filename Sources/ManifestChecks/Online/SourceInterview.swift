import Jobs
import Transfer

/// Asks many sources, no more at once than the limits allow, and none of an origin that leaves one request after the other unanswered.
struct SourceInterview: Sendable {
    let probe: SourceProbe
    let limits: OnlineLimits
    /// Each once.
    let sources: [ProbedSource]

    private typealias Answered = (index: Int, answer: SourceAnswer)

    /// - Returns: an answer for each source, in their order.
    func answers() async -> [SourceAnswer] {
        let slots = RequestSlots(limits.exchanges)
        let origins = Dictionary(grouping: sources.indices) { sources[$0].url.origin }
        return await withTaskGroup(of: [Answered].self) { group in
            for indices in origins.values { group.addTask { await ask(indices, slots) } }
            var all = [SourceAnswer](repeating: .notAsked(.unresponsive), count: sources.count)
            for await some in group {
                for (index, answer) in some { all[index] = answer }
            }
            return all
        }
    }

    /// Asks sources of one origin.
    /// - Returns: the answers of those that were asked.
    private func ask(_ indices: [Int], _ slots: RequestSlots) async -> [Answered] {
        await withTaskGroup(of: Answered.self) { group in
            var answers: [Answered] = []
            var rest = indices[...]
            var silences = 0
            func askNext() {
                guard silences < limits.patience, let index = rest.popFirst() else { return }
                group.addTask { (index, await slots.withSlot { await probe.ask(sources[index]) }) }
            }
            for _ in 0..<max(1, limits.exchangesPerOrigin) { askNext() }
            while let answered = await group.next() {
                answers.append(answered)
                silences = answered.answer.isSilence ? silences + 1 : 0
                askNext()
            }
            return answers
        }
    }
}
