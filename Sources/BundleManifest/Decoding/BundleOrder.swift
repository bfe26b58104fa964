import Diagnostics
import JSONSyntax

/// What bundles say about each other: ids of their own, and an order that can be kept.
struct BundleOrder {
    private let bundles: [DecodedBundle]
    /// Of the bundles that others wait for. Most manifests have none.
    private let positions: [BundleID: Int]

    /// Reports repeated ids.
    init(_ bundles: [DecodedBundle], _ context: inout DecodingContext) {
        self.bundles = bundles
        let awaited = Set(bundles.lazy.filter { !$0.after.isEmpty }.flatMap { $0.after.map(\.value) })
        var positions: [BundleID: Int] = [:]
        // Most manifests have their bundles in some order.
        if awaited.isEmpty, TextOrder.tellsApart(bundles.lazy.map { $0.id?.text ?? "" }) {
            self.positions = [:]
            return
        }
        var ids = OrdinalTable(expecting: bundles.count)
        for position in bundles.indices {
            guard let id = bundles[position].id else { continue }
            let earlier = ids.insert(position, hash: id.hashValue) { bundles[$0].id == id }
            if let earlier {
                context.report(
                    .repeatedID, "the id \"\(id)\" is taken by another bundle", at: Self.place(bundles[position]),
                    notes: [Diagnostic.Note("it was first given here", at: Self.place(bundles[earlier]).markedRange)],
                    hint: "give one of them another id")
            } else if awaited.contains(id) {
                positions[id] = position
            }
        }
        self.positions = positions
    }

    /// Where a bundle's id stands.
    private static func place(_ bundle: DecodedBundle) -> JSONValue { bundle.place["id"] ?? bundle.place }

    /// Reports ids in `after` that name no bundle.
    func checkPredecessors(_ context: inout DecodingContext) {
        // A misspelling is looked for among so many ids, and for the first unknown ones only: each is compared with all of these.
        let known = bundles.lazy.compactMap { $0.id?.text }.prefix(1000)
        var unknownCount = 0
        for bundle in bundles {
            for predecessor in bundle.after where positions[predecessor.value] == nil {
                unknownCount += 1
                context.report(
                    .unknownPredecessor, "there is no bundle \"\(predecessor.value)\" in this manifest",
                    at: predecessor.place,
                    hint: unknownCount > 10
                        ? nil
                        : nearestMatch(to: predecessor.value.text, among: known).map { "did you mean \"\($0)\"?" })
            }
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
        for start in bundles.indices where !bundles[start].after.isEmpty {
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
        let names = cycle.prefix(6).compactMap { bundles[$0].id?.text }
        guard cycle.count > 1 else { return "the bundle \"\(names.joined())\" waits for itself" }
        let way = names + (cycle.count > names.count ? ["…"] : []) + names.prefix(1)
        return "these bundles wait for each other: \(way.joined(separator: " → "))"
    }
}
