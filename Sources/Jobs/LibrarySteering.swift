import ContentLibrary
import Diagnostics
import Platform

/// What an operator does to a library by hand: with the lock, in one step that a crash leaves done or undone, and noted in the history.
package struct LibrarySteering: Sendable {
    package enum Step: Sendable {
        /// Makes an older generation current, and holds the library there; nil: the one before.
        case rollBack(to: GenerationNumber?)
        /// Holds the library at its current generation.
        case pin
        case unpin
        /// Takes a manifest and its bundles out of the next generation.
        case forget(ContentID, keep: Int, keepAge: Duration)
    }

    package struct Outcome: Sendable {
        package let exit: ExitCode
        /// What was done, or why not, in a line.
        package let message: String
        /// What went wrong besides.
        package fileprivate(set) var warnings: [String] = []
    }

    private let libraryPath: String
    private let step: Step

    package init(_ step: Step, libraryPath: String) { (self.step, self.libraryPath) = (step, libraryPath) }

    /// The command's name, for the history.
    private var command: String {
        switch step {
        case .rollBack: "rollback"
        case .pin: "pin"
        case .unpin: "unpin"
        case .forget: "forget"
        }
    }

    /// Does it. Blocks.
    package func carryOut() -> Outcome {
        let warnings = Locked<[String]>([])
        var outcome: Outcome
        do throws(LibraryError) {
            let library = try Library.open(libraryPath, for: .changing)
            let writer: LibraryWriter
            switch try library.beginWriting() {
            case .granted(let granted): writer = granted
            case .busy(let process): throw .busy(libraryPath, process)
            }
            defer { withExtendedLifetime(writer) {} }
            warnings.withLock { $0 += writer.recoveries }
            // The index learns of the generations that are here before one of them becomes current again.
            let history = RunHistory(writer, command: command, at: .now) { warning in
                warnings.withLock { $0.append(warning) }
            }
            let result = Result { () throws(LibraryError) in
                try carryOut(writer, history) { warning in
                    // Whoever had to put the library in order first has said so.
                    warnings.withLock { if !$0.contains(warning) { $0.append(warning) } }
                }
            }
            outcome = result.outcome
            history.end(exit: outcome.exit, RunSummary())
        } catch {
            outcome = Result.failure(error).outcome
        }
        outcome.warnings = warnings.withLock { $0 }
        return outcome
    }

    private func carryOut(
        _ writer: LibraryWriter, _ history: RunHistory, warn: (String) -> Void
    ) throws(LibraryError) -> String {
        switch step {
        case .rollBack(let target):
            let pin = try writer.rollBack(to: target, highestSerial: history.highestSerial)
            // It is current by now, whatever can be told of it.
            if let doubt = (try? writer.library.doubt(about: pin.generation)) ?? nil { warn(doubt) }
            return "generation \(pin.generation.value) is current, and stays so until \(pin.wayOut)"
        case .pin:
            return "pinned to generation \(try writer.pinCurrent().value) until larder unpin"
        case .unpin:
            let wasPinned = try writer.removePin()
            return wasPinned ? "unpinned: the next run publishes what its manifests ask for" : "nothing was pinned"
        case .forget(let manifest, let keep, let keepAge):
            return try forget(manifest, keep: keep, keepAge: keepAge, writer, history)
        }
    }

    private func forget(
        _ manifest: ContentID, keep: Int, keepAge: Duration, _ writer: LibraryWriter, _ history: RunHistory
    ) throws(LibraryError) -> String {
        let base = try writer.library.generations.current()
        guard base?.manifests[manifest] != nil else {
            if history.forgetRefusals(of: manifest) {
                return "nothing of '\(manifest)' is published; that it could not be followed is forgotten"
            }
            let known = (base?.manifests.keys.map(\.description) ?? []).sorted()
            let hint = nearestMatch(to: "\(manifest)", among: known).map { "did you mean '\($0)'? " } ?? ""
            let list = known.isEmpty ? "nothing is" : "there are: \(known.joined(separator: ", "))"
            throw LibraryError(.unknownName, "nothing of '\(manifest)' is published; \(hint)\(list)")
        }
        var draft = GenerationDraft(base: base)
        draft.removeManifest(manifest)
        guard let generation = try writer.publish(draft) else { return "nothing to forget" }
        let pin = try writer.releasePin(of: manifest)
        history.forget(manifest)
        _ = history.forgetRefusals(of: manifest)
        let collected = try writer.collect(keep: keep, keepAge: keepAge)
        history.forgetVerifications(of: collected.contents)
        let left = try writer.library.generations.addresses().contains { $0.bundle.manifest == manifest }
        return "'\(manifest)' is forgotten with generation \(generation.number.value); "
            + (left
                ? "its content goes with the older generations that still have it (larder clean --keep 1 --keep-age 0s)"
                : "\(collected.contents.count == 1 ? "1 content" : "\(collected.contents.count) contents") removed, \(shownBytes(collected.freedBytes)) freed")
            + (pin.map { "; the library is held there until \($0.wayOut)" } ?? "")
    }
}

extension LibraryPin {
    /// What ends it.
    fileprivate var wayOut: String {
        switch hold {
        case .everything: "larder unpin"
        case .serials: "a higher serial arrives or larder unpin"
        }
    }
}

extension Result<String, LibraryError> {
    fileprivate var outcome: LibrarySteering.Outcome {
        switch self {
        case .success(let message): LibrarySteering.Outcome(exit: .success, message: message)
        case .failure(let error): LibrarySteering.Outcome(exit: ExitCode(error), message: error.message)
        }
    }
}
