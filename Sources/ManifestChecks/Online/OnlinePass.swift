import BundleManifest
import Diagnostics
import JSONSyntax
import Jobs
import Platform
import Transfer

/// One walk over the sources of a manifest: some thousand are listed, asked and judged, and then the next ones, so that what is known of them takes no
/// more memory than that, and the end of the time finds little that is still to be told.
struct OnlinePass {
    private let placed: PlacedManifest
    private let bases: SourceBases
    private let limits: OnlineLimits
    private let isOver: @Sendable () -> Bool
    private var interview: SourceInterview
    private var listing = SourceListing()
    private(set) var findings = OnlineFindings()
    /// Presentations whose entry is there.
    private(set) var presentations: [AskedPresentation] = []
    /// The origins of all sources of the manifest, once somebody asks for them.
    private var origins: Set<TransferURL.Origin>?

    init(
        _ placed: PlacedManifest, _ bases: SourceBases, _ limits: OnlineLimits,
        isOver: @escaping @Sendable () -> Bool, ask: @escaping @Sendable (ProbedSource) async -> SourceAnswer
    ) {
        (self.placed, self.bases, self.limits, self.isOver) = (placed, bases, limits, isOver)
        interview = SourceInterview(limits: limits, isOver: isOver, ask: ask)
    }

    mutating func run() async {
        var doneCount = 0
        var firstUnasked: JSONValue?
        bundles: for bundle in placed.bundles {
            for download in bundle.downloads {
                guard !isOver() else {
                    firstUnasked = download.place
                    break bundles
                }
                listing.add(download, of: bundle.bundle, bases, &findings)
                if listing.sources.count >= limits.sourcesAtOnce { await askListed() }
            }
            doneCount += 1
        }
        await askListed()
        if let firstUnasked {
            let count = placed.bundleCount - doneCount
            findings.report(
                .notAsked,
                "\(count) of \(placed.bundleCount) bundles were not asked for: the time was over, or the run was stopped; this is the first",
                at: firstUnasked, hint: "if it was the time, --deadline gives more")
        }
    }

    private mutating func askListed() async {
        let listed = listing
        listing = SourceListing()
        let answers = await interview.answers(of: listed.sources)
        for entry in listed.entries {
            let asked = entry.candidates.map { ($0, listed.sources[$0.source], answers[$0.source]) }
            guard let good = judge(asked, of: entry), case .hls(let presentation) = entry.bundle.content else {
                continue
            }
            presentations.append(
                AskedPresentation(source: listed.sources[good.source], place: good.place, presentation))
        }
    }

    /// - Returns: the first source that has what is wanted.
    private mutating func judge(
        _ asked: [(candidate: SourceListing.Candidate, source: ProbedSource, answer: SourceAnswer)],
        of entry: SourceListing.Entry
    ) -> SourceListing.Candidate? {
        let file = entry.download.file
        var good: SourceListing.Candidate?
        var comparison = MirrorComparison(file)
        let name = entry.download.path ?? entry.bundle.package?.keptName ?? file.urls[0].text
        for (candidate, source, answer) in asked {
            let verdict = SourceVerdict(
                source: source, file: file, name: name, isUnpacked: entry.bundle.isUnpacked)
            var problems = verdict.problems(answer)
            if let elsewhere = verdict.redirect(answer), !isNamed(elsewhere.target.origin) {
                problems.append(elsewhere.problem)
            }
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

    /// Whether some source of the manifest is there, or may be: there was no time to look at all of them.
    private mutating func isNamed(_ origin: TransferURL.Origin) -> Bool {
        guard let known = origins ?? placed.origins(unless: isOver)?.union(bases.origins) else { return true }
        origins = known
        return known.contains(origin)
    }
}

extension PlacedManifest {
    /// The origins of all sources, without a look at the rest of each bundle.
    /// - Parameter isOver: ends the search.
    /// - Returns: nil where they aren't complete.
    fileprivate func origins(unless isOver: () -> Bool) -> Set<TransferURL.Origin>? {
        var begins = Set(mirrors.map { $0.text.authorityAndBefore })
        for bundle in document.root["bundles"]?.elements ?? document.root.elements {
            if isOver() { return nil }
            begins.formUnion(bundle.absoluteURLs)
            for key in ["segments", "files"] {
                for file in bundle[key]?.elements ?? bundle.elements { begins.formUnion(file.absoluteURLs) }
            }
        }
        return Set(begins.compactMap { try? TransferURL($0).origin })
    }
}

extension JSONValue {
    /// How the absolute ones of its `urls` begin.
    fileprivate var absoluteURLs: [String] {
        guard let urls = self["urls"] else { return [] }
        return urls.elements.compactMap(\.string).filter { $0.contains("://") }.map(\.authorityAndBefore)
    }
}

extension String {
    /// What stands in front of a URL's path.
    fileprivate var authorityAndBefore: String {
        guard let start = firstRange(of: "://")?.upperBound else { return self }
        return String(self[..<(self[start...].firstIndex { "/?#".contains($0) } ?? endIndex)])
    }
}
