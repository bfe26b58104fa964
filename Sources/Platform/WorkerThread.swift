import CLinux
import Glibc

/// A thread of our own for work that blocks: never the cooperative pool's.
package final class WorkerThread: Sendable {
    private let thread: pthread_t
    private let joined = Locked(false)

    /// Starts a thread that runs `body` and ends with it, for whoever can do without one.
    /// - Parameter name: at most 15 bytes, as the kernel shows it.
    /// - Throws: where the system refuses a thread (`ulimit -u`, a container's limit); `body` isn't run then.
    package init(ifGranted name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let box = Unmanaged.passRetained(ThreadBody(name: name, run: body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, threadEntry, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SystemError(code: code, operation: "start", subject: "the thread \(name)")
        }
        self.thread = thread
    }

    /// The same for what can't be done without: the process ends, and says why, where the system refuses a thread.
    package convenience init(name: String, _ body: @escaping @Sendable () -> Void) {
        do throws(SystemError) { try self.init(ifGranted: name, body) } catch { giveUp(error) }
    }

    /// Waits until the body has returned. Not to be called from the thread itself.
    package func join() {
        let first = joined.withLock { done in
            defer { done = true }
            return !done
        }
        if first { pthread_join(thread, nil) }
    }

    deinit {
        if !joined.withLock({ $0 }) { pthread_detach(thread) }
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

private func threadEntry(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    larder_set_thread_name(body.name)
    body.run()
    return nil
}
