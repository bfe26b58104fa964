import CLinux
import Glibc

/// Signals turned into calls on a thread of their own, where any code may run.
package enum SignalListener {
    /// Keeps `signals` from the calling thread and from every thread made after: they wait for a listener. To be called by the first thread
    /// before there are others, since a signal goes to any thread that doesn't block it.
    package static func block(_ signals: [Int32]) {
        withUnsafePointer(to: signalSet(signals)) { _ = pthread_sigmask(SIG_BLOCK, $0, nil) }
    }

    /// Calls `handler` for each of `signals` that arrives; they have been blocked.
    package static func start(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
        let set = signalSet(signals)
        _ = WorkerThread(name: "signals") {
            var waited = set
            // A crash's backtrace begins with all threads paused by a signal, for which none leaves sigwait, but every one leaves poll.
            let arrived = larder_open_signals(&waited)
            while true {
                if arrived >= 0 {
                    var entry = pollfd(fd: arrived, events: Int16(POLLIN), revents: 0)
                    _ = retryingInterrupts { poll(&entry, 1, -1) }
                }
                var signal: Int32 = 0
                if sigwait(&waited, &signal) == 0 { handler(signal) }
            }
        }
    }

    /// Keeps `signals` from the calling thread while `body` runs; what arrives meanwhile takes effect after that.
    /// - Parameter body: gets a descriptor that can be read once one has arrived.
    static func holdBack<Success>(
        _ signals: [Int32], while body: (OwnedDescriptor) throws(SystemError) -> Success
    ) throws(SystemError) -> Success {
        var (held, previous) = (signalSet(signals), sigset_t())
        pthread_sigmask(SIG_BLOCK, &held, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let descriptor = larder_open_signals(&held)
        guard descriptor >= 0 else { throw .last("wait for", "signals") }
        return try body(OwnedDescriptor(adopting: descriptor, name: "signals"))
    }

    /// Whether whoever started the program wants it to live on: `nohup` for SIGHUP, a shell without job control for SIGINT in the background.
    package static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        // Functions can't be compared; that this one is none is told by its address.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// A write to a closed pipe or socket is an error of that write, not the end of the process.
    package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    private static func signalSet(_ signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
