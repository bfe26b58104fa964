/// What a parser takes before it gives up. The parser doesn't recurse: the depth limit protects those who walk the tree.
package struct JSONLimits: Sendable {
    /// Levels of arrays and objects.
    package let depth: Int
    /// Bytes of text. Never more than 4 GiB - 1: offsets are kept in 32 bits.
    package let textBytes: Int
    /// Values and keys, which take 12 bytes each; 33 million.
    package let nodes: Int
    /// Errors that are told before parsing stops.
    package let errors: Int

    package init(depth: Int = 256, textBytes: Int = 1 << 30, nodes: Int = 1 << 25, errors: Int = 1000) {
        self.depth = depth
        self.textBytes = min(textBytes, Int(UInt32.max))
        self.nodes = min(nodes, JSONNode.mostNodes)
        self.errors = max(errors, 1)
    }
}
