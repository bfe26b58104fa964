/// Names one exchange of a session.
public struct TransferID: Hashable, Sendable {
    let number: UInt64
}
