import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// In which form segments are stored, and whether what is stored still plays.
@Suite struct StoredFormTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func serveFolder(_ folder: String, _ change: (String, [UInt8]) -> [UInt8] = { $1 }) throws {
        for name in try Directory.open("\(mediaFolder)/\(folder)").names().map(\.description) {
            stock.serve("/\(folder)/\(name)", change(name, try mediaFile("\(folder)/\(name)")))
        }
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
        stock.serveFilm("c/v/index.m3u8", more: isOption ? "" : #""decrypt": true,"#)
        let run = isOption ? try await stock.sync("--decrypt") : try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == clearSegments())
        #expect(try !stock.filmText().contains("EXT-X-KEY"))
        // Six segments and no key.
        #expect(try stock.published("m/film/media").count == 6)
    }

    @Test func eachFormIsACopyOfItsOwnThatIsFetchedOnce() async throws {
        try serveEncrypted()
        stock.serveFilm("c/v/index.m3u8")
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await stock.sync("--decrypt").status == .exited(0))
        #expect(try stock.filmSegments() == clearSegments())
        let again = try await stock.sync("--decrypt", "--json")
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
        // Of a changed playlist the segments that are here in the clear aren't fetched again.
        let asked = stock.requests("/c/v/s7794.ts")
        stock.serve("/c/v/index.m3u8", try mediaFile("c/v/index.m3u8") + Array("# changed\n".utf8))
        #expect(try await stock.sync("--decrypt").status == .exited(0))
        #expect(stock.requests("/c/v/s7794.ts") == asked + ["304 whole"])
        #expect(try stock.filmSegments() == clearSegments())
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
        stock.serveFilm("c/v/index.m3u8", more: #""decrypt": true,"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(run.problems.first?.contains("decrypt") == true, "\(run)")
        #expect(try stock.published("m/film") == [])
    }

    /// Segments that are ranges of one file, each encrypted for itself; two have the same bytes and differ in their vectors alone.
    @Test func rangesAreDecryptedEachForItself() async throws {
        let (first, second) = (try mediaFile("c/v/s7794.ts"), try mediaFile("c/v/s7795.ts"))
        stock.serve("/c/v/all.ts", first + second)
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
        stock.serve("/c/v/index.m3u8", Array(text.utf8))
        stock.serveFilm("c/v/index.m3u8", more: #""decrypt": true,"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == Array(clearSegments().prefix(2)))
    }

    // MARK: Looked at again

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
        let names = try stock.filmText().split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        let (first, last) = (try RelativePath(names[0]), try RelativePath(names[5]))
        switch damage {
        case "missing": try content.remove(first)
        case "short":
            try content.replaceFile(first, with: try stock.content("film/\(names[0])").dropLast(16), flush: false)
        case "swapped": try content.replaceFile(first, with: try stock.content("film/\(names[5])"), flush: false)
        case "not ended":
            try content.replaceFile(
                index, with: Array(stock.filmText().replacing("#EXT-X-ENDLIST", with: "").utf8),
                flush: false)
        default:
            try content.replaceFile(
                index,
                with: Array(try stock.filmText().replacing("\(last)", with: "https://a.example/s.ts").utf8),
                flush: false)
        }
        let verdict = try verdict()
        #expect(verdict?.hasPrefix("implausibleMedia") == true, "\(verdict ?? "nothing")")
    }
}
