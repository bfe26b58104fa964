import Diagnostics

/// Writes where a value is in its document: `$.bundles[2].urls[0]`.
///
/// It remembers where it was, so a series of paths in the order of the text costs one walk over the tree, however wide it is.
package struct JSONPathFinder {
    private struct Step {
        let container: Int
        /// The child that the walk has reached: an element, or a key together with its value.
        var child: Int
        /// How many children come before it.
        var ordinal: Int
    }

    private let document: JSONDocument
    private var steps: [Step] = []

    package init(_ document: JSONDocument) {
        self.document = document
    }

    /// The path of a value. A key has the path of its value.
    package mutating func path(to value: JSONValue) -> String {
        let target = value.index
        while let step = steps.last, !(step.child...).contains(target) || target >= end(of: step.container) {
            steps.removeLast()
        }
        while let container = containerToEnter(for: target) {
            steps.append(Step(container: container, child: container + 1, ordinal: 0))
            moveLastStep(to: target)
        }
        return steps.reduce("$") { path, step in path + component(step) }
    }

    /// The container that still lies between the last step and the target, after that step has moved to the child that holds it.
    private mutating func containerToEnter(for target: Int) -> Int? {
        guard let step = steps.last else { return target == 0 ? nil : 0 }
        moveLastStep(to: target)
        let child = steps.last?.child ?? step.child
        let inner = isObject(step.container) ? child + 1 : child
        return target > inner ? inner : nil
    }

    private mutating func moveLastStep(to target: Int) {
        guard var step = steps.popLast() else { return }
        while target >= childEnd(step) {
            step.child = childEnd(step)
            step.ordinal += 1
        }
        steps.append(step)
    }

    private func childEnd(_ step: Step) -> Int {
        isObject(step.container) ? end(of: step.child + 1) : end(of: step.child)
    }

    private func end(of node: Int) -> Int { document.nodes[node].subtreeEnd }

    private func isObject(_ node: Int) -> Bool { document.nodes[node].kind == .object }

    private func component(_ step: Step) -> String {
        guard isObject(step.container) else { return "[\(step.ordinal)]" }
        let key = JSONValue(document: document, index: step.child).string ?? ""
        return key.isPlainName ? ".\(key)" : "[\(key.quotedForMessage())]"
    }
}

extension String {
    /// Whether a key can follow a dot without quotes.
    fileprivate var isPlainName: Bool {
        !isEmpty && utf8.count <= 80 && !("0"..."9").contains(self[startIndex])
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
