import Jobs
import Platform
import Transfer

/// Asks many sources, no more at once than the limits allow, and none of an origin that leaves one request after the other unanswered.
struct SourceInterview: Sendable {
    let probe: SourceProbe
    let limits: OnlineLimits

    /// - Returns: an answer for each source.
    func answers(of sources: [ProbedSource]) async -> [ProbedSource: SourceAnswer] {
        let slots = RequestSlots(limits.exchanges)
        let origins = Dictionary(grouping: sources, by: \.url.origin)
        return await withTaskGroup(of: [ProbedSource: SourceAnswer].self) { group in
            for ofOrigin in origins.values { group.addTask { await answers(ofOneOrigin: ofOrigin, slots) } }
            return await group.reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
        }
    }

    private func answers(
        ofOneOrigin sources: [ProbedSource], _ slots: RequestSlots
    ) async -> [ProbedSource: SourceAnswer] {
        await withTaskGroup(of: (ProbedSource, SourceAnswer).self) { group in
            var answers = [ProbedSource: SourceAnswer](minimumCapacity: sources.count)
            var rest = sources[...]
            var silences = 0
            func askNext() {
                guard silences < limits.patience, let source = rest.popFirst() else { return }
                group.addTask { (source, await slots.withSlot { await probe.ask(source) }) }
            }
            for _ in 0..<max(1, limits.exchangesPerOrigin) { askNext() }
            while let (source, answer) = await group.next() {
                answers[source] = answer
                silences = answer.isSilence ? silences + 1 : 0
                askNext()
            }
            for source in rest { answers[source] = .notAsked(.unresponsive) }
            return answers
        }
    }
}
