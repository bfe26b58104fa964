import FaultServer
import TestSupport
import Glibc
import Testing

/// The fault server as a real client sees it: curl.
@Suite struct FaultServerTests {
    private let server: FaultServer
    private let content = Content.pattern(lengthBytes: 300_000, seed: 1)

    init() throws {
        server = try FaultServer()
        server.serve("/a", Resource(content))
    }

    /// Runs curl for some paths of the server, one after the other.
    private func curl(_ arguments: String..., paths: [String] = ["/a"]) async throws -> ChildProcess.Result {
        try await ChildProcess.run("curl", ["-sS"] + arguments + paths.map { server.url($0) })
    }

    @Test func servesTheWholeOverOneConnection() async throws {
        let result = try await curl(paths: ["/a", "/a"])
        #expect(result.status == .exited(0), "\(result)")
        #expect(contentDifference(content.bytes() + content.bytes(), result.output) == nil)
        #expect(server.log.map(\.request.connection) == [1, 1])
        #expect(server.log.map(\.request.number) == [1, 2])
        #expect(server.log.map(\.end) == [.complete, .complete])
        #expect(server.bodyBytesSent("/a") == 600_000)
    }

    @Test func answersHEADWithoutABody() async throws {
        let result = try await curl("-I")
        #expect(result.outputText.contains("Content-Length: 300000"))
        #expect(server.log.map(\.bodyBytesSent) == [0])
    }

    @Test(
        arguments: [
            ("0-9", 206, "bytes 0-9/300000", 0..<10), ("299990-", 206, "bytes 299990-299999/300000", 299_990..<300_000),
            ("-5", 206, "bytes 299995-299999/300000", 299_995..<300_000),
            ("299999-400000", 206, "bytes 299999-299999/300000", 299_999..<300_000),
            ("0-1,5-6", 200, nil, 0..<300_000),
        ] as [(String, Int, String?, Range<Int>)])
    func servesRanges(_ range: String, _ status: Int, _ contentRange: String?, _ part: Range<Int>) async throws {
        let result = try await curl("-r", range, "-w", "%{stderr}%{http_code} %header{content-range}")
        #expect(contentDifference(Array(content.bytes()[part]), result.output) == nil)
        #expect(result.errorText == "\(status) \(contentRange ?? "")")
    }

    @Test func refusesARangePastTheEnd() async throws {
        let result = try await curl("-r", "300000-", "-w", "%{stderr}%{http_code} %header{content-range}")
        #expect(result.errorText == "416 bytes */300000")
        #expect(result.outputText.contains("<html>"))
    }

    @Test(
        arguments: [
            ("\"v1\"", .honoured, 206), ("\"v2\"", .honoured, 200), ("W/\"v1\"", .honoured, 200),
            ("Thu, 01 Jan 2026 00:00:00 GMT", .honoured, 206), ("Fri, 02 Jan 2026 00:00:00 GMT", .honoured, 200),
            ("\"v1\"", .ignored, 200), ("\"v1\"", .ignoredIfConditional, 200),
            ("\"v2\"", .honouredUnconditionally, 206),
        ] as [(String, Resource.RangeSupport, Int)])
    func takesIfRange(_ condition: String, _ support: Resource.RangeSupport, _ status: Int) async throws {
        server.serve("/a", Resource(content).ranges(support))
        _ = try await curl("-r", "1-2", "-H", "If-Range: \(condition)")
        #expect(server.log.map(\.status) == [status])
    }

    @Test func neverTakesAWeakTagForARange() async throws {
        server.serve("/a", Resource(content, etag: "W/\"v1\""))
        _ = try await curl("-r", "1-2", "-H", "If-Range: W/\"v1\"")
        #expect(server.log.map(\.status) == [200])
    }

    @Test(arguments: [
        ("If-None-Match: \"v0\", W/\"v1\"", 304), ("If-None-Match: \"v0\"", 200), ("If-None-Match: *", 304),
        ("If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT", 304),
    ])
    func takesConditions(_ condition: String, _ status: Int) async throws {
        let result = try await curl("-H", condition)
        #expect(server.log.map(\.status) == [status])
        #expect(result.output.isEmpty == (status == 304))
    }

    // MARK: Misbehaviour

    @Test(arguments: [(.finish, 18), (.reset, 56)] as [(Reply.Ending, Int32)])
    func cutsTheConnectionAtTheByte(_ ending: Reply.Ending, _ exitCode: Int32) async throws {
        server.script("/a", [.altered { $0.cut(afterBytes: 299_999, ending) }])
        let cut = try await curl()
        #expect(cut.status == .exited(exitCode), "\(cut)")
        #expect(contentDifference(content.bytes(count: 299_999), cut.output) == nil)
        #expect(server.log.map(\.end) == [.cut])
        let whole = try await curl()
        #expect(contentDifference(content.bytes(), whole.output) == nil)
    }

