import BundleManifest
import Diagnostics
import FaultServer
import Jobs
import Platform
import TestSupport
import Testing
import Transfer

@testable import ManifestChecks

@Suite struct OnlineCheckTests {
    private let server: FaultServer
    private let good = Resource(.pattern(lengthBytes: 1000, seed: 1))

    init() throws {
        server = try FaultServer()
        server.serve("/good.bin", good)
    }

    private func told(
        _ text: String, _ configuration: SessionConfiguration = SessionConfiguration(),
        limits: (inout OnlineLimits) -> Void = { _ in }
    ) async throws -> [Told] {
        try await askedOnline(text, base: server.url("/"), configuration, limits: limits).told
    }

    // MARK: How it is asked

    @Test func aSourceIsAskedForItsHeadAndThenForOneByte() async throws {
        #expect(try await told(manifestText(book("good.bin"))) == [])
        try await server.waitForEnd("/good.bin", count: 2)
        let requests = server.exchanges("/good.bin").map(\.request)
        #expect(requests.map(\.method) == ["HEAD", "GET"])
        #expect(requests.map { $0["Range"] } == [nil, "bytes=0-0"])
        #expect(server.bodyBytesSent("/good.bin") == 1)
    }

    @Test(arguments: [400, 403, 404, 405, 500, 501])
    func aServerMayRefuseToBeAskedForTheHead(_ status: Int) async throws {
        server.serve("/x", good.altered { $0.method == "HEAD" ? .errorPage(status) : $1 })
        #expect(try await told(manifestText(book("x"))) == [])
    }

    @Test func aServerMayHangUpWhenItIsAskedForTheHead() async throws {
        server.serve("/x", good.altered { $0.method == "HEAD" ? .garbage() : $1 })
        #expect(try await told(manifestText(book("x"))) == [])
    }

