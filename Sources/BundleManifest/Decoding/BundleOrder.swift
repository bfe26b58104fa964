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
        var places: [BundleID: JSONValue] = [:]
        for (position, bundle) in bundles.enumerated() {
            guard let id = bundle.id else { continue }
            if let first = places[id.value] {
                context.report(
                    .repeatedID, "the id \"\(id.value)\" is taken by another bundle", at: id.place,
                    notes: [Diagnostic.Note("it was first given here", at: first.range)])
            } else {
                places[id.value] = id.place
                positions[id.value] = position
            }
        }
        self.positions = positions
    }

    /// Reports ids in `after` that name no bundle.
    func checkPredecessors(_ context: inout DecodingContext) {
        // A misspelling is looked for among so many ids only: every unknown one is compared with all of these.
        let known = bundles.lazy.compactMap(\.id?.value.text).prefix(1000)
        for predecessor in bundles.flatMap(\.after) where positions[predecessor.value] == nil {
            let nearest = nearestMatch(to: predecessor.value.text, among: known)
            context.report(
                .unknownPredecessor, "there is no bundle \"\(predecessor.value)\" in this manifest",
                at: predecessor.place,
                hint: nearest.map { "did you mean \"\($0)\"?" })
        }
    }

    /// Reports bundles that wait for each other, one finding for each way back that a depth-first walk meets. The walk keeps a stack of its
    /// own: a chain may be as long as the manifest.
    func checkCycles(_ context: inout DecodingContext) {
        enum State { case new, onStack, done }
        var states = [State](repeating: .new, count: bundles.count)
        for start in bundles.indices where states[start] == .new {
            var stack = [(bundle: start, nextEdge: 0)]
            states[start] = .onStack
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
                    states[target] = .onStack
                    stack.append((target, 0))
                case .onStack:
                    let cycle = stack.map(\.bundle).drop { $0 != target } + [target]
                    report(Array(cycle), at: predecessor.place, &context)
                }
            }
        }
    }

    private func report(_ cycle: [Int], at place: JSONValue, _ context: inout DecodingContext) {
        let names = cycle.compactMap { bundles[$0].id?.value.text }
        let shown = names.count <= 8 ? names : names.prefix(6) + ["…"] + names.suffix(1)
        context.report(
            .cyclicOrder,
            names.count == 2
                ? "the bundle \"\(names[0])\" waits for itself"
                : "these bundles wait for each other: \(shown.joined(separator: " → "))",
            at: place)
    }
}
