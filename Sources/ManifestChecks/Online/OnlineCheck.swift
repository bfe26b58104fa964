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

    /// The deadline runs from here. It ends all exchanges, as stopping the run does, and what wasn't asked by then is told to be so.
    package init(
        _ configuration: SessionConfiguration, redirects: RedirectPolicy, limits: OnlineLimits = OnlineLimits(),
        control: RunControl
    ) {
        let session = Session(configuration: limits.bounding(configuration))
        self.session = session
        self.redirects = redirects
        self.limits = limits
        deadline = Task {
            // Woken before its time only by `end`.
            if (try? await Task.sleep(for: min(limits.deadline, .seconds(86_400)))) != nil {
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
        var findings = OnlineFindings()
        let listing = SourceListing(placed, bases, &findings)
        let probe = SourceProbe(session: session, redirects: redirects)
        let answers = await SourceInterview(probe: probe, limits: limits, sources: listing.sources).answers()
        let origins = Set(listing.sources.map(\.url.origin))
        var candidates = listing.candidates[...]
        var presentations: [AskedPresentation] = []
        for bundle in placed.bundles {
            for download in bundle.downloads {
                let own = candidates.popFirst() ?? []
                let good = judge(
                    own.map { ($0, listing.sources[$0.source], answers[$0.source]) }, of: download, in: bundle.bundle,
                    origins, &findings)
                guard let good, case .hls(let presentation) = bundle.bundle.content else { continue }
                presentations.append(
                    AskedPresentation(
                        source: listing.sources[good.source], place: good.place, presentation))
            }
        }
        let fetch = PlaylistFetch(session: session, redirects: redirects, budgetBytes: limits.playlistBytes)
        var all = findings.all
        all.append(await PresentationCheck.findings(in: presentations, fetch, limits))
        return all
    }

    /// - Returns: the first source that has what is wanted.
    private func judge(
        _ asked: [(candidate: SourceListing.Candidate, source: ProbedSource, answer: SourceAnswer)],
        of download: PlacedDownload, in bundle: Bundle, _ origins: Set<TransferURL.Origin>,
        _ findings: inout OnlineFindings
    ) -> SourceListing.Candidate? {
        var good: SourceListing.Candidate?
        var comparison = MirrorComparison(download.file)
        let name = download.path ?? bundle.package?.keptName ?? download.file.urls[0].text
        for (candidate, source, answer) in asked {
            let verdict = SourceVerdict(
                source: source, file: download.file, name: name, isUnpacked: bundle.isUnpacked, origins: origins)
            let problems = verdict.problems(answer)
            for problem in problems {
                findings.report(
                    problem.rule, problem.message, at: candidate.place, hint: problem.hint, server: source.url.origin)
            }
            if case .reply(let reply, _) = answer, reply.isUsable,
                !problems.contains(where: { $0.rule.severity == .error })
            {
                comparison.compare(reply, from: source.url, at: candidate.place, &findings)
                good = good ?? candidate
            }
        }
        return good
    }
}
