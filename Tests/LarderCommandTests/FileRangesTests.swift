import FaultServer
import Platform
import TestSupport
import Testing

/// Presentations whose segments are ranges of a file: what is fetched of it, and what is taken for a range.
@Suite struct FileRangesTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    /// What a range of 188,000 bytes holds.
    private func piece(_ number: Int) -> [UInt8] { stream(number, packets: 1000) }

    /// A playlist of ranges of `all.ts`, whose pieces have 188,000 bytes each.
    private func rangesPlaylist(_ pieces: [Int]) -> [UInt8] {
        let lines = pieces.map { "#EXTINF:6,\n#EXT-X-BYTERANGE:188000@\($0 * 188_000)\nall.ts\n" }.joined()
        return Array("#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:6\n\(lines)#EXT-X-ENDLIST\n".utf8)
    }

    private func serveRanges(_ pieces: [Int], of count: Int, _ change: (Resource) -> Resource = { $0 }) {
        let bytes = (0..<count).flatMap { piece($0) }
        stock.server.serve(
            "/f/all.ts", change(Resource(.bytes(bytes), etag: "\"\(SHA256.digest(of: bytes))\"")))
        stock.serve("/f/index.m3u8", rangesPlaylist(pieces))
        stock.serveFilm("f/index.m3u8")
    }

    @Test func ofAFileOnlyTheRangesThatAreNamedAreFetchedAndNeighboursTogether() async throws {
        serveRanges([2, 3, 4, 9], of: 20)
        let run = try await stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == [2, 3, 4, 9].map { piece($0) })
        #expect(stock.requests("/f/all.ts") == ["206 bytes=376000-939999", "206 bytes=1692000-1879999"])
    }

    @Test func ofAChangedPlaylistOnlyNewRangesAreFetched() async throws {
        serveRanges([2, 3], of: 20)
        #expect(try await stock.sync().status == .exited(0))
        stock.serve("/f/index.m3u8", rangesPlaylist([2, 3, 4]))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.filmSegments() == [2, 3, 4].map { piece($0) })
        // One question for all that is here.
        #expect(
            stock.requests("/f/all.ts") == [
                "206 bytes=376000-751999", "304 bytes=376000-563999", "206 bytes=752000-939999",
            ])
    }

    @Test func rangesOfAnotherVersionAreNotMixed() async throws {
        serveRanges([2, 3], of: 20)
        #expect(try await stock.sync().status == .exited(0))
        stock.server.serve(
            "/f/all.ts", Resource(.bytes((0..<20).flatMap { piece($0 + 50) }), etag: "\"other\""))
        stock.serve("/f/index.m3u8", rangesPlaylist([2, 3, 4]))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.filmSegments() == [52, 53, 54].map { piece($0) })
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
        #expect(try stock.filmSegments() == [2, 9, 15].map { piece($0) })
        #expect(stock.requests("/f/all.ts") == ["200 bytes=376000-563999", "200 whole"])
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

    @Test func progressIsToldInFilesBytesAndTimeOfPlay() async throws {
        serveRanges([2, 3, 4], of: 20)
        let run = try await stock.sync("--json")
        let last = try #require(run.events.last { $0.name == "segments.progress" }, "\(run)").value
        #expect(last["files"]?.integer == 3 && last["totalFiles"]?.integer == 3)
        #expect(last["bytes"]?.integer == 564_000)
        #expect(last["seconds"]?.double == 18 && last["totalSeconds"]?.double == 18)
    }

    /// Each range is told of when it is here, not only once all of its file's are.
    @Test func aRangeCountsBeforeTheNextOneIsHere() async throws {
        let gate = try Gate()
        serveRanges([2, 9], of: 20) { resource in
            resource.altered { request, reply in
                request["Range"]?.contains("bytes=1692000") == true ? reply.headHeld(until: gate) : reply
            }
        }
        let run = try stock.startSync("--json")
        try await run.wait(for: "the first range", within: .seconds(30)) { result in
            result.events.last { $0.name == "segments.progress" }?["files"] == 1 ? () : nil
        }
        gate.open()
        let result = try await run.waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.events.last { $0.name == "segments.progress" }?["files"] == 2)
    }

    @Test func aServerWithoutRangesIsAskedForTheWholeAlsoWhereAMirrorHasNothing() async throws {
        let other = try FaultServer()
        let bytes = (0..<20).flatMap { piece($0) }
        stock.server.serve("/x/f/all.ts", Resource(.bytes(bytes)).ranges(.ignored))
        stock.serve("/x/f/index.m3u8", rangesPlaylist([2, 9]))
        other.serve("/y/f/all.ts", always: .errorPage(404))
        stock.serveFilm(
            "f/index.m3u8", mirrors: #""mirrors": ["\#(stock.server.url("/x/"))", "\#(other.url("/y/"))"],"#)
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.filmSegments() == [2, 9].map { piece($0) })
    }

    /// Where a server says nothing else of the version, the length of the whole tells two of them apart.
    @Test func partsOfFilesOfTwoLengthsAreNotMixed() async throws {
        serveRanges([2, 9], of: 20) { resource in
            resource.changed { ($0.etag, $0.lastModified) = (nil, nil) }.altered { request, reply in
                guard request["Range"] != "bytes=376000-563999" else { return reply }
                var reply = reply
                reply.headers["Content-Range"] = "bytes 1692000-1879999/3760001"
                return reply
            }
        }
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(run.problems.first?.contains("changed") == true, "\(run)")
        #expect(try stock.published("m/film") == [])
    }
}
