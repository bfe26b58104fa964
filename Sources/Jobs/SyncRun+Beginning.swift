import ContentLibrary
import Downloads
import Platform
import Transfer

/// Whether and when a run begins, and what it may spend.
extension SyncRun {
    /// Waits for the run's time, as far as its terms ask for that.
    /// - Returns: what holds it back; nil where nothing does.
    func waitForTime() async throws(RunProblem) -> RunSkip? {
        if let objection = options.terms.objection(at: options.clock.now()) { return objection }
        guard options.terms.jitter > .zero else { return nil }
        let delay = min(options.terms.jitter, Self.longestWait) * Double.random(in: 0...1)
        await options.clock.wait(delay, control) { true }
        if control.reason != nil { throw .stopped }
        return options.terms.objection(at: options.clock.now())
    }

    /// Leaves it at that: says why where that is wanted, and how old everything is.
    func leave(_ skip: RunSkip) -> Report {
        let isOthers = skip.reason == .lock
        let reason = isOthers ? skip.text : "not begun: \(skip.text)"
        emit(.warning(isOthers ? "left alone: \(skip.text)" : reason))
        var exit = isOthers ? ExitCode.success : .paused
        do throws(RunProblem) {
            if let overdue = try overdueUnbegun() {
                exit = .failure
                emit(.runFailed(exit, message: "\(overdue), and \(reason)"))
            }
        } catch {
            report(error)
            exit = error.exit
        }
        exit = tell(of: skip.reason, exit)
        return Report(exit: exit, isSkipped: isOthers && exit == .success)
    }

    /// What the runtime can wait for without trapping; a century.
    private static let longestWait: Duration = .seconds(36_525 * 86_400)

    // MARK: The lock

    /// How often somebody who waits for the lock looks whether it is free.
    private static let lockInterval: Duration = .milliseconds(250)

    enum Opening: Sendable {
        case opened(Library, LibraryWriter)
        /// The library is left to another run.
        case left(RunSkip)
    }

    func openLibrary(on blocking: JobQueue) async throws(RunProblem) -> Opening {
        let library = try await blocking.attempt { () throws(RunProblem) in
            try reported { () throws(LibraryError) in try Library.open(options.libraryPath, for: .writing) }
        }
        var deadline = ContinuousClock.now
        if case .wait(let patience) = options.lock { deadline += min(patience, Self.longestWait) }
        while true {
            let attempt = try await blocking.attempt { [control] () throws(RunProblem) in
                do throws(LibraryError) { return try library.beginWriting { control.reason != nil } } catch {
                    throw control.reason == nil ? RunProblem(error) : .stopped
                }
            }
            switch attempt {
            case .granted(let writer): return .opened(library, writer)
            case .busy(let process) where options.lock == .skip:
                return .left(RunSkip(.lock, "\(LibraryError.busy(options.libraryPath, process))"))
            case .busy(let process) where ContinuousClock.now >= deadline:
                throw RunProblem(LibraryError.busy(options.libraryPath, process))
            case .busy:
                // Woken before its time only when the run is stopped.
                do { try await Task.sleep(for: Self.lockInterval) } catch { throw .stopped }
            }
        }
    }

    private func reported<Result>(_ body: () throws(LibraryError) -> Result) throws(RunProblem) -> Result {
        do throws(LibraryError) { return try body() } catch { throw RunProblem(error) }
    }

    // MARK: Age

    /// What `--max-age` makes of a run that ended before it could bring everything up to date.
    /// - Parameter history: nil: as far as it can be read without the lock.
    func judgeAge(_ exit: ExitCode, _ history: RunHistory? = nil) -> ExitCode {
        let isSignal = control.reason?.isSignal == true
        guard options.terms.maximumAge != nil, exit == .paused || isSignal,
            let known = history ?? RunHistory(reading: options.libraryPath), let overdue = overdue(known)
        else { return exit }
        let judged = exit == .paused ? .failure : exit
        emit(.runFailed(judged, message: "\(overdue), and this run was stopped before its end"))
        return judged
    }

