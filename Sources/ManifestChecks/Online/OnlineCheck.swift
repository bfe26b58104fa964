import BundleManifest
import Diagnostics
import JSONSyntax
import Jobs
import Platform
import Transfer

/// Asks every source of a manifest whether it would bring what the manifest says, and fetches nothing.
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

    /// One source of one download, at its place.
    private struct Candidate {
        let source: ProbedSource
        let place: JSONValue
    }

    func findings(in placed: PlacedManifest, _ bases: SourceBases) async -> Findings {
        control.onStop { [session] in Task { await session.invalidate() } }
        var findings = OnlineFindings()
        let downloads = placed.bundles.map { bundle in
            bundle.downloads.map { candidates(for: $0, of: bundle.bundle, bases, &findings) }
        }
        var seen: Set<ProbedSource> = []
        let sources = downloads.joined().joined().map(\.source).filter { seen.insert($0).inserted }
        let interview = SourceInterview(probe: SourceProbe(session: session, redirects: redirects), limits: limits)
        let answers = await interview.answers(of: sources)
        let origins = Set(sources.map(\.url.origin))
        for (bundle, candidates) in zip(placed.bundles, downloads) {
            for (download, candidates) in zip(bundle.downloads, candidates) {
                judge(candidates, of: download, in: bundle.bundle, answers, origins, &findings)
            }
        }
        return findings.all
    }

    private func candidates(
        for download: PlacedDownload, of bundle: Bundle, _ bases: SourceBases, _ findings: inout OnlineFindings
    ) -> [Candidate] {
        var headers = HeaderFields()
        for header in bundle.headers { headers.append(header.name, header.value) }
        return download.references.flatMap { reference, place in
            do throws(TransferURLError) {
                // Files are opened by `DeepCheck`.
                return try bases.urls(of: reference).filter { $0.scheme != "file" }
                    .map { Candidate(source: ProbedSource(url: $0, headers: headers), place: place) }
            } catch {
                findings.report(.unusableURL, "\(error)", at: place)
                return []
            }
        }
    }

    private func judge(
        _ candidates: [Candidate], of download: PlacedDownload, in bundle: Bundle,
        _ answers: [ProbedSource: SourceAnswer], _ origins: Set<TransferURL.Origin>, _ findings: inout OnlineFindings
    ) {
        var comparison = MirrorComparison(download.file)
        for candidate in candidates {
            let source = candidate.source
            guard let answer = answers[source] else { continue }
            let name = download.path ?? bundle.package?.keptName ?? download.file.urls[0].text
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
            }
        }
    }
}
