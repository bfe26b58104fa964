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
    private let deadline: Task<Void, Never>
    /// Whether the deadline has passed.
    private let isOver = Locked(false)

    /// The deadline runs from here. It ends all exchanges, as stopping the run does, and what wasn't asked by then is told to be so.
    package init(
        _ configuration: SessionConfiguration, redirects: RedirectPolicy, limits: OnlineLimits = OnlineLimits(),
        control: RunControl
    ) {
        let session = Session(configuration: limits.bounding(configuration))
        self.session = session
        self.redirects = redirects
        self.limits = limits
        deadline = Task { [isOver] in
            // Woken before its time only by `end`.
            if (try? await Task.sleep(for: min(limits.deadline, .seconds(86_400)))) != nil {
                isOver.withLock { $0 = true }
                await session.invalidate()
            }
        }
        self.control = control
    }

    package func end() async {
        deadline.cancel()
        await session.invalidate()
    }

    func findings(in placed: PlacedManifest, _ bases: SourceBases) async -> Findings {
        control.onStop { [session] in Task { await session.invalidate() } }
        let probe = SourceProbe(session: session, redirects: redirects)
        var pass = OnlinePass(
            placed, bases, limits,
            isOver: { [isOver, control] in
                isOver.withLock { $0 } || control.reason != nil
            }, ask: { await probe.ask($0) })
        await pass.run()
        let fetch = PlaylistFetch(session: session, redirects: redirects, budgetBytes: limits.playlistBytes)
        var all = pass.findings.all
        all.append(await PresentationCheck.findings(in: pass.presentations, fetch, limits))
        return all
    }
}
