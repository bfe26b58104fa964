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
    static func findings(
        in presentations: [AskedPresentation], _ fetch: PlaylistFetch, _ limits: OnlineLimits
    ) async -> Findings {
        let slots = RequestSlots(limits.exchanges)
        return await withTaskGroup(of: (Int, Findings).self) { group in
            for (index, presentation) in presentations.enumerated() {
                group.addTask {
                    let found = await slots.withSlot {
                        var check = PresentationCheck(presentation, fetch, limits)
                        await check.run()
                        return check.findings
                    }
                    return (index, found)
                }
            }
            var all = [Findings](repeating: Findings(), count: presentations.count)
            for await (index, found) in group { all[index] = found }
            return all.reduce(into: Findings()) { $0.append($1) }
        }
    }

    private mutating func run() async {
        guard let (url, playlist) = await read(presentation.source.url.text, variables: nil) else { return }
        let address = PlaylistAddress(url: url)
        let options = presentation.options
        switch playlist {
        case .media(let media):
            plan { () throws(PlanRefusal) in
                _ = try OfflinePlan(.init(playlist: media, address: address, url: url), options)
            }
        case .master(let master): await check(master, at: address)
        }
    }

    private mutating func check(_ master: MasterPlaylist, at address: PlaylistAddress) async {
        let choice: PlaylistChoice
        do throws(ChoiceProblem) { choice = try PlaylistChoice(from: master, by: presentation.selection) } catch {
            return report(.notCopyable, "\(presentation.source.url): \(error)")
        }
        var sources: [String: OfflinePlan.Source] = [:]
        for uri in choice.playlistURIs where sources[uri] == nil {
            guard sources.count < limits.playlists else {
                return report(
                    .notAsked,
                    "\(presentation.source.url): more than \(limits.playlists) playlists; the rest wasn't read")
            }
            let url: String
            do throws(AddressProblem) { url = try address.resolve(uri) } catch {
                return report(.notCopyable, "\(presentation.source.url): \(error)")
            }
            guard let (final, playlist) = await read(url, variables: master.variables) else { return }
            guard case .media(let media) = playlist else {
                return report(
                    .notCopyable, "\(shown(final)): it is a master playlist where a media playlist was expected")
            }
            sources[uri] = OfflinePlan.Source(playlist: media, address: address.naming(url: final), url: url)
        }
        plan { [sources, options = presentation.options] () throws(PlanRefusal) in
            _ = try OfflinePlan(master, at: address, choice: choice, sources: sources, options)
        }
    }

    private mutating func plan(_ body: () throws(PlanRefusal) -> Void) {
        do throws(PlanRefusal) { try body() } catch { report(.notCopyable, "\(error)") }
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
        // As sync does: some servers don't say that a playlist is compressed.
        let text = (try? gunzipped(bytes, limitBytes: limits.playlistBytes)) ?? bytes
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
