/// Finds things of a long list that are alike, by their ordinals alone: a table of a million paths or digests would be as large as the text
/// that they stand in, and this one takes at most 16 bytes for each.
struct OrdinalTable {
    /// Ordinals plus one; 0 is a free slot. Their number is a power of two, and twice the count at least.
    private var slots: [UInt32]

    /// - Parameter count: more than so many are never inserted.
    init(expecting count: Int) {
        var size = 16
        while size < count &* 2, size < 1 << 32 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// Puts an ordinal into the table unless something like it is there.
    /// - Parameters:
    ///   - hash: of what the ordinal stands for, equal for what is alike. Of a `Hasher`: whoever wrote a manifest can't know which collide.
    ///   - isLike: whether what the ordinal stands for is like that of another one.
    /// - Returns: the ordinal of the first that is like it; nil where there was none.
    mutating func insert(_ ordinal: Int, hash: Int, isLike: (Int) -> Bool) -> Int? {
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let other = Int(slots[slot]) - 1
            if isLike(other) { return other }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = UInt32(truncatingIfNeeded: ordinal + 1)
        return nil
    }
}
