/// Names one connection of a try. A try begins with one; the further ones have names that are never used again.
struct ConnectionID: Hashable {
    let number: UInt64

    /// The one that a try begins with.
    static let first = ConnectionID(number: 0)
}
