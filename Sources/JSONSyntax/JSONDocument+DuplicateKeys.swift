import Diagnostics

extension JSONDocument {
    /// Keys that appear more than once in one object, in the order of the text.
    ///
    /// Not a matter of syntax: RFC 8259 merely says that readers disagree about such objects, so each format decides.
    /// - Parameter limit: how many are told.
    package func duplicateKeys(limit: Int = 1000) -> [Diagnostic] {
        var paths = JSONPathFinder(self)
        var found: [Diagnostic] = []
        for index in nodes.indices where nodes[index].kind == .object {
            for (first, again) in repeatedKeys(in: JSONValue(document: self, index: index)) {
                guard found.count < limit else { return found.sortedByPosition() }
                found.append(
                    Diagnostic(
                        JSONRule.duplicateKey, "the key \((again.string ?? "").quotedForMessage()) appears again",
                        at: again.range, path: paths.path(to: again),
                        notes: [Diagnostic.Note("it was first given here", at: first.range)]))
            }
        }
        return found.sortedByPosition()
    }

    /// Pairs of a key's first place and a later one.
    private func repeatedKeys(in object: JSONValue) -> [(first: JSONValue, again: JSONValue)] {
        // Most objects are small, and comparing a few keys is cheaper than hashing them.
        object.members.dropFirst(16).first { _ in true } == nil
            ? repeatedByComparing(object) : repeatedByHashing(object)
    }

    private func repeatedByComparing(_ object: JSONValue) -> [(first: JSONValue, again: JSONValue)] {
        var repeated: [(first: JSONValue, again: JSONValue)] = []
        for member in object.members {
            for earlier in object.members {
                if earlier.key.index == member.key.index { break }
                guard sameText(earlier.key.node, member.key.node) else { continue }
                repeated.append((earlier.key, member.key))
                break
            }
        }
        return repeated
    }

    private func repeatedByHashing(_ object: JSONValue) -> [(first: JSONValue, again: JSONValue)] {
        var repeated: [(first: JSONValue, again: JSONValue)] = []
        var seen: [ArraySlice<UInt8>: JSONValue] = [:]
        for member in object.members {
            let key = member.key.contentBytes
            if let first = seen[key] { repeated.append((first, member.key)) } else { seen[key] = member.key }
        }
        return repeated
    }

    private func sameText(_ one: JSONNode, _ other: JSONNode) -> Bool {
        guard !one.hasEscapes, !other.hasEscapes else { return content(of: one).elementsEqual(content(of: other)) }
        guard one.end - one.start == other.end - other.start else { return false }
        return source.bytes[Int(one.start)..<Int(one.end)].elementsEqual(
            source.bytes[Int(other.start)..<Int(other.end)])
    }
}
