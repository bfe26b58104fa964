import Diagnostics
import JSONSyntax

/// What bundles say about each other: ids of their own, and an order that can be kept.
struct BundleOrder {
    private let bundles: [BundleDraft]
    private let positions: [BundleID: Int]

    /// Reports repeated ids.
    init(_ bundles: [BundleDraft], _ context: inout DecodingContext) {
        self.bundles = bundles
        var positions: [BundleID: Int] = [:]
        positions.reserveCapacity(bundles.count)
        for position in bundles.indices {
            guard let id = bundles[position].id else { continue }
            if let earlier = positions[id.value] {
                let first = bundles[earlier].id?.place ?? id.place
                context.report(
                    .repeatedID, "the id \"\(id.value)\" is taken by another bundle", at: id.place,
                    notes: [Diagnostic.Note("it was first given here", at: first.range)],
                    hint: "give one of them another id")
            } else {
                positions[id.value] = position
            }
        }
        self.positions = positions
    }

    /// Reports ids in `after` that name no bundle.
    func checkPredecessors(_ context: inout DecodingContext) {
        // A misspelling is looked for among so many ids, and for the first unknown ones only: each is compared with all of these.
        let known = bundles.lazy.compactMap(\.id?.value.text).prefix(1000)
        let unknown = bundles.lazy.flatMap(\.after).filter { positions[$0.value] == nil }
        for (ordinal, predecessor) in unknown.enumerated() {
            context.report(
                .unknownPredecessor, "there is no bundle \"\(predecessor.value)\" in this manifest",
                at: predecessor.place,
                hint: ordinal >= 10
                    ? nil : nearestMatch(to: predecessor.value.text, among: known).map { "did you mean \"\($0)\"?" })
        }
    }

    /// Reports bundles that wait for each other, one finding for each way back that a depth-first walk meets. The walk keeps a stack of its
    /// own: a chain may be as long as the manifest.
    func checkCycles(_ context: inout DecodingContext) {
        enum State {
            case new, done
            /// With its place on the stack.
            case waiting(Int)
        }
        var states = [State](repeating: .new, count: bundles.count)
        for start in bundles.indices {
            guard case .new = states[start] else { continue }
            var stack = [(bundle: start, nextEdge: 0)]
            states[start] = .waiting(0)
            while let (bundle, edge) = stack.last {
                guard edge < bundles[bundle].after.count else {
                    states[bundle] = .done
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].nextEdge += 1
                let predecessor = bundles[bundle].after[edge]
                guard let target = positions[predecessor.value] else { continue }
                switch states[target] {
                case .done: continue
                case .new:
                    states[target] = .waiting(stack.count)
                    stack.append((target, 0))
                case .waiting(let place):
                    context.report(
                        .cyclicOrder, description(ofCycle: stack[place...].lazy.map(\.bundle)), at: predecessor.place)
                }
            }
        }
    }

    /// Long cycles are cut: a manifest may be one.
    private func description(ofCycle cycle: some RandomAccessCollection<Int>) -> String {
        let names = cycle.prefix(6).compactMap { bundles[$0].id?.value.text }
        guard cycle.count > 1 else { return "the bundle \"\(names.joined())\" waits for itself" }
        let way = names + (cycle.count > names.count ? ["…"] : []) + names.prefix(1)
        return "these bundles wait for each other: \(way.joined(separator: " → "))"
    }
}