    @Test func aHeadThatLiesIsNotBelievedButToldOf() async throws {
        server.serve(
            "/x",
            good.altered { request, reply in
                request.method == "HEAD" ? reply.declaring(contentLength: 5) : reply
            })
        let text = manifestText(book("x", more: #""size": 1000"#))
        #expect(try await told(text) == [Told("O009", "\"x\"")])
    }

    @Test func anEmptyFileIsFine() async throws {
        server.serve("/empty", Resource(.empty))
        let checked = try await askedOnline(manifestText(book("empty", more: #""size": 0"#)), base: server.url("/"))
        #expect(checked.told == [], "\(checked.contentFindings) \(server.log)")
    }

    /// A server that has lost everything is no reason for a thousand findings.
    @Test func ofManyLikeErrorsOfAServerAFewAreTold() async throws {
        let entries = (0..<25).map { #"{"path": "\#($0)", "urls": ["gone/\#($0)"]}"# }.joined(separator: ", ")
        let text = manifestText(#"{"id": "f", "kind": "files", "files": [\#(entries)]}"#)
        let found = try await askedOnline(text, base: server.url("/")).contentFindings
        #expect(found.map(\.id) == [String](repeating: "O004", count: 20))
        let counts = found.filter { $0.message.hasSuffix(" (and 5 more like this on the same server)") }
        #expect(counts.count == 1, "\(found)")
    }

    @Test func aURLThatIsNamedTwiceIsAskedOnceAndToldAtBothPlaces() async throws {
        let text = manifestText(
            #"{"id": "f", "kind": "files", "files": [{"path": "a", "urls": ["gone"]}, {"path": "b", "urls": ["./gone"]}]}"#
        )
        #expect(try await told(text) == [Told("O004", "\"gone\""), Told("O004", "\"./gone\"")])
        #expect(server.exchanges("/gone").map(\.request.method) == ["HEAD", "GET"])
    }

    @Test func relativeURLsAreAskedForOnEveryMirror() async throws {
        let mirror = try FaultServer()
        let text = manifestText(
            book("good.bin"), more: #""mirrors": ["\#(server.url("/"))", "\#(mirror.url("/sub/"))"], "#)
        #expect(try await told(text) == [Told("O004", "\"good.bin\"")])
        #expect(server.exchanges("/good.bin").count == 2)
        #expect(mirror.exchanges("/sub/good.bin").count == 2)
    }

    @Test func segmentsAndPlaylistsAreAskedForToo() async throws {
        let text = manifestText(
            #"{"id": "s", "kind": "segments", "segments": [{"path": "1.ts", "urls": ["1.ts"]}]}"#,
            #"{"id": "h", "kind": "hls", "urls": ["h.m3u8"]}"#)
        #expect(try await told(text) == [Told("O004", "\"1.ts\""), Told("O004", "\"h.m3u8\"")])
    }

    @Test func headersGoToTheListedServerAndNotWhereItRedirects() async throws {
        let elsewhere = try FaultServer()
        elsewhere.serve("/good.bin", good)
        server.serve("/x", always: .redirect(to: elsewhere.url("/good.bin")))
        var configuration = SessionConfiguration()
        configuration.headers = ["X-Config": "c"]
        let text = manifestText(book("x", more: #""headers": {"X-Bundle": "b"}"#))
        let checked = try await askedOnline(text, base: server.url("/"), configuration)
        #expect(checked.told == [Told("O014", "\"x\"")])
        #expect(checked.contentFindings[0].message.contains("headers aren't sent there"))
        for exchange in server.exchanges("/x") {
            #expect(exchange.request["X-Bundle"] == "b" && exchange.request["X-Config"] == "c")
        }
        #expect(elsewhere.log.count == 2)
        for exchange in elsewhere.log {
            #expect(exchange.request["X-Bundle"] == nil && exchange.request["X-Config"] == nil)
        }
    }

    @Test func aRedirectToAServerThatTheManifestNamesIsFine() async throws {
        let elsewhere = try FaultServer()
        elsewhere.serve("/good.bin", good)
        server.serve("/x", always: .redirect(to: elsewhere.url("/good.bin")))
        #expect(try await told(manifestText(book("x", elsewhere.url("/good.bin")))) == [])
    }

    @Test func aRedirectToWhereTheManifestIsIsFine() async throws {
        let elsewhere = try FaultServer()
        elsewhere.serve("/x", always: .redirect(to: server.url("/good.bin")))
        #expect(try await told(manifestText(book(elsewhere.url("/x")))) == [])
    }

    // MARK: What is told

    @Test func aPageIsFineWhereOneIsDue() async throws {
        server.serve("/index.html", always: .errorPage(200))
        let text = manifestText(
            #"{"id": "f", "kind": "files", "files": [{"path": "index.html", "urls": ["index.html"]}]}"#)
        #expect(try await told(text).map(\.id).contains("O012") == false)
    }

    @Test func aWrongLabelMakesNoPage() async throws {
        server.serve("/x", Resource(.text("PK"), headers: ["Content-Type": "text/html; charset=utf-8"]))
        #expect(try await told(manifestText(book("x"))) == [])
    }

    @Test func aPageWithoutALabelIsOneAllTheSame() async throws {
        server.serve("/x", Resource(.text("\n<!doctype HTML><p>Log in"), headers: [:]).ranges(.ignored))
        #expect(try await told(manifestText(book("x"))) == [Told("O012", "\"x\"")])
    }

    @Test func whatManySourcesOfAServerHaveInCommonIsToldOnce() async throws {
        for name in ["a", "b", "c"] { server.serve("/\(name)", good.ranges(.ignored)) }
        let checked = try await askedOnline(manifestText(book("a", "b", "c")), base: server.url("/"))
        #expect(checked.told == [Told("O010", "\"a\"")])
        #expect(checked.contentFindings[0].message.hasSuffix("(and 2 more like this on the same server)"))
    }

    @Test func mirrorsOfOneRelativeURLAreComparedWithEachOther() async throws {
        let mirror = try FaultServer()
        mirror.serve("/good.bin", Resource(.pattern(lengthBytes: 999, seed: 1)))
        let text = manifestText(book("good.bin"), more: #""mirrors": ["\#(server.url("/"))", "\#(mirror.url("/"))"], "#)
        #expect(try await told(text) == [Told("O008", "\"good.bin\"")])
    }

    // MARK: Hostile and slow servers

    @Test func aServerThatIgnoresTheRangeMaySendLittle() async throws {
        let giant = Resource(.pattern(lengthBytes: 4 << 30, seed: 1)).ranges(.ignored)
        server.serve("/length", giant)
        server.serve("/chunked", giant.altered { $1.chunked() })
        #expect(try await told(manifestText(book("length", "chunked"))).map(\.id) == ["O010"])
        // What the kernels' buffers take is sent, though nobody reads it.
        for path in ["/length", "/chunked"] {
            try await server.waitForEnd(path, count: 2)
            #expect(server.bodyBytesSent(path) < 16 << 20)
        }
    }

    @Test func aServerThatDripsItsBodyHoldsNobodyForLong() async throws {
        server.serve("/x", good.ranges(.ignored).altered { $1.chunked(chunkBytes: 1).paced(bytesPerSecond: 20) })
        let started = ContinuousClock.now
        #expect(
            try await told(manifestText(book("x"))) { $0.exchangeTimeout = .milliseconds(500) } == [
                Told("O003", "\"x\"")
            ])
        #expect(ContinuousClock.now - started < .seconds(10))
    }

    @Test(arguments: [3, 4096]) func aServerThatLeavesRequestsUnansweredIsSoonLeftAlone(_ sourcesAtOnce: Int)
        async throws
    {
        let never = try Gate()
        let names = (0..<50).map { "s\($0)" }
        for name in names { server.serve("/\(name)", always: .status(200).headHeld(until: never)) }
        let urls = names.map { "{\"path\": \"\($0)\", \"urls\": [\"\($0)\"]}" }.joined(separator: ",")
        let checked = try await askedOnline(
            manifestText(#"{"id": "f", "kind": "files", "files": [\#(urls)]}"#), base: server.url("/")
        ) { limits in
            limits.idleTimeout = .milliseconds(200)
            limits.exchangesPerOrigin = 2
            limits.sourcesAtOnce = sourcesAtOnce
        }
        // Three in a row are enough; a fourth was on its way.
        let asked = sourcesAtOnce == 3 ? 3 : 4
        #expect(checked.told.filter { $0.id == "O003" }.count == asked)
        let notAsked = checked.contentFindings.filter { $0.id == "O020" }
        #expect(notAsked.count == 1)
        #expect(notAsked.first?.message.contains("(and \(49 - asked) more") == true)
        #expect(Set(server.log.map(\.request.path)).count == asked)
    }

    @Test func atTheDeadlineAllIsOver() async throws {
        let never = try Gate()
        server.serve("/silent", always: .status(200).headHeld(until: never))
        let text = manifestText(book("silent", "good.bin"))
        #expect(
            try await told(text) { limits in
                limits.deadline = .milliseconds(300)
                limits.exchangesPerOrigin = 1
            } == [Told("O020", "\"silent\"")])
    }

    /// It is neither listed nor decoded any more, however much it is.
    @Test func whatIsLeftAtTheEndIsToldInOneFinding() async throws {
        let never = try Gate()
        server.serve("/silent", always: .status(200).headHeld(until: never))
        let rest = (0..<200).map { #"{"id": "r\#($0)", "kind": "ebook", "filename": "r", "urls": ["r\#($0)"]}"# }
        let text = manifestText(book("silent"), rest.joined(separator: ","))
        let control = RunControl()
        async let asking = askedOnline(text, base: server.url("/"), control: control) { $0.sourcesAtOnce = 1 }
        try await server.waitForRequest("/silent")
        control.stop(.interrupted)
        let checked = try await asking
        #expect(checked.told == [Told("O020", "\"silent\""), Told("O020", "{")])
        #expect(checked.contentFindings.last?.message.hasPrefix("200 of 201 bundles were not asked for") == true)
        #expect(server.log.map(\.request.path) == ["/silent"])
    }

    @Test func onceItIsOverNobodyIsAsked() async throws {
        let (isOver, asked) = (Locked(false), Locked(0))
        var interview = SourceInterview(limits: OnlineLimits(), isOver: { isOver.withLock { $0 } }) { _ in
            asked.withLock { $0 += 1 }
            isOver.withLock { $0 = true }
            return .notAsked(.stopped)
        }
        let sources = try (0..<100).map {
            ProbedSource(url: try TransferURL("http://a.example/\($0)"), headers: HeaderFields())
        }
        #expect(await interview.answers(of: sources).count == 100)
        #expect(asked.withLock { $0 } <= OnlineLimits().exchangesPerOrigin)
    }

    @Test func whatIsAskedInPartsIsJudgedAsAWhole() async throws {
        let names = (0..<50).map { "s\($0)" }
        for name in names { server.serve("/\(name)", good) }
        server.serve("/s41", always: .status(404))
        server.serve("/s3", always: .redirect(to: "/s4"))
        let urls = names.map { "{\"path\": \"\($0)\", \"urls\": [\"\($0)\"]}" }.joined(separator: ",")
        let text = manifestText(#"{"id": "f", "kind": "files", "files": [\#(urls)]}"#)
        #expect(try await told(text) { $0.sourcesAtOnce = 7 } == [Told("O004", "\"s41\"")])
    }

    @Test func stoppedItEndsAtOnce() async throws {
        let never = try Gate()
        server.serve("/silent", always: .status(200).headHeld(until: never))
        let control = RunControl()
        async let checked = askedOnline(manifestText(book("silent")), base: server.url("/"), control: control)
        try await server.waitForRequest("/silent")
        control.stop(.interrupted)
        #expect(try await checked.told == [Told("O020", "\"silent\"")])
    }

    @Test func aThousandSourcesAreAskedAFewAtATime() async throws {
        let names = (0..<1000).map { "s\($0)" }
        for name in names { server.serve("/\(name)", good) }
        let urls = names.map { "{\"path\": \"\($0)\", \"urls\": [\"\($0)\"]}" }.joined(separator: ",")
        let text = manifestText(#"{"id": "f", "kind": "files", "files": [\#(urls)]}"#)
        #expect(try await told(text) { $0.exchangesPerOrigin = 5 } == [])
        #expect(server.log.count == 2000)
        #expect(server.mostConnections <= 5)
    }

    @Test func manyServersShareTheExchangesThatAreAllowed() async throws {
        let servers = try (0..<6).map { _ in try FaultServer() }
        let gate = try Gate()
        let arrived = Watched(0)
        for one in servers {
            one.serve("/x") { [good] request in
                arrived.update { $0 += 1 }
                return good.reply(to: request).headHeld(until: gate)
            }
        }
        let text = manifestText(
            #"{"id": "b", "kind": "ebook", "filename": "b", "urls": [\#(servers.map { "\"\($0.url("/x"))\"" }.joined(separator: ","))]}"#
        )
        async let checked = askedOnline(text, base: server.url("/")) { $0.exchanges = 2 }
        try await arrived.wait(for: "two requests") { $0 >= 2 ? () : nil }
        #expect(arrived.now == 2)
        gate.open()
        #expect(try await checked.told == [])
        #expect(servers.map(\.log.count) == Array(repeating: 2, count: 6))
    }
}
