import Diagnostics

extension JSONDocument {
    /// Keys that appear more than once in one object, in the order of the text.
    ///
    /// Not a matter of syntax: RFC 8259 merely says that readers disagree about such objects, so each format decides.
    /// - Parameter limit: how many are told.
    package func duplicateKeys(limit: Int = 100) -> [Diagnostic] {
        var paths = JSONPathFinder(self)
        var found: [Diagnostic] = []
        forEachRepeatedKey { first, again in
            guard found.count < limit else { return }
            let path = paths.path(to: again)
            found.append(
                Diagnostic(
                    JSONRule.duplicateKey, again.repeatedKeyMessage, at: again.range, path: path,
                    notes: [first.repeatedKeyNote]))
        }
        return found.sortedByPosition()
    }

    /// Calls `body` with each key that an object has had already, and with the first of them.
    package func forEachRepeatedKey(_ body: (_ first: JSONValue, _ again: JSONValue) -> Void) {
        var keys: [(ending: UInt64, index: Int)] = []
        for object in nodes.indices where nodes[object].kind == .object {
            let end = nodes[object].subtreeEnd
            keys.removeAll(keepingCapacity: true)
            var index = object + 1
            while index < end {
                // Most objects are small, and comparing a few keys is cheaper than hashing them.
                guard keys.count < 16, !nodes[index].hasEscapes else {
                    keys.removeAll(keepingCapacity: true)
                    break
                }
                let ending = ending(of: nodes[index])
                keys.append((ending, index))
                index = nodes[index + 1].subtreeEnd
            }
            if index < end {
                repeatedByHashing(JSONValue(document: self, index: object), body)
            } else {
                repeatedByComparing(keys, body)
            }
        }
    }

    private func repeatedByComparing(
        _ keys: [(ending: UInt64, index: Int)], _ body: (_ first: JSONValue, _ again: JSONValue) -> Void
    ) {
        for later in keys.indices.dropFirst() {
            for earlier in 0..<later where keys[earlier].ending == keys[later].ending {
                let (first, again) = (nodes[keys[earlier].index], nodes[keys[later].index])
                guard content(of: first).elementsEqual(content(of: again)) else { continue }
                body(
                    JSONValue(document: self, index: keys[earlier].index),
                    JSONValue(document: self, index: keys[later].index))
                break
            }
        }
    }

    private func repeatedByHashing(_ object: JSONValue, _ body: (_ first: JSONValue, _ again: JSONValue) -> Void) {
        var seen: [ArraySlice<UInt8>: JSONValue] = [:]
        for member in object.members {
            let key = member.key.contentBytes
            if let first = seen[key] { body(first, member.key) } else { seen[key] = member.key }
        }
    }

    /// The last bytes of a key and its length, in one word: different for nearly all keys that are different.
    private func ending(of key: JSONNode) -> UInt64 {
        let end = Int(key.end)
        let length = end - Int(key.start)
        let own: UInt64
        if end >= 8 {
            let word = source.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) }
            // The last bytes are the high ones; those before the key don't count.
            own = UInt64(littleEndian: word) >> UInt64(max(0, 8 - length) * 8)
        } else {
            own = source.bytes[Int(key.start)..<end].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        return own ^ (UInt64(truncatingIfNeeded: length) << 56)
    }
}

extension JSONValue {
    /// What is said of a key that its object has had already.
    package var repeatedKeyMessage: String { "the key \((string ?? "").quotedForMessage()) appears again" }

    /// What is said of the first of equal keys.
    package var repeatedKeyNote: Diagnostic.Note { Diagnostic.Note("it was first given here", at: range) }
}
