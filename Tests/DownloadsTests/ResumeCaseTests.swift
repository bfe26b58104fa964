import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// What servers really do when a download goes on: the rows of the case list that are about joining a tail to what is held.
@Suite struct ResumeCaseTests {
    private let bench: Workbench
    private let newContent = Content.pattern(lengthBytes: 3_400_000, seed: 8)

    private let small = Content.pattern(lengthBytes: 60_000, seed: 5)

    init() throws { bench = try Workbench() }

    /// Fetches `/a` with a downloader of its own.
    private func fetch(_ request: DownloadRequest? = nil) async throws -> RecordingCaller {
        try await bench.downloader().answer(to: try request ?? bench.request())
    }

    private func expectBytes(_ content: Content, _ caller: RecordingCaller) async throws {
        #expect(try await contentDifference(content.bytes(), caller.bytes()) == nil)
    }

    @Test("stale-tail") func staleTail() async throws {
        try await bench.pause()
        bench.server.serve("/a", Resource(newContent, etag: "\"v2\""))
        let caller = try await fetch()
        try await expectBytes(newContent, caller)
        #expect(caller.resumed == [])
        #expect(bench.wire() == ["200", "200 bytes=1000000-"])
        #expect(bench.server.log.last?.request["If-Range"] == "\"v1\"")
    }

    @Test("swapped-mid-way") func swappedMidWay() async throws {
        try await bench.pause()
        bench.server.serve("/a", Resource(newContent, etag: "\"v2\"").ranges(.honouredUnconditionally))
        let caller = try await fetch()
        try await expectBytes(newContent, caller)
        #expect(bench.wire() == ["200", "206 bytes=1000000-", "200"])
        #expect(caller.retries.map(\.code) == [.changedWhileDownloading])
    }

    @Test("swapped-mid-way, known only by its length") func swappedLength() async throws {
        try await bench.pause()
        bench.server.serve("/a", Resource(newContent).ranges(.honouredUnconditionally))
        try await expectBytes(newContent, try await fetch())
        #expect(bench.wire() == ["200", "206 bytes=1000000-", "200"])
    }

    @Test("swapped-mid-way, known only by a date that the part leaves out", arguments: [false, true])
    func swappedWithoutADate(hasDigest: Bool) async throws {
        bench.server.serve("/a", Resource(bench.content, etag: nil))
        let request = try bench.request { $0.digest = hasDigest ? bench.digest : nil }
        try await bench.pause(request)
        let other = hasDigest ? bench.content : Content.pattern(lengthBytes: 3_000_000, seed: 8)
        bench.server.serve(
            "/a",
            Resource(other, etag: nil, lastModified: "Fri, 02 Jan 2026 00:00:00 GMT").ranges(.honouredUnconditionally)
                .altered { _, reply in
                    reply.changed { if $0.status == 206 { $0.headers["Last-Modified"] = nil } }
                })
        try await expectBytes(other, try await fetch(request))
        let joined = ["200", "206 bytes=1000000-"]
        #expect(bench.wire() == (hasDigest ? joined : joined + ["200"]), "only a digest lets it be joined")
    }

    @Test("a digest that is given later keeps what is held", arguments: ["\"v1\"", nil])
    func digestGivenLater(etag: String?) async throws {
        bench.server.serve("/a", Resource(bench.content, etag: etag))
        let place = try PartialFile.Location(path: bench.folder["film.part"])
        try await bench.pause(try bench.request { $0.partialFile = place })
        let caller = try await fetch(
            try bench.request {
                $0.partialFile = place
                $0.digest = bench.digest
            })
        try await expectBytes(bench.content, caller)
        #expect(caller.resumed == [1_000_000])
        #expect(bench.wire() == ["200", "206 bytes=1000000-"])
    }

    @Test("a digest that is given later and refuses what is held") func otherDigestGivenLater() async throws {
        let place = try PartialFile.Location(path: bench.folder["film.part"])
        try await bench.pause(try bench.request { $0.partialFile = place })
        bench.server.serve("/a", Resource(newContent).ranges(.honouredUnconditionally))
        let caller = try await fetch(
            try bench.request {
                $0.partialFile = place
                $0.digest = SHA256.digest(of: newContent.bytes())
            })
        try await expectBytes(newContent, caller)
    }

