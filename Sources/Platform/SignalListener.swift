import Glibc

/// Signals turned into calls on a thread of their own, where any code may run.
package enum SignalListener {
    /// Blocks `signals` in the calling thread, and in every thread made after, so that only the listener receives them, and calls
    /// `handler` for each that arrives. Call it once, before any other thread exists.
    package static func start(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
        let set = signalSet(signals)
        withUnsafePointer(to: set) { _ = pthread_sigmask(SIG_BLOCK, $0, nil) }
        _ = WorkerThread(name: "signals") {
            var waited = set
            while true {
                var signal: Int32 = 0
                if sigwait(&waited, &signal) == 0 { handler(signal) }
            }
        }
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
