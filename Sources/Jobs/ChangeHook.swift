import ContentLibrary
import Platform

/// Tells a command of the user's that readers see something new. It is told until it has succeeded: a run that was cut short, or a command that
/// failed, leaves it to the next run.
struct ChangeHook {
    /// For `sh -c`.
    let command: String
    let libraryPath: String
    let library: Library
    let history: RunHistory
    /// What was current when the run began, where nobody knows what was told of last.
    let initial: GenerationNumber?
    let control: RunControl

    /// What takes longer holds up all further runs, perhaps for ever: it had better go on by itself.
    private static let patience: Duration = .seconds(3_600)

    /// Names are listed in a variable only up to this: the kernel takes no more than 128 KiB for one.
    private static let listLimitBytes = 64 << 10

    /// Runs the command where there is something to tell. Blocks until it has ended.
    /// - Returns: what went wrong, in a line.
    func run() -> String? {
        let announced = announced
        let current: Generation
        do throws(LibraryError) {
            guard let number = try library.generations.currentNumber() else { return nil }
            guard number != announced else {
                note(number)
                return nil
            }
            current = try library.generations.open(number)
        } catch {
            return "--on-change was not run: \(error)"
        }
        let changes = GenerationChanges(from: announced.flatMap { try? library.generations.open($0) }, to: current)
        let variables = variables(changes, current.number)
        let program: Program
        do throws(SystemError) {
            program = try Program(
                ["sh", "-c", command], output: .toStandardError, variables: variables, hasOwnGroup: true)
        } catch {
            return "--on-change could not be started: \(error); the next run tries again"
        }
        switch program.wait(atMost: Self.patience, unless: { control.reason?.isSignal == true }) {
        case nil where control.reason?.isSignal == true:
            return "--on-change was ended with the run; the next run tries again"
        case nil: return "--on-change took longer than an hour and was ended; the next run tries again"
        case .exited(0):
            note(current.number)
            return nil
        case .exited(let status): return "--on-change ended with status \(status); the next run tries again"
        case .signalled(let signal): return "--on-change was ended by signal \(signal); the next run tries again"
        }
    }

    /// What was told of last; nil for nothing. Whoever asks to be told for the first time knows what was there before.
    private var announced: GenerationNumber? {
        if let known = history.value(of: .announcedGeneration) { return GenerationNumber(Int(clamping: known)) }
        history.set(.announcedGeneration, to: Int64(initial?.value ?? 0))
        return initial
    }

    private func note(_ number: GenerationNumber) { history.set(.announcedGeneration, to: Int64(number.value)) }

    private func variables(_ changes: GenerationChanges, _ number: GenerationNumber) -> [String: String] {
        var variables = [
            "LARDER_LIBRARY": absolutePath(libraryPath), "LARDER_GENERATION": "\(number.value)",
            "LARDER_CHANGED_COUNT": "\(changes.changed.count)", "LARDER_REMOVED_COUNT": "\(changes.removed.count)",
        ]
        for (name, bundles) in [("LARDER_CHANGED", changes.changed), ("LARDER_REMOVED", changes.removed)] {
            let list = bundles.map(\.description).joined(separator: " ")
            // Rather none than some of them.
            variables[name] = list.utf8.count <= Self.listLimitBytes ? list : ""
        }
        return variables
    }
}