    @Test("weak-etag") func weakEntityTag() async throws {
        bench.server.serve(
            "/a", Resource(bench.content, etag: "W/\"v1\"", lastModified: nil).ranges(.honouredUnconditionally))
        try await bench.pause()
        #expect(try bench.storedNames() == [], "what can't be resumed isn't kept")
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "200"])
        #expect(bench.server.log.allSatisfy { $0.request["If-Range"] == nil })
    }

    @Test("weak-etag, with a digest") func weakEntityTagWithDigest() async throws {
        bench.server.serve(
            "/a", Resource(bench.content, etag: "W/\"v1\"", lastModified: nil).ranges(.honouredUnconditionally))
        let request = try bench.request { $0.digest = bench.digest }
        try await bench.pause(request)
        let caller = try await fetch(request)
        try await expectBytes(bench.content, caller)
        #expect(caller.resumed == [1_000_000])
        #expect(bench.wire() == ["200", "206 bytes=1000000-"])
        #expect(bench.server.log.last?.request["If-Range"] == nil)
    }

    @Test("weak-etag, with a digest and other bytes") func wrongTailWithDigest() async throws {
        bench.server.serve(
            "/a",
            Resource(.pattern(lengthBytes: 3_000_000, seed: 9), etag: "W/\"v0\"", lastModified: nil)
                .ranges(.honouredUnconditionally))
        let request = try bench.request { $0.digest = bench.digest }
        try await bench.pause(request)
        bench.server.serve("/a", Resource(bench.content, etag: nil, lastModified: nil).ranges(.honouredUnconditionally))
        let caller = try await fetch(request)
        try await expectBytes(bench.content, caller)
        #expect(bench.wire() == ["200", "206 bytes=1000000-", "200"])
        #expect(caller.retries.map(\.code) == [.digestMismatch])
    }

    @Test("always-200") func alwaysWhole() async throws {
        bench.server.serve("/a", Resource(bench.content).ranges(.ignoredIfConditional))
        try await bench.pause()
        let caller = try await fetch()
        try await expectBytes(bench.content, caller)
        #expect(bench.wire() == ["200", "200 bytes=1000000-"])
        #expect(caller.retries.isEmpty)
    }

    @Test("range-ignored") func rangeIgnored() async throws {
        bench.server.serve("/a", Resource(bench.content).ranges(.ignored))
        try await bench.pause()
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "200 bytes=1000000-"])
    }

    @Test("gzip-on-the-fly") func gzipOnTheFly() async throws {
        bench.server.serve("/z", Resource(small).encoded(.gzip(small.bytes())))
        try await bench.pause(bench.request("/z"), atBytes: 20_000)
        try await expectBytes(small, try await fetch(bench.request("/z")))
        #expect(bench.wire("/z") == ["200", "206 bytes=20000-"])
        #expect(bench.server.log.allSatisfy { $0.request["Accept-Encoding"] == "identity" })
    }

    @Test("gzip-on-the-fly, forced on the resume") func gzipForced() async throws {
        bench.server.serve("/z", Resource(small))
        try await bench.pause(bench.request("/z"), atBytes: 20_000)
        bench.server.serve("/z", Resource(small).encoded(.gzip(small.bytes(), isForced: true)))
        let answer = try await fetch(bench.request("/z")).answer()
        #expect(answer.code == .invalidResponse && answer.message.contains("compressed (gzip)"), "\(answer)")
    }

    /// Of what is sent compressed though nobody asked for that, only a digest or a length tells whether it is the file; or its name, where that is what a
    /// compressed file is called.
    @Test(arguments: ["/z.bin", "/z.tar.gz"], [false, true])
    func whatIsSentCompressedUnasked(_ path: String, hasDigest: Bool) async throws {
        let sent = storedGzip(small.bytes())
        bench.server.serve(path, Resource(small).encoded(.gzip(small.bytes(), isForced: true)))
        let answer = try await fetch(bench.request(path) { $0.digest = hasDigest ? SHA256.digest(of: sent) : nil })
            .answer()
        if path == "/z.bin", !hasDigest {
            #expect(answer.code == .invalidResponse)
        } else {
            #expect(try answer.file?.bytes(limitBytes: 1 << 20) == sent)
        }
    }

    /// What else servers put there changes no byte.
    @Test(arguments: ["utf-8", "binary", "none", "aws-chunked"])
    func whatIsNoCompressionIsNoReasonToRefuse(_ coding: String) async throws {
        bench.server.serve("/z.bin", Resource(small).altered { $1.header("Content-Encoding", coding) })
        try await expectBytes(small, try await fetch(bench.request("/z.bin")))
    }

    /// A redirect may lead to where names tell nothing.
    @Test func theNameThatWasAskedForTellsThatTheFileIsCompressed() async throws {
        bench.server.serve("/z.tar.gz", always: .redirect(to: "/blob"))
        bench.server.serve("/blob", Resource(small).encoded(.gzip(small.bytes(), isForced: true)))
        let answer = try await fetch(bench.request("/z.tar.gz")).answer()
        #expect(try answer.file?.bytes(limitBytes: 1 << 20) == storedGzip(small.bytes()))
    }

    /// Successes that bring no file.
    @Test(arguments: [202, 204, 205, 226]) func aSuccessWithoutTheFileIsNone(_ status: Int) async throws {
        bench.server.serve("/a", always: .status(status).body(status == 204 ? .text("") : small))
        let answer = try await fetch().answer()
        #expect(answer.code == .unacceptableStatus(status))
        #expect(bench.server.exchanges("/a").count == 1, "nor is it asked again")
    }

    @Test(arguments: [200, 201, 203]) func anotherSuccessIsOne(_ status: Int) async throws {
        bench.server.serve("/a", always: .status(status).body(small))
        try await expectBytes(small, try await fetch())
    }

    @Test("content-range-on-200") func contentRangeOnWhole() async throws {
        try await bench.pause()
        bench.server.serve(
            "/a",
            Resource(newContent, etag: "\"v2\"").altered { $1.header("Content-Range", "bytes 1000000-2999999/3000000") }
        )
        try await expectBytes(newContent, try await fetch())
    }

    @Test(
        "content-range-on-200, a malformed or foreign one on a 206",
        arguments: [
            nil, "bytes 1000000-", "bytes 0-2999999/3000000", "bytes 1000001-2999999/3000000", "bytes */3000000",
        ])
    func contentRangeOnPart(_ value: String?) async throws {
        try await bench.pause()
        bench.server.script("/a", [.altered { reply in reply.changed { $0.headers["Content-Range"] = value } }])
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "206 bytes=1000000-", "200"])
    }

    @Test("past-the-end") func pastTheEnd() async throws {
        try await bench.pause()
        let names = try bench.storedNames()
        // Longer than the record says the whole is: such a file is none of ours.
        try bench.folder.write(deterministicBytes(3_000_001, seed: 1), to: "partial/\(names[0])")
        bench.server.serve("/a", Resource(bench.content).ranges(.wholePastTheEnd))
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "200"])
    }

    @Test("error-page-appended", arguments: [404, 403, 451, 501])
    func errorPage(_ status: Int) async throws {
        try await bench.pause()
        let before = try bench.stored()
        bench.server.serve("/a", always: .errorPage(status))
        let caller = try await fetch()
        #expect(try await caller.answer().code == .unacceptableStatus(status))
        let after = try bench.stored()
        #expect(contentDifference(before.bytes, after.bytes) == nil)
        #expect(before.record == after.record)
    }

    @Test("error-page-appended, a 416 with a page") func errorPageOfRange() async throws {
        try await bench.pause()
        bench.server.script("/a", [.reply(.rangeNotSatisfiable(lengthBytes: nil)), .own])
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "416 bytes=1000000-", "200"])
    }

    @Test("complete-416") func completeBy416() async throws {
        bench.server.script("/a", [.altered { $0.chunked().cut(afterBytes: 3_000_000) }])
        let caller = try await fetch()
        try await expectBytes(bench.content, caller)
        #expect(bench.wire() == ["200", "416 bytes=3000000-"])
        #expect(try await caller.answer().file?.digest == bench.digest)
    }

    @Test("complete-416, but of another version") func completeBy416OfAnother() async throws {
        bench.server.script(
            "/a",
            [
                .altered { $0.chunked().cut(afterBytes: 3_000_000) },
                .reply(.rangeNotSatisfiable(lengthBytes: 3_000_000).header("ETag", "\"v2\"")),
            ])
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "416 bytes=3000000-", "200"])
    }

    @Test("complete-416, of less than was declared") func completeBy416OfLess() async throws {
        bench.server.script(
            "/a",
            [
                .altered { $0.cut(afterBytes: 1_000_000) },
                .reply(.rangeNotSatisfiable(lengthBytes: 1_000_000)),
            ])
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "416 bytes=1000000-", "200"])
    }

    @Test("swapped-mid-way, without a tag") func swappedWithoutATag() async throws {
        bench.server.script(
            "/a", [.altered { $0.cut(afterBytes: 1_000_000) }, .altered { $0.without("ETag") }])
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "206 bytes=1000000-", "200"])
    }

    /// Leaves a complete download behind, as an earlier process would have.
    private func keepWhole(_ request: DownloadRequest? = nil) async throws {
        let downloader = try bench.downloader()
        try await downloader.download(request ?? bench.request()).keep()
        await downloader.shutDown()
    }

    @Test("already-whole") func alreadyWhole() async throws {
        let request = try bench.request { $0.digest = bench.digest }
        try await keepWhole(request)
        let caller = try await fetch(request)
        try await expectBytes(bench.content, caller)
        #expect(caller.resumed == [3_000_000])
        #expect(bench.wire() == ["200"])
        #expect(try await caller.answer().file?.resumedBytes == 3_000_000)
    }

    @Test("already-whole, as its last byte shows") func alreadyWholeByItsValidator() async throws {
        // Behind the last byte nothing would be learned: some servers answer that with the whole.
        bench.server.serve("/a", Resource(bench.content).ranges(.wholePastTheEnd))
        try await keepWhole()
        let caller = try await fetch()
        try await expectBytes(bench.content, caller)
        #expect(caller.resumed == [3_000_000])
        #expect(bench.wire() == ["200", "206 bytes=2999999-"])
        #expect(bench.server.log.last?.request["If-Range"] == "\"v1\"")
        #expect(try await caller.answer().file?.digest == bench.digest)
    }

    @Test("already-whole, and small", arguments: [("small", ["200", "206 bytes=4-"]), ("", ["200", "200"])])
    func alreadyWholeAndSmall(_ text: String, _ wire: [String]) async throws {
        bench.server.serve("/small", Resource(.text(text)))
        try await keepWhole(bench.request("/small"))
        let caller = try await fetch(bench.request("/small"))
        #expect(try await caller.bytes() == Array(text.utf8))
        #expect(bench.wire("/small") == wire)
    }

    @Test("already-whole, but of an old version") func alreadyWholeButOld() async throws {
        try await keepWhole()
        bench.server.serve("/a", Resource(newContent, etag: "\"v2\""))
        try await expectBytes(newContent, try await fetch())
        #expect(bench.wire() == ["200", "200 bytes=2999999-"])
    }

    @Test("already-whole, but longer by now, whatever its tag says") func alreadyWholeButLongerByNow() async throws {
        try await keepWhole()
        bench.server.serve("/a", Resource(newContent).ranges(.honouredUnconditionally))
        try await expectBytes(newContent, try await fetch())
        #expect(bench.wire() == ["200", "206 bytes=2999999-", "200"])
    }

    @Test("already-whole, but damaged") func alreadyWholeButDamaged() async throws {
        let request = try bench.request { $0.digest = bench.digest }
        let downloader = try bench.downloader()
        try await downloader.download(request).keep()
        await downloader.shutDown()
        try bench.folder.write(deterministicBytes(3_000_000, seed: 1), to: "partial/\(bench.storedNames()[0])")
        try await expectBytes(bench.content, try await fetch(request))
        #expect(bench.wire() == ["200", "200"])
    }

    @Test("hash-after-restart") func digestAfterRestart() async throws {
        try await bench.pause()
        bench.server.serve("/a", Resource(newContent, etag: "\"v2\""))
        let file = try #require(try await fetch().answer().file)
        #expect(file.digest == SHA256.digest(of: newContent.bytes()))
    }

    @Test("not-modified-truncates, not-modified-drops-etag") func notModified() async throws {
        try await bench.pause()
        let before = try bench.stored()
        bench.server.serve("/a", always: .status(304))
        #expect(try await fetch().answer().code == .unacceptableStatus(304))
        let after = try bench.stored()
        #expect(contentDifference(before.bytes, after.bytes) == nil)
        #expect(after.record?.entityTag == "\"v1\"")
    }

    @Test("deleted-but-known") func deletedButKnown() async throws {
        try await bench.pause()
        removeTree(bench.folder["partial/\(try bench.storedNames()[0])"])
        try await expectBytes(bench.content, try await fetch())
        #expect(bench.wire() == ["200", "200"])
        #expect(bench.server.log.allSatisfy { $0.request["If-None-Match"] == nil && $0.request["If-Range"] == nil })
    }

    @Test("over-4-GiB") func overFourGiB() async throws {
        let content = Content.pattern(lengthBytes: 5 << 30 + 777, seed: 3)
        bench.server.serve("/huge", Resource(content))
        try await bench.pause(bench.request("/huge"), atBytes: 100_000)
        // A hole of five gigabytes costs nothing.
        let name = try bench.storedNames()[0]
        let file = try Directory.open(bench.folder["partial"]).open(RelativePath(name), flags: 2)
        try file.truncate(to: 5 << 30)
        let downloader = try bench.downloader { $0.takesDigests = false }
        let caller = try await downloader.answer(to: bench.request("/huge"))
        let answer = try await caller.answer()
        #expect(answer.file?.sizeBytes == Int64(content.lengthBytes), "\(answer.message)")
        #expect(bench.wire("/huge") == ["200", "206 bytes=5368709120-"])
        var tail = [UInt8](repeating: 0, count: 777)
        _ = try tail.withUnsafeMutableBytes { buffer in try file.read(into: buffer, at: 5 << 30) }
        #expect(tail == content.bytes(at: 5 << 30))
    }
}
