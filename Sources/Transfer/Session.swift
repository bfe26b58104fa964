import Platform

/// Exchanges over HTTP that share connections, a configuration and a loop thread.
///
/// Ephemeral: no cookies, no cache, no stored credentials. An exchange starts as soon as it is asked for; how many run at once is the
/// caller's decision. A session can't be changed once made (its rate limit apart): make another and `invalidate` this one.
public final class Session: Sendable {
    let loop: SessionLoop

    /// Makes a session and starts its thread.
    public init(configuration: SessionConfiguration = SessionConfiguration()) {
        loop = SessionLoop(configuration: configuration, credit: nil)
        loop.startThread()
    }

    /// Makes a session whose exchanges take no more than there is credit for: one for which there isn't enough stands still.
    package init(configuration: SessionConfiguration, credit: ByteCredit?) {
        loop = SessionLoop(configuration: configuration, credit: credit)
        loop.startThread()
    }

    deinit { loop.post(.invalidate(nil)) }

    /// Starts an exchange. Whatever happens, `consumer.finish` is called exactly once.
    @discardableResult
    public func start(_ request: TransferRequest, consumer: any TransferConsumer) -> TransferID {
        let id = loop.nextID()
        loop.post(.start(id, request, consumer))
        return id
    }

    /// Ends an exchange: its connection is given up, what had arrived is handed over, and it finishes with `.cancelled`. Unknown and
    /// finished ones are ignored.
    public func cancel(_ id: TransferID) { loop.post(.cancel(id)) }

    /// Changes the bytes a second that all exchanges may take together; nil: no bound.
    public func setRateLimit(bytesPerSecond: Int64?) { loop.post(.setRateLimit(bytesPerSecond)) }

    /// Lets go of memory that is only held for speed, and for a minute does with less of it: smaller pieces, no spare handles, no more
    /// connections than it takes. Exchanges go on. Connections that rest are closed one by one, as exchanges end.
    /// - Returns: what was let go at once.
    public func relieveMemory() async -> MemoryRelief {
        await withCheckedContinuation { continuation in
            loop.post(.relieveMemory { continuation.resume(returning: $0) })
        }
    }

    /// Cancels what runs and ends the session. When this returns every consumer has been told and the thread, its handles and its
    /// connections are gone. Exchanges started afterwards finish at once, cancelled.
    public func invalidate() async {
        await withCheckedContinuation { continuation in
            loop.post(.invalidate { continuation.resume() })
        }
    }
}
