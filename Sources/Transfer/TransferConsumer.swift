/// Who takes the reply of one exchange.
///
/// The head is judged on the session's loop thread and must not block. Body and end arrive on one of the session's writer threads, in order,
/// one call at a time, where blocking is fine: while a writer is slow the network side waits, and memory stays bounded.
public protocol TransferConsumer: AnyObject, Sendable {
    /// The final reply's head is here.
    func receive(_ response: TransferResponse) -> ResponseDisposition

    /// The next piece of the body. The bytes are the session's: valid during the call only.
    /// - Throws: why the body can't be taken; the exchange is cut and ends with `TransferError.consumerFailed`.
    func receive(_ body: UnsafeRawBufferPointer) throws

    /// The exchange is over. Called exactly once, after the last piece of the body; nothing follows.
    func finish(_ outcome: TransferOutcome)
}

/// What to do with a reply once its head is known.
public enum ResponseDisposition: Sendable {
    /// Hand the body on.
    case receiveBody
    /// The head was enough: the exchange succeeds without its body.
    case ignoreBody
}
