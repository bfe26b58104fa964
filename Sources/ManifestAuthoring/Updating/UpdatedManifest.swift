import Diagnostics

/// What became of a manifest.
package struct UpdatedManifest: Sendable {
    package struct Change: Sendable {
        /// What is another in the text, in its order.
        package let edits: [TextEdit]
        package let bytes: [UInt8]
        package let serial: Int
    }

    /// Nil: nothing changed.
    package let change: Change?
    package let counts: UpdateCounts
    /// Whether it has URLs that are relative to where it lies: elsewhere they lead elsewhere.
    package let isPlaced: Bool
}
