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
    /// - Parameter history: of a run that has begun so far.
    func leave(_ skip: RunSkip, history: RunHistory? = nil) -> Report {
        let isOthers = skip.reason == .lock
        emit(.warning(isOthers ? "left alone: \(skip.text)" : "not begun: \(skip.text)"))
        var exit = isOthers ? ExitCode.success : .paused
        if let overdue {
            exit = isOthers ? .busy : .failure
            emit(.runFailed(exit, message: "\(overdue), and \(isOthers ? skip.text : "not begun: \(skip.text)")"))
        }
        exit = tell(of: skip.reason, exit, history)
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
            let attempt = try await blocking.attempt { () throws(RunProblem) in
                try reported(library.beginWriting)
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

    /// That the library was last brought up to date longer ago than it may be; nil where it wasn't, where nobody minds, and where there is none.
    private var overdue: String? {
        guard let limit = options.terms.maximumAge,
            let library = try? Library.open(options.libraryPath, for: .reading), let last = lastSuccess(in: library)
        else { return nil }
        let age = options.clock.now().seconds &- last.seconds
        // A success in the future proves nothing: one of the clocks was wrong.
        guard age > limit.components.seconds || age < -86_400 else { return nil }
        return
            "\(escapedText(options.libraryPath)) has not been brought up to date since \(last.rfc3339), for longer than --max-age allows"
    }

    /// When the manifest that has waited longest last had all that was asked for. What the index doesn't know counts from the last publication;
    /// where there was none, from the first run.
    private func lastSuccess(in library: Library) -> Timestamp? {
        let index = library.readStateIndex()
        let published = library.generations.currentTime ?? (try? index?.firstRun()) ?? nil
        return options.manifests.compactMap { location in
            location.recordKey.flatMap { try? index?.manifest(from: $0) }?.lastSuccess ?? published
        }.min()
    }

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

    /// How many bytes a run may receive.
    enum ByteBudget: Sendable {
        /// Nil: any number.
        case bytes(Int64?)
        /// This month's are spent.
        case spent
    }

    func byteBudget(_ ledger: ByteLedger, _ library: Library) -> ByteBudget {
        let spent = ledger.spentBytes(library, at: options.clock.now())
        guard let monthly = options.monthlyBytes else { return .bytes(options.maximumBytes) }
        let left = monthly - min(monthly, spent)
        // Of less nothing may be of use: the next run would only ask.
        guard left >= ByteCredit.pieceBytes else { return .spent }
        return .bytes(min(left, options.maximumBytes ?? .max))
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
