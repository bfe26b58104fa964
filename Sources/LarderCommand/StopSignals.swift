import Glibc
import Jobs
import Platform

/// SIGINT and SIGTERM pause the run; a second one ends the process at once. SIGUSR1 asks for a line of progress.
enum StopSignals {
    static let all = [SIGINT, SIGTERM, SIGUSR1]

    static func start(_ control: RunControl, progress: @escaping @Sendable () -> Void) {
        SignalListener.start(all) { signal in
            switch signal {
            case SIGUSR1: progress()
            case _ where control.reason?.isSignal == true: _exit(128 + signal)
            case SIGINT: control.stop(.interrupted)
            default: control.stop(.terminated)
            }
        }
    }
}
