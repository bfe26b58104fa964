import FaultServer
import Platform
import TestSupport

/// A server whose content changes from night to night, and that fails some of its requests in the ways of servers.
final class ChangingOrigin: Sendable {
    let server: FaultServer

    private struct State {
        var generator: SplitMix64
        var failureRate = 0.0
        /// What each path has now, and all that it ever had: the last is the newest.
        var contents: [String: [[UInt8]]] = [:]
        var manifests: [[UInt8]] = []
        var faults: [Fault: Int] = [:]
    }

    private let state: Locked<State>

    /// Ways to fail a request.
    enum Fault: CaseIterable {
        case notFound, unavailable, broken, garbage
        case cut, reset, stalled, silent, chunkedCut, shortBody
        case loginPage, rangeIgnored, weakTag
        // What only a digest can tell.
        case wrongBytes, stale, swappedTag, understatedLength

        var needsDigest: Bool { [.wrongBytes, .stale, .swappedTag, .understatedLength].contains(self) }
    }

    /// The files that a digest is known of, by bundle; `bare` has none.
    private static let files = [
        "large": ["large.bin"], "set": (0..<5).map { "set/\($0).bin" }, "guide": ["guide.pdf"],
    ]
    private static let barePath = "bare.bin"
    private static let sizes = ["large.bin": 400_000, "guide.pdf": 60_000]

    init(seed: String) throws {
        server = try FaultServer()
        state = Locked(State(generator: Seed.generator(for: seed)))
        for path in Self.files.values.flatMap(\.self) + [Self.barePath, "m.json"] {
            for place in ["/\(path)", "/mirror/\(path)"] {
                server.serve(place) { [weak self] in self?.reply(to: $0, path) ?? .errorPage(500) }
            }
        }
    }

    // MARK: Nights

    /// Changes some of the content, or none of it.
    /// - Parameter failureRate: how many of the requests fail from now on.
    func beginNight(failureRate: Double) {
        let paths = Self.files.values.flatMap(\.self).sorted() + [Self.barePath]
        state.withLock { state in
            state.failureRate = failureRate
            for path in paths {
                guard state.contents[path] == nil || Int.random(in: 0..<3, using: &state.generator) == 0 else {
                    continue
                }
                let size = Self.sizes[path] ?? 8_000
                let bytes = deterministicBytes(size, seed: state.generator.next())
                state.contents[path, default: []].append(bytes)
            }
            // A night that changes nothing has the same manifest.
            let serial = state.manifests.count
            if Array(Self.manifest(state.contents, serial: serial).utf8) != state.manifests.last {
                state.manifests.append(Array(Self.manifest(state.contents, serial: serial + 1).utf8))
            }
        }
    }

    private static func manifest(_ contents: [String: [[UInt8]]], serial: Int) -> String {
        func entry(_ path: String) -> String {
            let bytes = contents[path]?.last ?? []
            return
                #"{"path": "\#(path)", "urls": ["\#(path)", "mirror/\#(path)"], "size": \#(bytes.count), "sha256": "\#(SHA256.digest(of: bytes))"}"#
        }
        var bundles = files.sorted { $0.key < $1.key }.map { id, paths in
            #"{"id": "\#(id)", "kind": "files", "files": [\#(paths.map(entry).joined(separator: ", "))]}"#
        }
        bundles.append(#"{"id": "bare", "kind": "files", "files": [{"path": "bare.bin", "urls": ["bare.bin"]}]}"#)
        return Stock.manifest(bundles, serial: serial)
    }

    // MARK: Truth

    /// The manifest of this night.
    var manifest: [UInt8] { state.withLock { $0.manifests.last ?? [] } }

    /// Everything that may be published: what a path has now, or ever had.
    func versions(of path: String) -> [[UInt8]] { state.withLock { $0.contents[path] ?? [] } }

    /// The paths of files beneath the manifest's folder, with what they are served as.
    static var published: [(file: String, path: String)] {
        files.flatMap { id, paths in paths.map { ("\(id)/\($0)", $0) } } + [("bare/\(barePath)", barePath)]
    }

    /// How often each way to fail was taken.
    var faults: [Fault: Int] { state.withLock { $0.faults } }

    // MARK: Replies

    private func reply(to request: Request, _ path: String) -> Reply {
        let isManifest = path == "m.json"
        let (versions, fault) = state.withLock { state -> ([[UInt8]], Fault?) in
            let versions = isManifest ? state.manifests : state.contents[path] ?? []
            guard Double.random(in: 0..<1, using: &state.generator) < state.failureRate else { return (versions, nil) }
            // That its manifest is yesterday's nobody can tell who has no newer one.
            let possible = Fault.allCases.filter { fault in
                path != Self.barePath && !(isManifest && fault == .stale) || !fault.needsDigest
            }
            let fault = possible.randomElement(using: &state.generator)
            if let fault { state.faults[fault, default: 0] += 1 }
            return (versions, fault)
        }
        let bytes = versions.last ?? []
        let resource = Self.resource(bytes)
        guard let fault else { return resource.reply(to: request) }
        return Self.reply(failing: fault, resource, versions, request)
    }

    private static func resource(_ bytes: [UInt8]) -> Resource {
        Resource(.bytes(bytes), etag: "\"\(SHA256.digest(of: bytes))\"", lastModified: nil)
    }

    private static func reply(
        failing fault: Fault, _ resource: Resource, _ versions: [[UInt8]], _ request: Request
    ) -> Reply {
        let bytes = versions.last ?? []
        let plain = resource.reply(to: request)
        let half = UInt64(bytes.count / 2)
        switch fault {
        case .notFound: return .errorPage(404)
        case .unavailable: return .retryLater(after: "1")
        case .broken: return .errorPage(500)
        case .garbage: return .garbage("\u{1}\u{2}not HTTP\r\n\r\n")
        case .cut: return plain.cut(afterBytes: half)
        case .reset: return plain.cut(afterBytes: half, .reset)
        case .stalled: return plain.stalled(afterBytes: half)
        case .silent: return plain.stalled(afterBytes: 0)
        case .chunkedCut: return plain.chunked().cut(afterBytes: half)
        case .shortBody: return plain.status == 200 ? plain.declaring(contentLength: UInt64(bytes.count) + 1000) : plain
        case .loginPage:
            return Reply.status(200, ["Content-Type": "text/html"])
                .body(.text("<!DOCTYPE html><title>Log in, please</title>"))
        case .rangeIgnored: return resource.ranges(.ignored).reply(to: request)
        case .weakTag: return plain.header("ETag", "W/\"\(SHA256.digest(of: bytes))\"")
        case .wrongBytes: return Reply.status(200).body(.bytes(bytes.map { $0 ^ 1 }))
        case .stale: return Self.resource(versions.dropLast().last ?? bytes).reply(to: request)
        case .swappedTag: return plain.header("ETag", "\"swapped\"")
        case .understatedLength: return plain.declaring(contentLength: half)
        }
    }
}
