import Glibc
import Jobs
import Platform

/// SIGINT and SIGTERM pause the run; a second one ends the process at once. SIGUSR1 asks for a line of progress, SIGHUP for the settings to be
/// read again; where there are none to read it means that the terminal is gone, and is another SIGTERM. What whoever started the program has it
/// ignore, as `nohup` does with SIGHUP, stops nothing.
enum StopSignals {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGUSR1]
    /// Whenever that is asked: the program changes nothing about it.
    private static let ignored = Set(signals.filter(SignalListener.isIgnored))
    /// In seconds. Everything that must be on the disk is there long before; what may take longer, such as a flush to a slow disk, can be lost.
    private static let patience: UInt32 = 4

    /// To be called before anything else, by the first thread.
    static func block() { SignalListener.block(signals) }

    /// - Parameters:
    ///   - clearsUp: whether the run takes away what nobody would find after it, however long that takes; else it ends within five seconds.
    ///   - reload: what SIGHUP does; nil: the same as SIGTERM.
    ///   - progress: what SIGUSR1 does, on a thread of its own.
    static func start(
        _ control: RunControl, clearsUp: Bool = false, reload: (@Sendable () -> Void)? = nil,
        progress: @escaping @Sendable () -> Void
    ) {
        // Of its own: a terminal that takes nothing must not keep other signals from being heard.
        let printing = JobQueue(name: "larder-print")
        SignalListener.start(signals) { signal in
            switch signal {
            case SIGUSR1: printing.enqueue(progress)
            case SIGHUP where reload != nil: reload?()
            case _ where ignored.contains(signal): break
            default: stop(control, by: signal == SIGINT ? SIGINT : SIGTERM, clearsUp)
            }
        }
    }

    private static func stop(_ control: RunControl, by signal: Int32, _ clearsUp: Bool) {
        if control.reason?.isSignal == true { _exit(128 + signal) }
        control.stop(signal == SIGINT ? .interrupted : .terminated)
        if !clearsUp { endInTime(128 + signal) }
    }

    private static func endInTime(_ status: Int32) {
        // Without the thread a second signal still ends the process at once.
        _ = try? WorkerThread(ifGranted: "patience") {
            sleep(patience)
            _exit(status)
        }
    }
}
