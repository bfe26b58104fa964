import Archives
import BundleManifest
import Diagnostics
import JSONSyntax
import Jobs
import Playlists
import Transfer

/// An HLS presentation whose entry is there.
struct AskedPresentation: Sendable {
    let source: ProbedSource
    /// Where its URL stands in the manifest.
    let place: JSONValue
    let selection: VariantSelection
    let options: OfflinePlan.Options

    init(source: ProbedSource, place: JSONValue, _ presentation: Presentation) {
        (self.source, self.place) = (source, place)
        selection = VariantSelection(presentation.selection)
        var options = OfflinePlan.Options()
        options.allowsLive = presentation.recording != nil
        options.decrypts = presentation.isDecrypted
        self.options = options
    }
}

/// Reads the playlists of a presentation as `sync` does, and plans the copy. Nothing that they name is fetched but playlists.
struct PresentationCheck: Sendable {
    private let fetch: PlaylistFetch
    private let presentation: AskedPresentation
    private let limits: OnlineLimits
    private var findings = Findings()

    private init(_ presentation: AskedPresentation, _ fetch: PlaylistFetch, _ limits: OnlineLimits) {
        (self.presentation, self.fetch, self.limits) = (presentation, fetch, limits)
    }

    /// What is found in several presentations, in their order.
    /// - Parameter isOver: whether nothing is asked any more.
    static func findings(
        in presentations: [AskedPresentation], _ fetch: PlaylistFetch, _ limits: OnlineLimits,
        isOver: @escaping @Sendable () -> Bool
    ) async -> Findings {
        let slots = RequestSlots(limits.exchanges)
        return await withTaskGroup(of: (Int, Findings?).self) { group in
            for (index, presentation) in presentations.enumerated() {
                group.addTask {
                    let found = await slots.withSlot { () -> Findings? in
                        if isOver() { return nil }
                        var check = PresentationCheck(presentation, fetch, limits)
                        await check.run()
                        return check.findings
                    }
                    return (index, found)
                }
            }
            var all = [Findings?](repeating: nil, count: presentations.count)
            for await (index, found) in group { all[index] = found }
            var findings = all.reduce(into: Findings()) { if let some = $1 { $0.append(some) } }
            let unread = all.indices.filter { all[$0] == nil }
            if let first = unread.first {
                findings.report(
                    .notAsked,
                    "of \(unread.count) of \(all.count) presentations no more than the first playlist was asked for: the time was over, or the run was stopped; this is the first",
                    at: presentations[first].place, hint: "if it was the time, --deadline gives more")
            }
            return findings
        }
    }

    private mutating func run() async {
        let url = presentation.source.url
        guard let (origin, first) = await read(url.text, variables: nil) else { return }
        let outline: PresentationOutline
        do throws(ChoiceProblem) {
            outline = try PresentationOutline(first, url: url.text, from: origin, by: presentation.selection)
        } catch {
            return report(.notCopyable, "\(url): \(error)")
        }
        var sources: [String: OfflinePlan.Source] = [:]
        var segmentsLeft = limits.segments
        sources[PresentationOutline.loneURI] = outline.lone
        for uris in outline.wanted {
            guard sources.count < limits.playlists else {
                return report(.notAsked, "\(url): more than \(limits.playlists) playlists; the rest wasn't read")
            }
            guard let source = await firstSource(of: uris, outline) else { return }
            segmentsLeft -= source.playlist.segments.count
            guard segmentsLeft >= 0 else {
                return report(.notAsked, "\(url): more than \(limits.segments) segments; the rest wasn't read")
            }
            sources[uris[0]] = source
        }
        do throws(PlanRefusal) { _ = try outline.plan(sources, presentation.options) } catch {
            report(.notCopyable, "\(error)")
        }
    }

    /// The first that can be read; the ones behind it are there for when it can't.
    /// - Returns: nil where none can; what is wrong with the first was told then.
    private mutating func firstSource(
        of uris: [String], _ outline: PresentationOutline
    ) async -> OfflinePlan.Source? {
        let before = findings
        var failed: Findings?
        for uri in uris {
            if let source = await source(uri, outline) { return source }
            failed = failed ?? findings
            findings = before
        }
        findings = failed ?? before
        return nil
    }

    /// - Returns: nil where that was told to be impossible.
    private mutating func source(_ uri: String, _ outline: PresentationOutline) async -> OfflinePlan.Source? {
        let url: String
        do throws(AddressProblem) { url = try outline.url(of: uri) } catch {
            report(.notCopyable, "\(presentation.source.url): \(error)")
            return nil
        }
        guard let (origin, playlist) = await read(url, variables: outline.master?.variables) else { return nil }
        do throws(NestedMasterPlaylist) { return try outline.source(playlist, url: url, from: origin) } catch {
            report(.notCopyable, "\(shown(origin)): \(error)")
            return nil
        }
    }

    /// - Returns: where it came from, and what it says; nil where that was told to be impossible.
    private mutating func read(
        _ text: String, variables: [String: String]?
    ) async -> (url: String, playlist: Playlist)? {
        let url: TransferURL
        do throws(TransferURLError) { url = try TransferURL(text) } catch {
            report(.unusableURL, "\(error)")
            return nil
        }
        switch await fetch.playlist(at: url, presentation.source.headers) {
        case .stopped:
            report(.notAsked, "\(url): not read to the end: the time was over, or the run was stopped")
            return nil
        case .failed(let reason):
            report(.unreadablePlaylist, "\(url): \(reason)")
            return nil
        case .read(let bytes, let final): return parse(bytes, final, variables)
        }
    }

    private mutating func parse(
        _ bytes: [UInt8], _ url: TransferURL, _ variables: [String: String]?
    ) -> (url: String, playlist: Playlist)? {
        var text = bytes
        // As sync does: some servers don't say that a playlist is compressed.
        if bytes.starts(with: [0x1f, 0x8b]) {
            do throws(ArchiveError) { text = try gunzipped(bytes, limitBytes: limits.playlistBytes) } catch {
                report(.unreadablePlaylist, "\(url): it looks like gzip: \(error)")
                return nil
            }
        }
        let outcome = PlaylistParser.parse(text, .init(url: url.text, importableVariables: variables))
        let source = SourceText(name: "\(url)", bytes: text)
        if !outcome.diagnostics.isEmpty {
            let lines = LineIndex(source)
            for finding in outcome.diagnostics {
                guard let rule = PlaylistRule(rawValue: finding.id) else { continue }
                let line = lines.position(of: finding.range.start).line
                findings.append(
                    Diagnostic(
                        rule, "\(url), line \(line): \(finding.message)", at: presentation.place.markedRange,
                        hint: finding.hint), at: presentation.place)
            }
        }
        return outcome.playlist.map { (url.text, $0) }
    }

    private func shown(_ url: String) -> String { (try? TransferURL(url)).map { "\($0)" } ?? "a playlist" }

    private mutating func report(_ rule: ContentRule, _ message: String) {
        findings.report(rule, message, at: presentation.place)
    }
}
