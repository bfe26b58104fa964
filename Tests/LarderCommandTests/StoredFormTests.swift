import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// In which form segments are stored, where they are had from, and what is fetched for them.
@Suite struct StoredFormTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func serve(_ path: String, _ bytes: [UInt8]) {
        stock.server.serve(path, Resource(.bytes(bytes), etag: "\"\(SHA256.digest(of: bytes))\""))
    }

    private func serveFolder(_ folder: String, _ change: (String, [UInt8]) -> [UInt8] = { $1 }) throws {
        for name in try Directory.open("\(mediaFolder)/\(folder)").names().map(\.description) {
            serve("/\(folder)/\(name)", change(name, try mediaFile("\(folder)/\(name)")))
        }
    }

    private func serveFilm(_ url: String, more: String = "", serial: Int = 1, mirrors: String = "") {
        stock.serveManifest(
            [#"{"id": "film", "kind": "hls", \#(more) "urls": ["\#(url)"]}"#], serial: serial, more: mirrors)
    }

    private func text(_ name: String = "index.m3u8") throws -> String {
        String(decoding: try stock.content("film/\(name)"), as: UTF8.self)
    }

    private func segments() throws -> [[UInt8]] {
        try text().split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try stock.content("film/\($0)") }
    }

    private func requests(_ path: String) -> [String] {
        stock.server.exchanges(path).map { "\($0.status ?? 0) \($0.request["Range"] ?? "whole")" }
    }

    // MARK: In the clear

    private func serveEncrypted() throws {
        try serveFolder("c/v")
        try serveFolder("c/keys")
    }

    private func clearSegments() throws -> [[UInt8]] {
        try (7794...7799).map { try mediaFile("c/clear/s\($0).ts") }
    }

    /// Vectors that are told and vectors that follow from the numbers, two keys, and a segment that never was encrypted.
    @Test(arguments: [false, true]) func whatIsEncryptedIsStoredInTheClear(isOption: Bool) async throws {
        try serveEncrypted()
        serveFilm("c/v/index.m3u8", more: isOption ? "" : #""decrypt": true,"#)
        let run = isOption ? try await stock.sync("--decrypt") : try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == clearSegments())
        #expect(try !text().contains("EXT-X-KEY"))
        // Six segments and no key.
        #expect(try stock.published("m/film/media").count == 6)
    }

    @Test func eachFormIsACopyOfItsOwnThatIsFetchedOnce() async throws {
        try serveEncrypted()
        serveFilm("c/v/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await stock.sync("--decrypt").status == .exited(0))
        #expect(try segments() == clearSegments())
        let again = try await stock.sync("--decrypt", "--json")
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
        // Of a changed playlist the segments that are here in the clear aren't fetched again.
        let asked = requests("/c/v/s7794.ts")
        serve("/c/v/index.m3u8", try mediaFile("c/v/index.m3u8") + Array("# changed\n".utf8))
        #expect(try await stock.sync("--decrypt").status == .exited(0))
        #expect(requests("/c/v/s7794.ts") == asked + ["304 whole"])
        #expect(try segments() == clearSegments())
    }

    @Test(arguments: ["cut", "wrong key", "flipped end"])
    func whatDoesNotDecryptIsNotPublished(fault: String) async throws {
        try serveFolder("c/v") { name, bytes in
            guard name == "s7796.ts" else { return bytes }
            switch fault {
            case "cut": return bytes.dropLast(16)
            case "flipped end": return bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]
            default: return bytes
            }
        }
        try serveFolder("c/keys") { _, key in fault == "wrong key" ? key.reversed() : key }
        serveFilm("c/v/index.m3u8", more: #""decrypt": true,"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(run.problems.first?.contains("decrypt") == true, "\(run)")
        #expect(try stock.published("m/film") == [])
    }

    /// Segments that are ranges of one file, each encrypted for itself; two have the same bytes and differ in their vectors alone.
    @Test func rangesAreDecryptedEachForItself() async throws {
        let (first, second) = (try mediaFile("c/v/s7794.ts"), try mediaFile("c/v/s7795.ts"))
        serve("/c/v/all.ts", first + second)
        try serveFolder("c/keys")
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXT-X-MEDIA-SEQUENCE:7794
            #EXT-X-KEY:METHOD=AES-128,URI="../keys/k1.key?uid=1"
            #EXTINF:2,
            #EXT-X-BYTERANGE:\(first.count)@0
            all.ts
            #EXTINF:2,
            #EXT-X-BYTERANGE:\(second.count)
            all.ts
            #EXT-X-ENDLIST

            """
        serve("/c/v/index.m3u8", Array(text.utf8))
        serveFilm("c/v/index.m3u8", more: #""decrypt": true,"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == Array(clearSegments().prefix(2)))
    }

    // MARK: Ranges

    private func stream(_ number: Int, packets: Int = 1000) -> [UInt8] {
        (0..<packets).flatMap { packet in
            [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: number &* 7 &+ packet &+ $0) }
        }
    }

    /// A playlist of ranges of `all.ts`, whose pieces have 188,000 bytes each.
    private func rangesPlaylist(_ pieces: [Int]) -> [UInt8] {
        let lines = pieces.map { "#EXTINF:6,\n#EXT-X-BYTERANGE:188000@\($0 * 188_000)\nall.ts\n" }.joined()
        return Array("#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:6\n\(lines)#EXT-X-ENDLIST\n".utf8)
    }

    private func serveRanges(_ pieces: [Int], of count: Int, _ change: (Resource) -> Resource = { $0 }) {
        let bytes = (0..<count).flatMap { stream($0) }
        stock.server.serve(
            "/f/all.ts", change(Resource(.bytes(bytes), etag: "\"\(SHA256.digest(of: bytes))\"")))
        serve("/f/index.m3u8", rangesPlaylist(pieces))
        serveFilm("f/index.m3u8")
    }

    @Test func ofAFileOnlyTheRangesThatAreNamedAreFetchedAndNeighboursTogether() async throws {
        serveRanges([2, 3, 4, 9], of: 20)
        let run = try await stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == [2, 3, 4, 9].map { stream($0) })
        #expect(requests("/f/all.ts") == ["206 bytes=376000-939999", "206 bytes=1692000-1879999"])
    }

    @Test func ofAChangedPlaylistOnlyNewRangesAreFetched() async throws {
        serveRanges([2, 3], of: 20)
        #expect(try await stock.sync().status == .exited(0))
        serve("/f/index.m3u8", rangesPlaylist([2, 3, 4]))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try segments() == [2, 3, 4].map { stream($0) })
        // One question for all that is here.
        #expect(
            requests("/f/all.ts") == ["206 bytes=376000-751999", "304 bytes=376000-563999", "206 bytes=752000-939999"])
    }

    @Test func rangesOfAnotherVersionAreNotMixed() async throws {
        serveRanges([2, 3], of: 20)
        #expect(try await stock.sync().status == .exited(0))
        stock.server.serve(
            "/f/all.ts", Resource(.bytes((0..<20).flatMap { stream($0 + 50) }), etag: "\"other\""))
        serve("/f/index.m3u8", rangesPlaylist([2, 3, 4]))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try segments() == [52, 53, 54].map { stream($0) })
    }

    @Test func partsOfTwoVersionsAreNotMixed() async throws {
        serveRanges([2, 9], of: 20) { resource in
            resource.altered { request, reply in
                guard request["Range"] != "bytes=376000-563999" else { return reply }
                var reply = reply
                reply.headers["ETag"] = "\"other\""
                return reply
            }
        }
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(run.problems.first?.contains("changed") == true, "\(run)")
        #expect(try stock.published("m/film") == [])
    }

    @Test func aServerThatDoesNoRangesIsAskedForTheWholeOnceAndTheWholeIsTakenApart() async throws {
        serveRanges([2, 9, 15], of: 20) { $0.ranges(.ignored) }
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == [2, 9, 15].map { stream($0) })
        #expect(requests("/f/all.ts") == ["200 bytes=376000-563999", "200 whole"])
    }

    @Test(arguments: ["bytes 0-187999/3760000", "bytes 376001-564000/3760000", "", "items 1-2/3"])
    func anotherRangeIsNeverTakenForTheOneThatWasAskedFor(contentRange: String) async throws {
        serveRanges([2], of: 20) { resource in
            resource.altered { _, reply in
                guard reply.status == 206 else { return reply }
                var reply = reply
                reply.headers["Content-Range"] = contentRange.isEmpty ? nil : contentRange
                return reply
            }
        }
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(try stock.published("m/film") == [])
    }

    @Test func rangesBehindTheEndAreRefused() async throws {
        serveRanges([2, 30], of: 20)
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(run.problems.first?.contains("5640000") == true, "\(run)")
    }

    // MARK: Mirrors

    @Test func aSegmentThatIsMissingIsHadFromTheManifestsOtherMirror() async throws {
        let other = try FaultServer()
        let files =
            [("index.m3u8", Array("#EXTM3U\n#EXTINF:6,\ns0.ts\n#EXTINF:6,\ns1.ts\n#EXT-X-ENDLIST\n".utf8))]
            + (0..<2).map { ("s\($0).ts", stream($0, packets: 10)) }
        for (name, bytes) in files {
            serve("/x/f/\(name)", bytes)
            other.serve("/y/f/\(name)", Resource(.bytes(bytes)))
        }
        stock.server.serve("/x/f/s1.ts", always: .errorPage(404))
        serveFilm(
            "f/index.m3u8", mirrors: #""mirrors": ["\#(stock.server.url("/x/"))", "\#(other.url("/y/"))"],"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try segments() == (0..<2).map { stream($0, packets: 10) })
        #expect(other.exchanges("/y/f/s0.ts").isEmpty && other.exchanges("/y/f/s1.ts").count == 1)
    }

    @Test(arguments: [true, false])
    func aSegmentThatIsMissingIsHadFromARedundantVariantThatIsAlike(isAlike: Bool) async throws {
        let list = "#EXTM3U\n#EXTINF:6,\ns0.ts\n#EXTINF:6,\ns1.ts\n#EXT-X-ENDLIST\n"
        serve("/f/a/v.m3u8", Array(list.utf8))
        serve("/f/b/v.m3u8", Array((isAlike ? list : list.replacing("EXTINF:6,\ns0", with: "EXTINF:5,\ns0")).utf8))
        serve(
            "/f/index.m3u8",
            Array(
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\na/v.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=9\nb/v.m3u8\n".utf8))
        for number in 0..<2 {
            serve("/f/a/s\(number).ts", stream(number, packets: 10))
            serve("/f/b/s\(number).ts", stream(number, packets: 10))
        }
        stock.server.serve("/f/a/s1.ts", always: .errorPage(404))
        serveFilm("f/index.m3u8")
        let run = try await stock.sync()
        #expect(run.status == .exited(isAlike ? 0 : 1), "\(run)")
        #expect(requests("/f/b/s1.ts").count == (isAlike ? 1 : 0) && requests("/f/b/s0.ts").isEmpty)
    }

    // MARK: Told and looked at

    @Test func progressIsToldInFilesBytesAndTimeOfPlay() async throws {
        serveRanges([2, 3, 4], of: 20)
        let run = try await stock.sync("--json")
        let last = try #require(run.events.last { $0.name == "segments.progress" }, "\(run)").value
        #expect(last["files"]?.integer == 3 && last["totalFiles"]?.integer == 3)
        #expect(last["bytes"]?.integer == 564_000)
        #expect(last["seconds"]?.double == 18 && last["totalSeconds"]?.double == 18)
    }

    private func verdict() throws -> String? {
        let content = try Directory.open("\(stock.library)/current/m/film")
        do throws(BundleFailure) {
            try PlaylistVerdict.check(content) { _ in }
            return nil
        } catch {
            return "\(error.code): \(error)"
        }
    }

    @Test(arguments: ["a/master.m3u8", "b/master.m3u8", "c/master.m3u8"])
    func aPublishedCopyIsLookedAtWithNothingButTheDisk(master: String) async throws {
        let run = try await sync(media: master)
        #expect(run.status == .exited(0), "\(run)")
        #expect(try verdict() == nil)
    }

    private func sync(media master: String) async throws -> ChildProcess.Result {
        let nginx = try await NginxServer(root: mediaFolder)
        stock.serveManifest(
            [#"{"id": "film", "kind": "hls", "select": {"all": true}, "urls": ["\#(nginx.url("/" + master))"]}"#])
        return try await stock.sync()
    }

    @Test(arguments: ["missing", "short", "swapped", "not ended", "leads away"])
    func damageAtRestIsFound(damage: String) async throws {
        #expect(try await sync(media: "c/v/index.m3u8").status == .exited(0))
        let content = try Directory.open("\(stock.library)/current/m/film")
        let index = RelativePath("index.m3u8")
        let names = try text().split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        let (first, last) = (try RelativePath(names[0]), try RelativePath(names[5]))
        switch damage {
        case "missing": try content.remove(first)
        case "short":
            try content.replaceFile(first, with: try stock.content("film/\(names[0])").dropLast(16), flush: false)
        case "swapped": try content.replaceFile(first, with: try stock.content("film/\(names[5])"), flush: false)
        case "not ended":
            try content.replaceFile(
                index, with: Array(text().replacing("#EXT-X-ENDLIST", with: "").utf8),
                flush: false)
        default:
            try content.replaceFile(
                index,
                with: Array(try text().replacing("\(last)", with: "https://a.example/s.ts").utf8), flush: false)
        }
        let verdict = try verdict()
        #expect(verdict?.hasPrefix("implausibleMedia") == true, "\(verdict ?? "nothing")")
    }
}
