/// What a parser takes before it gives up. The parser doesn't recurse: the depth limit protects those who walk the tree.
package struct JSONLimits: Sendable {
    /// Levels of arrays and objects.
    package var depth: Int
    /// Bytes of text. Never more than 4 GiB - 1: offsets are kept in 32 bits.
    package var textBytes: Int
    /// Errors that are told before parsing stops.
    package var errors: Int

    package init(depth: Int = 256, textBytes: Int = 1 << 30, errors: Int = 1000) {
        self.depth = depth
        self.textBytes = min(textBytes, Int(UInt32.max))
        self.errors = max(errors, 1)
    }
}
