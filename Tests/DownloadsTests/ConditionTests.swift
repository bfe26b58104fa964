import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// What a caller has already isn't fetched again, and that is neither a failure of the source's nor a reason to ask another.
@Suite struct ConditionTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        bench.server.serve("/b", Resource(bench.content))
    }

    /// A request for what is at `/a`, or else `/b`, unless that is what the validator stands for at `/a`.
    private func request(
        unless validator: String, _ change: (inout DownloadRequest) -> Void = { _ in }
    ) throws -> DownloadRequest {
        try bench.request(mirrors: ["/b"]) { request in
            request.condition = DownloadCondition(validator: validator, of: request.urls[0])
            change(&request)
        }
    }

    @Test(
        "not-modified",
        arguments: [
            ("\"v1\"", "If-None-Match"), ("W/\"v1\"", "If-None-Match"),
            ("Thu, 01 Jan 2026 00:00:00 GMT", "If-Modified-Since"),
        ])
    func theSameVersionIsTheEnd(_ validator: String, _ field: String) async throws {
        let downloader = try bench.downloader()
        let caller = try await downloader.answer(to: request(unless: validator))
        #expect(try await caller.answer().code == .notModified)
        #expect(caller.retries.isEmpty)
        #expect(bench.wire() == ["304"])
        #expect(bench.server.log[0].request[field] == validator)
        #expect(bench.wire("/b") == [])
        #expect(try bench.storedNames() == [])
        // Nor is the origin distrusted: with another one to choose it is still asked first.
        let other = try FaultServer()
        other.serve("/a", Resource(bench.content))
        _ = try await downloader.download(bench.request(mirrors: [other.url("/a")]))
        #expect(other.log.isEmpty)
    }

    @Test func anotherVersionIsFetched() async throws {
        let file = try await bench.downloader().download(request(unless: "\"v0\""))
        #expect(try contentDifference(bench.content.bytes(), file.bytes(limitBytes: 4_000_000)) == nil)
        #expect(file.validator == "\"v1\"")
        #expect(file.sourceURL.path == "/a")
    }

    @Test func onlyTheSourceOfTheValidatorIsTold() async throws {
        bench.server.serve("/a", always: .errorPage(404))
        let file = try await bench.downloader().download(request(unless: "\"v1\""))
        #expect(file.sourceURL.path == "/b")
        #expect(bench.server.exchanges("/a")[0].request["If-None-Match"] == "\"v1\"")
        #expect(bench.wire("/b") == ["200"])
        #expect(bench.server.exchanges("/b")[0].request["If-None-Match"] == nil)
    }

    @Test func whatIsHeldOfAnotherVersionStays() async throws {
        try await bench.pause()
        let before = try bench.stored()
        let caller = try await bench.downloader().answer(to: request(unless: "\"v1\""))
        #expect(try await caller.answer().code == .notModified)
        #expect(try bench.stored().record == before.record)
        #expect(try contentDifference(bench.stored().bytes, before.bytes) == nil)
    }

    @Test(arguments: [false, true]) func onlyRequestsOfOneConditionShare(_ knowsDigest: Bool) async throws {
        let gate = try Gate()
        bench.server.script("/a", [.altered { $0.headHeld(until: gate) }])
        let downloader = try bench.downloader()
        let first = downloader.ask(try request(unless: "\"v1\"") { if knowsDigest { $0.digest = bench.digest } })
        try await bench.server.waitForRequest("/a")
        let same = downloader.ask(try request(unless: "\"v1\"") { if knowsDigest { $0.digest = bench.digest } })
        let other = downloader.ask(try request(unless: "\"v0\"") { if knowsDigest { $0.digest = bench.digest } })
        _ = try await other.caller.events.events(atLeast: 1)
        gate.open()
        #expect(try await first.caller.answer().code == .notModified)
        #expect(try await same.caller.answer().code == .notModified)
        #expect(same.caller.isCoalesced)
        #expect(try await contentDifference(bench.content.bytes(), other.caller.bytes()) == nil)
        #expect(!other.caller.isCoalesced)
    }

    @Test func aValidatorThatStoodAtAnotherSourceIsNotPassedOn() async throws {
        // The first source's bytes, of which the second one's are the rest.
        let request = try bench.request(mirrors: ["/b"]) { $0.digest = bench.digest }
        bench.server.serve("/b", Resource(bench.content, etag: nil, lastModified: nil))
        bench.server.serve("/a", always: .errorPage(404))
        bench.server.script("/a", [.resource(Resource(bench.content).altered { $1.cut(afterBytes: 1_000_000) })])
        let file = try await bench.downloader().download(request)
        #expect(bench.wire("/b") == ["206 bytes=1000000-"])
        #expect(file.sourceURL.path == "/b")
        #expect(file.validator == nil)
    }
}
