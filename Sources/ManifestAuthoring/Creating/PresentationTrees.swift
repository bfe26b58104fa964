import Diagnostics
import Platform
import Playlists

/// The HLS presentations in a folder: the playlists that players begin with, and the files that belong to them. Whether one can be copied is for
/// those to say who do so: a plan of the copy is made.
struct PresentationTrees {
    private let folder: SourceFolder
    /// Where the folder is served.
    private let base: String
    /// The same as URLs are compared.
    private let comparedBase: String
    /// Whether that was told.
    private let isServerKnown: Bool
    /// What the manifest names already.
    private let listed: KnownFiles
    private let observer: CreationObserver
    /// With the digests of what was understood.
    private var entries: [RelativePath: SHA256Digest] = [:]
    /// All that the playlists name, directly or not, and these themselves.
    private(set) var parts: Set<RelativePath> = []

    /// Stands for the server where nobody tells which it will be.
    private static let unknownServer = "http://server.invalid/"
    private static let limitBytes = PlaylistLimits().textBytes

    /// - Parameters:
    ///   - playlists: all that there are, in order.
    ///   - base: where the folder will be served, with a slash at the end; nil: nobody knows.
    ///   - listed: what the manifest names already: of these presentations none of the parts is new.
    /// - Throws: `brokenPresentation` for one that the manifest names and that can't be read: nobody can tell what belongs to it.
    init(
        _ playlists: [RelativePath], in folder: SourceFolder, base: String?, knowing listed: KnownFiles = KnownFiles(),
        _ observer: CreationObserver
    ) throws(CreationProblem) {
        self.folder = folder
        self.listed = listed
        // What URIs are resolved to has no dot segments.
        self.base = base.flatMap { try? PlaylistAddress(url: $0).resolve("./") } ?? Self.unknownServer
        comparedBase = URLParts(self.base).compared
        isServerKnown = base != nil
        self.observer = observer
        try addListedPresentations()
        /// Playlists that are no master playlists, and what these name: what stands beneath one is never a beginning.
        var (others, named): ([RelativePath], Set<RelativePath>) = ([], [])
        for path in playlists where !isListed(path) {
            // What can't be read is told once it is known that nobody names it: it may need another's variables.
            guard let text = try? read(path, variables: nil), case .master(let master) = text.playlist else {
                others.append(path)
                continue
            }
            named.formUnion(known(master.playlistURIs, of: path))
            attempt(path) { trees throws(Refusal) in
                trees.add(path, text.digest, try trees.parts(of: master, at: path))
            }
        }
        for path in others where !named.contains(path) && !isListed(path) {
            attempt(path) { trees throws(Refusal) in
                let text = try trees.read(path, variables: nil)
                trees.add(path, text.digest, try trees.parts(of: text.playlist, at: path))
            }
        }
    }

    /// What a file of the folder is read for; nil: it belongs to a presentation, and isn't.
    func role(of path: RelativePath) -> InspectionItem.Role? {
        if let digest = entries[path] { return .presentation(digest) }
        return parts.contains(path) ? nil : .plain
    }

    /// Whether a file is read for what its name and content tell.
    func isPlain(_ path: RelativePath) -> Bool {
        guard case .plain? = role(of: path) else { return false }
        return true
    }

    private struct Refusal: Error { let why: String }

    private mutating func attempt(_ path: RelativePath, _ body: (inout Self) throws(Refusal) -> Void) {
        do throws(Refusal) { try body(&self) } catch {
            observer.warn("\(folder.shown(path)): \(error.why); its files are taken like any others")
        }
    }

    private mutating func add(_ entry: RelativePath, _ digest: SHA256Digest, _ parts: Set<RelativePath>) {
        if let shared = parts.filter(listed.files.contains).min(by: { $0.description < $1.description }) {
            observer.warn(
                "\(folder.shown(entry)): it plays \(shared), which the manifest names by itself, and is left out; for a bundle of it take that out of the manifest"
            )
        } else {
            entries[entry] = digest
        }
        self.parts.formUnion(parts)
        self.parts.insert(entry)
    }

    // MARK: What the manifest names

    /// Whether a playlist is nothing new.
    private func isListed(_ path: RelativePath) -> Bool { listed.files.contains(path) || parts.contains(path) }

