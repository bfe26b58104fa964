import CCurl
import Platform

/// How other threads talk to a session's loop: they leave a message, and the loop is woken.
final class SessionMailbox: @unchecked Sendable {
    // Sendable because `contents` has its lock, and `multi` never changes and is only woken while the mailbox is open.

    enum Message {
        case start(TransferID, TransferRequest, any TransferConsumer)
        case cancel(TransferID)
        /// A consumer can't take more: its channel keeps the reason.
        case consumerFailed(TransferID)
        case setRateLimit(Int64?)
        /// Memory is short.
        case relieveMemory(@Sendable (MemoryRelief) -> Void)
        /// There is room in the pipeline again.
        case drained
        case invalidate((@Sendable () -> Void)?)
    }

    private struct Contents {
        var messages: [Message] = []
        var lastID: UInt64 = 0
        var isClosed = false
        /// Whether the loop waits, or is about to, and must be woken for what comes.
        var isWaiting = false
    }

    private let contents = Locked(Contents())
    private let multi: UnsafeMutableRawPointer

    /// - Parameter multi: the handle whose poll a message ends. It must outlive the mailbox's being open.
    init(waking multi: UnsafeMutableRawPointer) { self.multi = multi }

    func nextID() -> TransferID {
        contents.withLock { contents in
            contents.lastID += 1
            return TransferID(number: contents.lastID)
        }
    }

    /// Leaves a message.
    /// - Returns: false when the mailbox is closed, and nobody will read it.
    @discardableResult
    func post(_ message: Message) -> Bool {
        contents.withLock { contents in
            guard !contents.isClosed else { return false }
            contents.messages.append(message)
            // Inside the lock: the handle is only let go after the mailbox was closed.
            if contents.isWaiting { curl_multi_wakeup(multi) }
            contents.isWaiting = false
            return true
        }
    }

    /// Says that the loop is going to wait.
    /// - Returns: false when there is a message, and it must not.
    func mayWait() -> Bool {
        contents.withLock { contents in
            contents.isWaiting = contents.messages.isEmpty
            return contents.isWaiting
        }
    }

    /// What was left, for the loop that doesn't wait any more.
    func takeAll() -> [Message] {
        contents.withLock { contents in
            contents.isWaiting = false
            defer { contents.messages.removeAll(keepingCapacity: true) }
            return contents.messages
        }
    }

    /// Closes the mailbox; false when a message came in meanwhile, which is to be handled first.
    func closeIfEmpty() -> Bool {
        contents.withLock { contents in
            guard contents.messages.isEmpty else { return false }
            contents.isClosed = true
            return true
        }
    }
}
