import Diagnostics
import Platform
import Playlists

/// Entry point for libFuzzer: `build hls` makes a program of this file.
///
/// Whatever the bytes are, they are read in bounded time and memory, to a playlist or to an error. What was read is written so that it reads the
/// same, and a copy that is planned of it names nothing but what it stores.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let outcome = PlaylistParser.parse(bytes, context)
    precondition((outcome.playlist == nil) == outcome.diagnostics.hasErrors)
    for diagnostic in outcome.diagnostics {
        precondition(diagnostic.range.start <= diagnostic.range.end && diagnostic.range.end <= size)
        precondition(!diagnostic.message.unicodeScalars.contains(where: \.isUnsafeInMessages))
    }
    guard let playlist = outcome.playlist, !isEmpty(playlist) else { return 0 }
    let text = PlaylistWriter.text(of: playlist)
    precondition(PlaylistWriter.text(of: reread(text)) == text)
    switch playlist {
    case .media(let playlist): fuzzPlan(of: playlist)
    case .master(let playlist): fuzzChoice(of: playlist)
    }
    return 0
}

/// Whether there is nothing to write.
private func isEmpty(_ playlist: Playlist) -> Bool {
    guard case .master(let master) = playlist else { return false }
    return master.variants.isEmpty && master.renditions.isEmpty && master.iFrameStreams.isEmpty
        && master.sessionData.isEmpty && master.sessionKeys.isEmpty
}

private let context: PlaylistParser.Context = {
    var context = PlaylistParser.Context(
        url: "https://example.com/a/list.m3u8?q=1%2B1", importableVariables: ["v": "1"])
    context.limits.segments = 1_000
    context.limits.choices = 100
    return context
}()

private func reread(_ text: String) -> Playlist {
    let outcome = PlaylistParser.parse(Array(text.utf8), context)
    guard let playlist = outcome.playlist else { preconditionFailure("\(outcome.diagnostics)") }
    return playlist
}

private func fuzzPlan(of playlist: MediaPlaylist) {
    var options = OfflinePlan.Options()
    options.allowsLive = true
    let source = OfflinePlan.Source(
        playlist: playlist, address: PlaylistAddress(url: context.url), url: context.url)
    guard let plan = try? OfflinePlan(source, options) else { return }
    check(plan)
    guard case .media(let copy) = plan.playlists.first?.content else { preconditionFailure("no media playlist") }
    precondition(copy.duration == playlist.duration && copy.segments.count == playlist.segments.count)
    let stored = Set(plan.resources.map(\.path))
    let named = copy.segments.filter { !$0.isGap }.map(\.uri) + copy.maps.map(\.uri) + copy.keySets.joined().map(\.uri)
    precondition(Set(named) == stored)
}

private func fuzzChoice(of master: MasterPlaylist) {
    var selection = VariantSelection()
    selection.takesAll = master.variants.count % 2 == 0
    guard let choice = try? PlaylistChoice(from: master, by: selection) else { return }
    var media = MediaPlaylist()
    media.segments = [MediaSegment(uri: "s", duration: .seconds(1))]
    media.hasEndList = true
    let address = PlaylistAddress(url: context.url)
    let sources = (choice.variants.map(\.variant.uri) + choice.renditions.compactMap(\.uri)).map {
        ($0, OfflinePlan.Source(playlist: media, address: address, url: "https://example.com/" + $0))
    }
    let all = Dictionary(sources) { first, _ in first }
    if let plan = try? OfflinePlan(master, at: address, choice: choice, sources: all) { check(plan) }
}

/// Each file once, at a path that stays where it belongs, and playlists that read the same.
private func check(_ plan: OfflinePlan) {
    let paths = plan.resources.map(\.path) + plan.playlists.map(\.path)
    precondition(Set(paths).count == paths.count)
    for path in paths {
        precondition((try? RelativePath(path)) != nil)
        precondition(
            path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "%") })
    }
    for planned in plan.playlists {
        let text = PlaylistWriter.text(of: planned.content)
        precondition(PlaylistWriter.text(of: reread(text)) == text)
    }
}
