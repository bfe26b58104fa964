import CLinux
import Glibc

/// Stepping aside for everything else on the machine.
package enum BackgroundPriority {
    /// Lets the calling thread, and every thread that it or they start from now on, have the processor and the disk only as far as nobody else wants
    /// them. To be called by the first thread, before there are others: on Linux both priorities are each thread's own.
    ///
    /// `SCHED_IDLE` rather than `SCHED_BATCH`: any other thread that wakes goes first at once, not only at the end of a time slice. The kernel gives
    /// it a small share even on a busy machine, so that a lock it holds is let go some day. The nice value is for what looks at that alone, and
    /// holds where the policy is refused; libdispatch gives its threads other ones where it may (as root), which mean nothing under `SCHED_IDLE`.
    /// What is refused stays as it was: a run that doesn't step aside is better than none.
    package static func adopt() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        var parameters = sched_param()
        _ = sched_setscheduler(0, larder_sched_idle, &parameters)
        _ = larder_set_idle_io_priority()
    }
}
