import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// A server with a live presentation, and a library that records it, on a clock that moves only when a run waits: each wait is when the server
/// lists something else.
struct LiveStage {
    let stock: Stock
    let clock = SteppedClock()
    let warnings = Locked<[String]>([])

    init() throws { stock = try Stock() }

    /// Serves a presentation of two playlists.
    /// - Parameters:
    ///   - folder: in which both are, with a slash at its end.
    ///   - query: of their URIs.
    func serveMaster(folder: String = "", query: String = "") {
        let master =
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES,URI=\"\(folder)a/index.m3u8\(query)\"\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO=\"a\"\n\(folder)v/index.m3u8\(query)\n"
        stock.server.serve("/f/index.m3u8", Resource(.text(master), etag: "\"\(folder)\(query)\""))
    }

    /// A transport stream of so many packets.
    func stream(_ number: Int) -> [UInt8] {
        (0..<100).flatMap { packet in
            [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: number &* 7 &+ packet &+ $0) }
        }
    }

    /// Lists segments, each of which is there for as long as it is listed, and no others.
    func list(
        _ numbers: Range<Int>, of folder: String = "/f", duration: Int = 6, more: String = "", hasEnd: Bool = false
    ) {
        let lines = numbers.map { "#EXTINF:\(duration).0,\ns\($0).ts\n" }.joined()
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:\(duration)\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(more)\(lines)"
            + (hasEnd ? "#EXT-X-ENDLIST\n" : "")
        stock.server.serve("\(folder)/index.m3u8", Resource(.text(text), etag: "\"\(SHA256.digest(of: text.utf8))\""))
        for number in 0..<40 {
            if numbers.contains(number) {
                // A live server seldom says more of a segment than that it is there.
                stock.server.serve(
                    "\(folder)/s\(number).ts", Resource(.bytes(stream(number)), etag: nil, lastModified: nil))
            } else {
                stock.server.serve("\(folder)/s\(number).ts", always: .errorPage(404))
            }
        }
    }

    func serveFilm(_ more: String, serial: Int = 1) {
        stock.serveManifest(
            [#"{"id": "film", "kind": "hls", \#(more), "urls": ["f/index.m3u8"]}"#], serial: serial)
    }

    func sync(
        _ control: RunControl = RunControl(), _ change: (inout RunOptions) -> Void = { _ in }
    ) async throws -> ExitCode {
        var options = RunOptions(
            libraryPath: stock.library, manifests: [try ManifestLocation(stock.manifestURL, base: nil)])
        options.minimumFree = .bytes(0)
        options.downloads.retry.retries = 0
        options.clock = clock.clock
        change(&options)
        while true {
            let exit = await SyncRun(options, control: control) { event in
                switch event.kind {
                case .warning(let text), .bundleFailed(_, let text), .runFailed(_, let text),
                    .manifestFinding(let text, _):
                    warnings.withLock { $0.append(text) }
                default: break
                }
            }.run().exit
            // A thread of the run before may not have let go of the library's lock yet.
            guard exit == .busy else { return exit }
            await Task.yield()
        }
    }

    func tells(_ words: String) -> Bool { warnings.withLock { $0 }.contains { $0.contains(words) } }

    func playlist() throws -> [String] {
        String(decoding: try stock.content("film/index.m3u8"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func segments() throws -> [[UInt8]] {
        try playlist().filter { !$0.hasPrefix("#") }.map { try stock.content("film/\($0)") }
    }

    /// The journals that runs left beside what they had brought.
    private func journals() throws -> [String] {
        let staging = "\(stock.library)/.larder/staging"
        return try directoryEntries(FilePathBytes(staging)).map(\.description).filter { $0.hasSuffix("-journal") }
            .map { "\(staging)/\($0)" }
    }

    /// Whether a file's arrival was written down for later runs.
    func isNoted(_ path: String) throws -> Bool {
        try journalLines().contains { $0.contains("\"path\"") && $0.contains(path) }
    }

    /// What was written down of what was seen, piece by piece.
    func recordPieces() throws -> [String] { try journalLines().filter { $0.contains("\"record\"") } }

    private func journalLines() throws -> [String] {
        try journals().flatMap { path in
            String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// Ends the only journal in the middle of the last piece.
    func cutLastRecordPiece() throws {
        let path = try #require(try journals().first)
        let text = String(decoding: try readFile(path), as: UTF8.self)
        let piece = try #require(try recordPieces().last)
        let start = try #require(text.ranges(of: piece).last).lowerBound
        try writeFile(Array((text[..<start] + piece.prefix(piece.count / 2)).utf8), to: path)
    }

    func sentCounts(_ numbers: Range<Int>) -> [Int] {
        numbers.map { number in stock.server.exchanges("/f/s\(number).ts").count { $0.status == 200 } }
    }
}