    /// What belongs to them is all that counts: whether they can be copied was settled when they came into the manifest.
    private mutating func addListedPresentations() throws(CreationProblem) {
        for path in listed.presentations.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) })
        where status(path)?.kind == .file {
            do throws(Refusal) { parts.formUnion(try everything(of: path)) } catch {
                throw .brokenPresentation("\(folder.shown(path)): \(error.why)")
            }
        }
    }

    /// Itself, and whatever it names, directly or not, that is there.
    private func everything(of path: RelativePath) throws(Refusal) -> Set<RelativePath> {
        var found: Set<RelativePath> = [path]
        switch try read(path, variables: nil).playlist {
        case .media(let media): found.formUnion(present(media.neededURIs.union(media.otherURIs), of: path))
        case .master(let master):
            found.formUnion(present(master.neededURIs.union(master.otherURIs), of: path))
            for child in present(master.playlistURIs, of: path) {
                found.insert(child)
                guard case .media(let media)? = try? read(child, variables: master.variables).playlist else { continue }
                found.formUnion(present(media.neededURIs.union(media.otherURIs), of: child))
            }
        }
        return found
    }

    // MARK: Playlists

    private func url(of path: RelativePath) -> String { base + SourcePath.url(path) }

    private func read(
        _ path: RelativePath, variables: [String: String]?
    ) throws(Refusal) -> (playlist: Playlist, digest: SHA256Digest) {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try folder.open(path).readAll(limitBytes: Self.limitBytes) } catch {
            throw Refusal(why: "\(error)")
        }
        let context = PlaylistParser.Context(url: url(of: path), importableVariables: variables)
        let outcome = PlaylistParser.parse(bytes, context)
        guard let playlist = outcome.playlist else {
            let message = outcome.diagnostics.first { $0.severity == .error }?.message
            throw Refusal(why: "it is no playlist that can be read: \(message ?? "it is empty")")
        }
        return (playlist, SHA256.digest(of: bytes))
    }

    /// What a master playlist needs, that it has. Whoever copies it may want any variant.
    private func parts(of master: MasterPlaylist, at path: RelativePath) throws(Refusal) -> Set<RelativePath> {
        var everything = VariantSelection()
        everything.takesAll = true
        let outline: PresentationOutline
        do throws(ChoiceProblem) {
            outline = try PresentationOutline(.master(master), url: "\(path)", from: url(of: path), by: everything)
        } catch {
            throw Refusal(why: "\(error)")
        }
        var parts = try needed(master.neededURIs, of: path)
        parts.formUnion(present(master.otherURIs, of: path))
        for uris in outline.wanted {
            parts.formUnion(try self.parts(ofFirst: uris, variables: master.variables, master: path))
        }
        // Nobody copies what is only for seeking, so it may be whatever it is.
        for child in known(Set(master.iFrameStreams.map(\.uri)), of: path) {
            parts.formUnion((try? self.parts(ofMedia: child, variables: master.variables)) ?? [])
        }
        return parts
    }

    /// What a variant or rendition needs: one of the playlists at these URIs has to be right.
    private func parts(
        ofFirst uris: [String], variables: [String: String], master: RelativePath
    ) throws(Refusal) -> Set<RelativePath> {
        var (parts, isThere, refusal): (Set<RelativePath>, Bool, Refusal?) = ([], false, nil)
        for uri in uris {
            do throws(Refusal) {
                if let child = try file(uri, of: master) {
                    _ = try checked(child, of: master)
                    parts.formUnion(try self.parts(ofMedia: child, variables: variables))
                }
                isThere = true
            } catch {
                refusal = refusal ?? error
            }
        }
        if !isThere, let refusal { throw refusal }
        return parts
    }

    /// The same of a playlist that a master playlist names, and itself.
    private func parts(ofMedia path: RelativePath, variables: [String: String]) throws(Refusal) -> Set<RelativePath> {
        let playlist: Playlist
        do throws(Refusal) { playlist = try read(path, variables: variables).playlist } catch {
            throw Refusal(why: "\(path): \(error.why)")
        }
        return try parts(of: playlist, at: path).union([path])
    }

    /// What a playlist of segments needs, that it has.
    private func parts(of playlist: Playlist, at path: RelativePath) throws(Refusal) -> Set<RelativePath> {
        guard case .media(let media) = playlist else { throw Refusal(why: "\(path): \(NestedMasterPlaylist())") }
        let address = PlaylistAddress(url: url(of: path))
        do throws(PlanRefusal) {
            _ = try OfflinePlan(OfflinePlan.Source(playlist: media, address: address, url: "\(path)"))
        } catch {
            throw Refusal(why: "\(error)")
        }
        return try needed(media.neededURIs, of: path).union(present(media.otherURIs, of: path))
    }

    // MARK: Files

    /// The files in the folder that URIs lead to, all of which have to be there.
    private func needed(_ uris: Set<String>, of path: RelativePath) throws(Refusal) -> Set<RelativePath> {
        var files: Set<RelativePath> = []
        // In order, so that what is told is always the same.
        for uri in uris.sorted() { if let file = try file(uri, of: path) { files.insert(try checked(file, of: path)) } }
        return files
    }

    /// Those of the files that are there.
    private func present(_ uris: Set<String>, of path: RelativePath) -> Set<RelativePath> {
        known(uris, of: path).filter { status($0)?.kind == .file }
    }

    /// Those of the URIs that lead to files in the folder, whether they are there or not.
    private func known(_ uris: Set<String>, of path: RelativePath) -> Set<RelativePath> {
        Set(uris.compactMap { uri in try? file(uri, of: path) })
    }

    private func checked(_ file: RelativePath, of path: RelativePath) throws(Refusal) -> RelativePath {
        switch status(file)?.kind {
        case .file: return file
        case .symbolicLink where folder.files?.contains(file) == true: return file
        case .symbolicLink: throw Refusal(why: "\(path) names \(file), which is a link, and links are left out")
        case .directory, .other: throw Refusal(why: "\(path) names \(file), which is no file")
        case nil: throw Refusal(why: "\(path) names \(file), which isn't there")
        }
    }

    private func status(_ file: RelativePath) -> FileStatus? { try? folder.root.status(of: file) }

    /// The file in the folder that a URI leads to; nil for one that leads to a server, which has it or hasn't.
    private func file(_ uri: String, of path: RelativePath) throws(Refusal) -> RelativePath? {
        let url: String
        do throws(AddressProblem) { url = try PlaylistAddress(url: self.url(of: path)).resolve(uri) } catch {
            throw Refusal(why: "\(error)")
        }
        let compared = URLParts(url).compared
        guard compared.utf8.starts(with: comparedBase.utf8) else { return nil }
        let relative = percentDecoded(
            compared.utf8.dropFirst(comparedBase.utf8.count).prefix { $0 != UInt8(ascii: "?") })
        let file: RelativePath
        do throws(PathProblem) { file = try RelativePath(relative) } catch {
            throw Refusal(why: "\(path) names \(uri.quotedForMessage()): \(error)")
        }
        // Nobody knows whether the folder is the server's topmost one.
        if !isServerKnown, uri.utf8.first == UInt8(ascii: "/"), status(file) == nil { return nil }
        return file
    }
}