    @Test func stallsUntilItsGateOpens() async throws {
        let gate = try Gate()
        server.script("/a", [.altered { $0.stalled(afterBytes: 123_456, until: gate) }])
        let client = try ChildProcess("curl", ["-sS", "--no-buffer", server.url("/a")])
        try await server.waitUntilSent("/a", bytes: 123_456)
        let received = try await client.wait(for: "123,456 bytes") { $0.output.count >= 123_456 ? $0 : nil }
        #expect(received.output.count == 123_456)
        #expect(received.status == nil)
        #expect(server.log.map(\.end) == [nil])
        gate.open()
        let result = try await client.waitForExit()
        #expect(contentDifference(content.bytes(), result.output) == nil)
    }

    @Test func noticesThatAStalledClientLeaves() async throws {
        server.script("/a", [.altered { $0.stalled(afterBytes: 10) }])
        let client = try ChildProcess("curl", ["-sS", server.url("/a")])
        try await server.waitUntilSent("/a", bytes: 10)
        client.kill(SIGKILL)
        let exchange = try await server.waitForEnd("/a")
        #expect(exchange.end == .peerClosed)
        #expect(exchange.bodyBytesSent == 10)
        #expect(try await client.waitForExit().status == .signalled(SIGKILL))
    }

    @Test func holdsTheHeadBack() async throws {
        let gate = try Gate()
        server.script("/a", [.altered { $0.headHeld(until: gate) }])
        let client = try ChildProcess("curl", ["-sS", server.url("/a")])
        try await server.waitForRequest("/a")
        #expect(server.log.map(\.status) == [nil])
        gate.open()
        #expect(try await contentDifference(content.bytes(), client.waitForExit().output) == nil)
    }

    @Test func sendsChunks() async throws {
        server.serve("/a", Resource(content).altered { $1.chunked(chunkBytes: 777) })
        let result = try await curl("-i")
        #expect(result.outputText.contains("Transfer-Encoding: chunked"))
        #expect(!result.outputText.contains("Content-Length"))
        #expect(contentDifference(content.bytes(), Array(result.output.suffix(300_000))) == nil)
    }

    @Test(arguments: [1000, 300_000] as [UInt64])
    func cutsChunksBeforeTheLast(afterBytes: UInt64) async throws {
        server.serve("/a", Resource(content).altered { $1.chunked().cut(afterBytes: afterBytes) })
        let result = try await curl()
        #expect(result.status == .exited(18), "\(result)")
        #expect(contentDifference(content.bytes(count: Int(afterBytes)), result.output) == nil)
    }

    @Test func liesAboutTheLength() async throws {
        server.script(
            "/a", [.altered { $0.declaring(contentLength: 100) }, .altered { $0.declaring(contentLength: 300_001) }])
        let understated = try await curl()
        #expect(contentDifference(content.bytes(count: 100), understated.output) == nil)
        let overstated = try await curl()
        #expect(overstated.status == .exited(18))
        #expect(contentDifference(content.bytes(), overstated.output) == nil)
    }

    @Test func endsABodyWithTheConnection() async throws {
        server.serve("/a", Resource(content).altered { $1.untilClose() })
        let result = try await curl("-i")
        #expect(result.status == .exited(0))
        #expect(!result.outputText.contains("Content-Length"))
        #expect(contentDifference(content.bytes(), Array(result.output.suffix(300_000))) == nil)
    }

    @Test func changesWhatTheHeadSays() async throws {
        server.script(
            "/a",
            [
                .altered { $0.header("ETag", "\"v2\"").header("Content-Range", "bytes 5-9/10") },
                .altered { $0.without("ETag") },
                .altered { $0.status(200).header("Content-Disposition", "attachment; filename=a; filename*=UTF-8''b") },
            ])
        let swapped = try await curl("-r", "0-9", "-o", "/dev/null", "-w", "%header{etag} %header{content-range}")
        #expect(swapped.outputText == "\"v2\" bytes 5-9/10")
        let unmodified = try await curl("-H", "If-None-Match: *", "-w", "%{http_code}%header{etag}")
        #expect(unmodified.outputText == "304")
        let misplaced = try await curl("-r", "0-9", "-w", "%{stderr}%{http_code} %header{content-range}")
        #expect(misplaced.errorText == "200 bytes 0-9/300000")
        #expect(misplaced.output.count == 10)
    }

    @Test func goesSilentBehindTheHeadAndThenCuts() async throws {
        let gate = try Gate()
        server.script("/a", [.altered { $0.stalled(afterBytes: 0, until: gate).cut(afterBytes: 0) }])
        let client = try ChildProcess("curl", ["-sS", "-v", server.url("/a")])
        try await client.wait(for: "the head") { $0.errorText.contains("< Content-Length: 300000") ? () : nil }
        #expect(server.log.map(\.status) == [200])
        gate.open()
        #expect(try await client.waitForExit().status == .exited(18))
        #expect(server.log.map(\.end) == [.cut])
    }

