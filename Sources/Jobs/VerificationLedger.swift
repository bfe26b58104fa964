import ContentLibrary
import Platform

/// What a verification notes in the library's index: when content was looked at, how far, and what is damaged. Where it can't, that is told once,
/// and all else goes on.
final class VerificationLedger: Sendable {
    private struct State {
        var known: [StoreAddress: VerificationRecord]
        var unwritten: [StoreAddress: VerificationRecord] = [:]
        var lastWrite: Duration
        var isBroken: Bool
    }

    private let state: Locked<State>
    private let index: StateIndex?
    private let clock: RunClock
    private let warn: @Sendable (String) -> Void

    /// Each write is a flush.
    private static let interval: Duration = .seconds(5)

    init(
        _ library: Library, _ known: [StoreAddress: VerificationRecord], _ clock: RunClock,
        warn: @escaping @Sendable (String) -> Void
    ) {
        index = library.openStateIndexForNotes()
        (self.clock, self.warn) = (clock, warn)
        state = Locked(State(known: known, lastWrite: clock.uptime(), isBroken: index == nil))
    }

    /// Content that is damaged as far as is known.
    var damaged: Set<StoreAddress> {
        state.withLock { Set($0.known.filter { $1.damage != nil }.keys) }
    }

    /// Whether a later run will know of it.
    var isKept: Bool { state.withLock { !$0.isBroken } }

    func note(_ verdict: ContentVerifier.Verdict, _ address: StoreAddress) {
        let isDue = state.withLock { state in
            var record = state.known[address] ?? VerificationRecord()
            if verdict.isGone {
                record = VerificationRecord()
            } else {
                // What was found before the place where this look began still counts.
                let earlier = record.position == nil ? nil : record.damage
                if let found = verdict.damage.first {
                    record.damage = "\(found)"
                } else if verdict.isComplete {
                    record.damage = earlier
                }
                record.position = verdict.isComplete ? nil : verdict.position
                if verdict.isComplete { record.time = clock.now() }
            }
            state.known[address] = record
            state.unwritten[address] = record
            // Of damage a run has to know that comes when this one is killed.
            return verdict.damageCount > 0 || clock.uptime() - state.lastWrite >= Self.interval
        }
        if isDue { write() }
    }

    /// Writes the rest down.
    /// - Parameter all: what there is; anything else is forgotten.
    func close(keeping all: Set<StoreAddress>) {
        let gone = state.withLock { state in
            let gone = state.known.keys.filter { !all.contains($0) }
            for address in gone {
                state.known[address] = nil
                state.unwritten[address] = nil
            }
            return gone
        }
        write()
        attempt { index throws(LibraryError) in try index.forgetVerifications(of: gone) }
    }

    private func write() {
        let records = state.withLock { state in
            state.lastWrite = clock.uptime()
            defer { state.unwritten = [:] }
            return state.unwritten
        }
        attempt { index throws(LibraryError) in try index.record(records) }
    }

    private func attempt(_ body: (StateIndex) throws(LibraryError) -> Void) {
        guard let index, !state.withLock({ $0.isBroken }) else { return }
        do throws(LibraryError) { try body(index) } catch {
            state.withLock { $0.isBroken = true }
            warn("what was looked at can't be noted, so the next run begins with the same: \(error)")
        }
    }
}
