import Diagnostics

/// One value or key. Children follow their container; in an object a key's value comes right after the key.
///
/// Three words: a manifest has millions of these, and filling memory takes as long as parsing does.
struct JSONNode {
    let start: UInt32
    /// The byte after the last one.
    var end: UInt32
    /// The kind in the lowest three bits, then whether there are escapes, and above these the end of the subtree.
    private var packed: UInt32

    /// As many as the end of a subtree can count.
    static let mostNodes = 1 << 27

    /// - Parameter subtreeEnd: hardly more than `mostNodes`.
    init(start: UInt32, end: UInt32, subtreeEnd: Int, kind: JSONKind, hasEscapes: Bool) {
        (self.start, self.end) = (start, end)
        packed = UInt32(truncatingIfNeeded: subtreeEnd) << 4 | (hasEscapes ? 8 : 0) | UInt32(kind.rawValue)
    }

    /// The index after the last node inside this one: where its next sibling is.
    var subtreeEnd: Int {
        get { Int(packed >> 4) }
        set { packed = UInt32(truncatingIfNeeded: newValue) << 4 | packed & 0xF }
    }

    /// Strings and keys: whether there is a backslash, so that the text isn't simply the bytes between the quotes.
    var hasEscapes: Bool { packed & 8 != 0 }

    var kind: JSONKind { JSONKind(rawValue: UInt8(truncatingIfNeeded: packed & 7)) ?? .null }

    var range: SourceRange { SourceRange(start: Int(start), end: Int(end)) }
}