extension MasterPlaylist {
    fileprivate var playlistURIs: Set<String> {
        Set(variants.map(\.uri) + renditions.compactMap(\.uri) + iFrameStreams.map(\.uri))
    }

    /// What a copy has beside the playlists.
    fileprivate var neededURIs: Set<String> { Set(sessionData.compactMap(\.uri)) }

    fileprivate var otherURIs: Set<String> { Set(sessionKeys.filter(\.isUsable).map(\.uri)) }
}

extension MediaPlaylist {
    /// What a copy has: segments, and the keys and sections that these use.
    fileprivate var neededURIs: Set<String> {
        let played = segments.lazy.filter { !$0.isGap }
        let maps = Set(played.compactMap(\.map)).map { self.maps[Int($0)] }
        let keySets = Set(played.compactMap(\.keySet)).union(maps.compactMap(\.keySet))
        let keys = keySets.compactMap { self.keySets[Int($0)].first(where: \.isUsable) }
        return Set(played.map(\.uri)).union(maps.map(\.uri)).union(keys.map(\.uri))
    }

    /// What it names besides.
    fileprivate var otherURIs: Set<String> {
        Set(maps.map(\.uri)).union(keySets.joined().filter(\.isUsable).map(\.uri)).subtracting(neededURIs)
    }
}
