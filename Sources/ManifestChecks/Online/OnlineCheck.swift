import BundleManifest
import Diagnostics
import JSONSyntax
import Jobs
import Platform
import Playlists
import Transfer

/// Asks every source of a manifest whether it would bring what the manifest says, and fetches nothing but the playlists of presentations.
package struct OnlineCheck: Sendable {
    private let session: Session
    private let redirects: RedirectPolicy
    private let limits: OnlineLimits
    private let control: RunControl
    /// How long sources may still be asked. What else is done meanwhile, and between one manifest and the next, doesn't count.
    private let timeLeft: Locked<Duration>

    /// The deadline ends all exchanges, as stopping the run does, and what wasn't asked by then is told to be so.
    package init(
        _ configuration: SessionConfiguration, redirects: RedirectPolicy, limits: OnlineLimits = OnlineLimits(),
        control: RunControl
    ) {
        let session = Session(configuration: limits.bounding(configuration))
        self.session = session
        self.redirects = redirects
        self.limits = limits
        timeLeft = Locked(min(limits.deadline, .seconds(86_400)))
        self.control = control
    }

    package func end() async { await session.invalidate() }

    func findings(in placed: PlacedManifest, _ bases: SourceBases) async -> Findings {
        control.onStop { [session] in Task { await session.invalidate() } }
        let begin = ContinuousClock.now
        let deadline = Task { [session, timeLeft] in
            // Woken before its time only when all has been asked.
            if (try? await Task.sleep(for: timeLeft.withLock { $0 })) != nil {
                timeLeft.withLock { $0 = .zero }
                await session.invalidate()
            }
        }
        defer {
            deadline.cancel()
            timeLeft.withLock { $0 = max(.zero, $0 - (ContinuousClock.now - begin)) }
        }
        let probe = SourceProbe(session: session, redirects: redirects)
        var pass = OnlinePass(
            placed, bases, limits, isOver: { isOver },
            ask: {
                control.noteActivity()
                return await probe.ask($0)
            })
        await pass.run()
        let fetch = PlaylistFetch(session: session, redirects: redirects, budgetBytes: limits.playlistBytes)
        var all = pass.findings.all
        all.append(
            await PresentationCheck.findings(in: pass.presentations, fetch, limits, isOver: { isOver }))
        return all
    }

    /// Whether nothing is asked any more.
    private var isOver: Bool { control.reason != nil || timeLeft.withLock { $0 } <= .zero }
}