    @Test func playsItsScriptInOrder() async throws {
        let changed = Resource(.text("new"), etag: "\"v2\"")
        server.script(
            "/a",
            [
                .reply(.retryLater(429, after: "7")), .make { .status(200).body(.text($0["Range"] ?? "")) },
                .resource(Resource(.text("once"))), .own, .become(changed),
            ])
        #expect(try await curl("-i").outputText.contains("Retry-After: 7"))
        #expect(try await curl("-r", "5-").outputText == "bytes=5-")
        #expect(try await curl().outputText == "once")
        #expect(try await contentDifference(content.bytes(), curl().output) == nil)
        #expect(try await curl().outputText == "new")
        #expect(try await curl("-i").outputText.contains("ETag: \"v2\""))
        #expect(server.exchanges("/a").map(\.status) == [429, 200, 200, 200, 200, 200])
    }

    @Test func redirectsToAnotherOrigin() async throws {
        let other = try FaultServer()
        other.serve("/b", Resource(.text("there")))
        server.serve("/r", always: .redirect(307, to: other.url("/b?token=1", host: "localhost")))
        #expect(try await curl("-L", paths: ["/r"]).outputText == "there")
        #expect(other.log.map(\.request.target) == ["/b?token=1"])
        #expect(other.log.first?.request["Host"] == "localhost:\(other.port)")
    }

    @Test func gzipsOnlyForThoseWhoAskUnlessForced() async throws {
        server.serve("/a", Resource(.text("plain")).encoded(.gzip(Array("packed".utf8))))
        #expect(try await curl().outputText == "plain")
        #expect(try await curl("--compressed").outputText == "packed")
        server.serve("/a", Resource(.text("plain")).encoded(.gzip(Array("packed".utf8), isForced: true)))
        #expect(try await curl().output.prefix(2) == [0x1F, 0x8B])
    }

    @Test func requiresCredentials() async throws {
        server.serve("/a", Resource(.text("secret")).requiring(authorization: "Basic dTpw"))
        #expect(try await curl("-w", "%{http_code}").outputText.hasSuffix("401"))
        #expect(try await curl("-u", "u:p").outputText == "secret")
    }

    @Test func speaksNoHTTPWhenAsked() async throws {
        server.script("/a", [.reply(.garbage()), .reply(.garbage("SSH-2.0-x\r\n")), .reply(.garbage("", .reset))])
        #expect(try await curl().status == .exited(52))
        #expect(try await curl().status == .exited(1))
        #expect(try await curl().status == .exited(56))
    }

    @Test func paces() async throws {
        server.serve("/a", Resource(content).altered { $1.paced(bytesPerSecond: 1_000_000) })
        let result = try await curl("-w", "%{stderr}%{time_total}")
        #expect(contentDifference(content.bytes(), result.output) == nil)
        #expect(try #require(Double(result.errorText)) >= 0.28)
    }

    @Test func servesSizesAboveFourGiB() async throws {
        let huge = Content.pattern(lengthBytes: 5 << 30, seed: 2)
        server.serve("/a", Resource(huge))
        let result = try await curl("-r", "5000000000-5000000099")
        #expect(result.output == huge.bytes(at: 5_000_000_000, count: 100))
    }

    @Test func stopsWhileClientsWait() async throws {
        server.script("/a", [.altered { $0.stalled(afterBytes: 10) }])
        let client = try ChildProcess("curl", ["-sS", server.url("/a")])
        try await server.waitUntilSent("/a", bytes: 10)
        server.stop()
        #expect(server.log.map(\.end) == [.serverStopped])
        #expect(try await client.waitForExit().status == .exited(18))
        #expect(try await curl().status == .exited(7))
        #expect(throws: Never.self) { try FaultServer(port: server.port) }
    }

    @Test func saysWhatItSawWhenAWaitIsInVain() async throws {
        _ = try await curl("-r", "1-2")
        let error = await #expect(throws: WaitTimedOut.self) {
            try await server.waitForRequest("/a", count: 2, within: .milliseconds(10))
        }
        #expect(error?.description.contains("#1 GET /a") == true)
    }
}

@Suite struct ContentTests {
    @Test func patternsDependOnNothingButSeedAndOffset() {
        let content = Content.pattern(lengthBytes: 20_000, seed: 7)
        let whole = content.bytes()
        for offset in [0, 1, 7, 8, 4090, 4096, 4099, 12_288, 19_999, 20_000] {
            #expect(content.bytes(at: UInt64(offset), count: 5000) == Array(whole[offset...].prefix(5000)))
            #expect(content.slice(UInt64(offset)..<20_000).bytes(count: 3) == Array(whole[offset...].prefix(3)))
        }
        #expect(whole[0..<4096] != whole[4096..<8192])
        #expect(whole != Content.pattern(lengthBytes: 20_000, seed: 8).bytes())
    }

    @Test func datesAreHTTPs() {
        #expect(HTTPDate.string(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
