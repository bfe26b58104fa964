import ContentLibrary
import Platform

/// What is damaged of a library is mended by whichever run has the lock next.
extension SyncRun {
    /// Tells what had to be put in order first, and puts back what can be of generations.
    /// - Returns: what is known to be damaged.
    func beginMending(_ writer: LibraryWriter, _ history: RunHistory) -> Set<StoreAddress> {
        var recoveries = writer.recoveries
        if options.mending != nil {
            do throws(LibraryError) { recoveries += try writer.restoreGenerations(.bytes, current: .bytes) } catch {
                emit(.notice("what generations have lost could not be put back: \(error)"))
            }
        }
        for recovery in recoveries { emit(.notice(recovery)) }
        let known = history.damagedContents
        let found = options.mending?.contents ?? []
        // Whoever found it may have had no index to note it in.
        history.record(damaged: found.subtracting(known))
        let damaged = known.union(found)
        writer.note(damaged: damaged)
        // What can't be removed now goes later.
        _ = try? writer.discardReplacedContent()
        return damaged
    }

    /// Says what is damaged, and isn't mended since nothing is done for what is held.
    func tellHeldDamage(_ board: RunBoard, _ damaged: Set<StoreAddress>) {
        guard options.mending == nil else { return }
        let held = Set(board.manifests.filter(\.isHeld).map(\.id))
        for content in damaged.sorted() where held.contains(content.bundle.manifest) && board.isCurrent(content) {
            emit(
                .notice("\(content.name) is damaged, and the library is held: larder verify --repair mends it"),
                of: content.bundle)
        }
    }

    /// Says what readers don't find as it was published, since it could not be put back: a run that leaves that alone hasn't done all.
    /// - Returns: the exit code, with that.
    func tellUnrestored(_ writer: LibraryWriter, _ exit: ExitCode) -> ExitCode {
        // A repair is judged by who asked for it.
        guard options.mending == nil else { return exit }
        let problems: [String]
        do throws(LibraryError) { problems = try writer.unrestoredProblems() } catch { problems = [error.message] }
        for problem in problems { emit(.runFailed(.failure, message: problem)) }
        return problems.isEmpty ? exit : exit.combined(with: .failure)
    }

    /// Lets the library be searched once for all that is mended.
    func expectMending(_ board: RunBoard, _ writer: LibraryWriter) {
        for plan in board.plans.map(\.plan) where plan.isMending {
            writer.note(wanted: plan.bundle.knownDigests.compactMap(\.self))
        }
    }

    /// The manifests of a run that only mends.
    func published(in library: Library, _ mending: MendingOrder) -> LoadedManifests {
        var loaded = LoadedManifests()
        do throws(LibraryError) {
            guard let current = try library.generations.current() else { return loaded }
            loaded.manifests = try LoadedManifest.published(in: current, of: library, base: mending.base) {
                emit(.warning($0))
            }
        } catch {
            for event in RunProblem(error).events { emit(event) }
            loaded.exit = .failure
        }
        return loaded
    }

    /// Notes what is whole again.
    func endMending(
        _ board: RunBoard, _ damaged: Set<StoreAddress>, _ writer: LibraryWriter, _ history: RunHistory
    ) {
        if let mending = options.mending {
            // What readers don't see now isn't asked for by any manifest of the run.
            let planned = Set(board.plans.map(\.plan.address))
            for address in mending.contents.sorted() where writer.isDamaged(address) {
                if planned.contains(address.bundle), board.isCurrent(address) { continue }
                mendByLibrary(address, writer, isCurrent: board.isCurrent(address))
            }
        }
        history.record(mended: damaged.filter { !writer.isDamaged($0) }, at: options.clock.now())
    }

    /// Mends content of an older generation, of one that isn't published yet, or of a manifest that can't be read: by what the library has, since nobody
    /// knows where else it is to be had.
    private func mendByLibrary(_ address: StoreAddress, _ writer: LibraryWriter, isCurrent: Bool) {
        var trouble: String?
        do throws(LibraryError) {
            guard let content = try writer.library.store.open(address) else {
                throw LibraryError(.damaged, "its receipt is missing or damaged")
            }
            switch try writer.mend(content, isStopped: { [control] in control.reason != nil }) {
            case .whole: return
            case .mended:
                emit(.contentMended(content: "\(address.name)", isFetched: false), of: address.bundle)
                return
            case .lacking(let files): trouble = "\(files) of its files are nowhere in the library"
            }
        } catch {
            trouble = error.message
        }
        if control.reason == nil, let trouble {
            let fate = isCurrent ? "" : ", and isn't what readers see now; it goes with its generation"
            emit(
                .bundleFailed(
                    code: BundleFailure.Code.libraryFailed.rawValue,
                    message:
                        "\(address.name) can't be mended\(fate): \(trouble)"
                ), of: address.bundle)
        }
    }
}
