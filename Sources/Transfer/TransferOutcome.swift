/// How an exchange ended.
public struct TransferOutcome: Sendable {
    /// The reply, complete; or why there is none.
    public let result: Result<TransferResponse, TransferError>
    /// Body bytes that came over the wire in all, those of redirects and ignored bodies included.
    public let receivedBytes: Int64
    /// Requests sent, one for each redirect hop.
    public let requestCount: Int
}