    /// What `--max-age` says of a run that isn't begun. Where nobody knows since when the library is waited for, that is from now on: it is noted in
    /// the library, which is made for that.
    private func overdueUnbegun() throws(RunProblem) -> String? {
        guard options.terms.maximumAge != nil else { return nil }
        let sources = options.manifests.map(\.recordKey)
        if let known = RunHistory(reading: options.libraryPath), sources.allSatisfy({ known.freshness(of: $0) != nil })
        {
            return overdue(known)
        }
        let attempt = try reported { () throws(LibraryError) in
            try Library.open(options.libraryPath, for: .writing).beginWriting()
        }
        let now = options.clock.now()
        let history: RunHistory?
        switch attempt {
        case .granted(let writer):
            history = RunHistory(writer, command: options.command, at: now) { emit(.notice($0)) }
        case .busy:
            // A note of this takes no lock. Where there is no index yet, whoever is at work makes it now, and notes the same of what it is asked for.
            history = (try? Library.open(options.libraryPath, for: .reading)).flatMap { RunHistory(noting: $0) }
        }
        history?.noteWaits(for: sources, at: now)
        return history.flatMap { overdue($0) }
    }

    /// That something was last up to date longer ago than it may be, in words; nil where nothing was, and where nobody minds.
    private func overdue(_ history: RunHistory) -> String? {
        guard let limit = options.terms.maximumAge else { return nil }
        let now = options.clock.now().seconds
        let known = options.manifests.compactMap { location in
            history.freshness(of: location.recordKey).map { (location: location, last: $0) }
        }
        let oldest = known.min { $0.last < $1.last }
        if let oldest, now &- oldest.last.seconds > limit.components.seconds {
            return
                "\(escapedText(options.libraryPath)) has not been up to date with \(oldest.location) since \(oldest.last.rfc3339), for longer than --max-age allows"
        }
        // A success in the future proves nothing: one of the clocks was wrong.
        guard let newest = known.max(by: { $0.last < $1.last }), newest.last.seconds &- now > Self.clockLeeway else {
            return nil
        }
        return
            "nobody knows how long \(escapedText(options.libraryPath)) has not been up to date with \(newest.location): that was noted by a clock that showed \(newest.last.rfc3339)"
    }

    /// A success that lies further ahead proves nothing.
    private static let clockLeeway: Int64 = 86_400

    // MARK: The clock

    /// Clocks are set by a second or two all the time.
    private static let clockTolerance: Int64 = 60

    /// Says once that the clock shows a time before the last run. Then the time it shows counts: a clock that once was ahead must not be told of for
    /// ever, nor keep anything from being refreshed.
    func checkClock(_ history: RunHistory) {
        let now = options.clock.now()
        if let last = history.previousTime, now.seconds &+ Self.clockTolerance < last.seconds {
            emit(
                .notice(
                    "the clock says \(now.rfc3339), and at the last run it said \(last.rfc3339): one of them is wrong; until it is right, manifests may be taken that have expired, and certificates refused"
                ))
        }
    }

    // MARK: Bytes

    /// What a run may spend.
    struct ByteBudget: Sendable {
        /// Body bytes that it may receive; nil: any number.
        let bytes: Int64?
        /// Whether nothing is left of this month's.
        let isMonthSpent: Bool

        /// Of a month's rest nothing may be of use: the next run would only ask. What a run itself may spend is for whoever calls it to say.
        var hasCredit: Bool { !isMonthSpent && bytes != 0 }
    }

    func byteBudget(_ ledger: ByteLedger, _ library: Library) -> ByteBudget {
        let spent = ledger.spentBytes(library, at: options.clock.now())
        guard let monthly = options.monthlyBytes else {
            return ByteBudget(bytes: options.maximumBytes, isMonthSpent: false)
        }
        let left = monthly - min(monthly, spent)
        return ByteBudget(
            bytes: min(left, options.maximumBytes ?? .max), isMonthSpent: left < ByteCredit.pieceBytes)
    }

    /// Writes down what is fetched while that counts.
    func keepBooks(_ ledger: ByteLedger, _ downloader: Downloader, on blocking: JobQueue) -> Task<Void, Never>? {
        guard options.monthlyBytes != nil else { return nil }
        return Task { [clock = options.clock] in
            while (try? await Task.sleep(for: ByteLedger.interval)) != nil {
                let bytes = downloader.statistics.fetchedBytes
                await blocking.run { ledger.record(bytes, at: clock.now()) }
            }
        }
    }
}
