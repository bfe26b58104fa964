import FaultServer
import Glibc
import TestSupport
import Testing

/// What `larder refresh` asks, says and leaves alone.
@Suite struct RefreshTests {
    private let stock: Stock
    private let content = Content.pattern(lengthBytes: 1000, seed: 1)
    private let other = Content.pattern(lengthBytes: 1000, seed: 9)

    init() throws { stock = try Stock() }

    @Test func aRunThatSucceedsSaysNothing() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("bare", content, hasDigest: false)])
        let first = try await stock.refresh()
        #expect(first.status == .exited(0), "\(first)")
        #expect(first.output.isEmpty && first.errors.isEmpty, "\(first)")
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func whereNothingChangedThereIsOneRequest() async throws {
        stock.serveManifest([stock.file("a", content), stock.archive("z", storedZip(["x.txt": Array("x".utf8)]))])
        #expect(try await stock.refresh().status == .exited(0))
        let (requests, generation) = (stock.server.log.count, try stock.generation())

        let again = try await stock.refresh("--json")

        #expect(again.status == .exited(0), "\(again)")
        #expect(stock.server.log.dropFirst(requests).map(\.status) == [304])
        #expect(stock.server.log.last?.request["If-None-Match"] == "\"1\"")
        #expect(try again.finished.bundles("unchanged") == 2)
        #expect(again.errors.isEmpty, "\(again)")
        #expect(try stock.generation() == generation)
    }

    /// RFC 9110 §8.8.2.2: while the clock shows the second of the last change, another change needn't show in the date.
    @Test func aDateThatMayStandForTwoVersionsIsNotAskedBy() async throws {
        let date = HTTPDate.fromNow(1)
        func serve(serial: Int) {
            let text = Stock.manifest([stock.file("a", content)], serial: serial)
            stock.server.serve("/m.json", Resource(.text(text), etag: nil, lastModified: date))
        }
        serve(serial: 1)
        #expect(try await stock.refresh().status == .exited(0))
        serve(serial: 2)
        let run = try await stock.refresh("--json")
        #expect(run.status == .exited(0), "\(run)")
        #expect(run.events.first { $0.name == "manifest.loaded" }?["serial"] == 2, "\(run)")
    }

    /// As where a file was put there again, or a server behind a balancer has tags of its own.
    @Test(arguments: [true, false]) func theSameBytesUnderAnotherTagAreFetchedOnce(isArchive: Bool) async throws {
        let body = isArchive ? storedZip(["x.txt": Array("x".utf8)]) : content.bytes()
        stock.serveManifest([
            isArchive ? stock.archive("bare", body, hasDigest: false) : stock.file("bare", content, hasDigest: false)
        ])
        let path = isArchive ? "/bare.zip" : "/bare.bin"
        stock.server.serve(path, Resource(.bytes(body), etag: "\"v1\""))
        #expect(try await stock.refresh().status == .exited(0))
        stock.server.serve(path, Resource(.bytes(body), etag: "\"v2\""))
        #expect(try await stock.refresh().status == .exited(0))
        #expect(try await stock.refresh().status == .exited(0))
        let asked = stock.server.exchanges(path)
        #expect(asked.map(\.status) == [200, 200, 304])
        #expect(asked.last?.request["If-None-Match"] == "\"v2\"")
        #expect(try await LarderProgram.run(["verify", "--library", stock.library]).status == .exited(0))
    }

    @Test func whatHasNoDigestIsStillAskedFor() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("bare", content, hasDigest: false)])
        #expect(try await stock.refresh().status == .exited(0))
        let requests = stock.server.log.count
        #expect(try await stock.refresh().status == .exited(0))
        #expect(stock.server.log.dropFirst(requests).map(\.request.path) == ["/m.json", "/bare.bin"])
        #expect(stock.server.log.dropFirst(requests).map(\.status) == [304, 304])

        let changed = Content.pattern(lengthBytes: 1000, seed: 2)
        stock.server.serve("/bare.bin", Resource(changed, etag: "\"v2\""))
        #expect(try await stock.refresh().status == .exited(0))
        #expect(try stock.difference("bare", changed) == nil)
    }

    @Test func aChangedManifestIsFollowed() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        #expect(try await stock.refresh().status == .exited(0))
        let changed = Content.pattern(lengthBytes: 1000, seed: 2)
        stock.serveManifest([stock.file("a", content), stock.file("b", changed)], serial: 2)
        let requests = stock.server.log.count

        #expect(try await stock.refresh().status == .exited(0))

        #expect(stock.server.log.dropFirst(requests).map(\.request.path) == ["/m.json", "/b.bin"])
        #expect(try stock.difference("b", changed) == nil)
    }

    /// What makes a run look at everything again, although the server says that its manifest didn't change.
    enum Loss: CaseIterable {
        case index, content, generation
    }

    @Test(arguments: Loss.allCases)
    func whatIsLostIsNoticedAlthoughTheManifestDidNotChange(_ loss: Loss) async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        #expect(try await stock.refresh().status == .exited(0))
        let path =
            switch loss {
            case .index: "\(stock.library)/.larder/state.db"
            case .content: "\(stock.library)/store/m/a"
            case .generation: "\(stock.library)/current"
            }
        #expect(rename(path, stock.directory["lost"]) == 0)

        let result = try await stock.refresh()

        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.difference("a", content) == nil && stock.difference("b", other) == nil)
        #expect(stock.server.exchanges("/b.bin").count == 1, "what is still there isn't fetched again")
    }

    @Test func aBundleThatFailedIsTriedAgainByTheNextRun() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        stock.server.script("/b.bin", [.reply(.errorPage(404))])
        let failed = try await stock.refresh()
        #expect(failed.status == .exited(2), "\(failed)")
        #expect(failed.problems.count == 1 && failed.errorText.contains("m/b"), "\(failed)")
        let again = try await stock.refresh()
        #expect(again.status == .exited(0) && again.errors.isEmpty, "\(again)")
        #expect(try stock.difference("b", other) == nil)
    }

    @Test func anExpiredManifestIsRefusedAlthoughItDidNotChange() async throws {
        stock.serveManifest([stock.file("a", content)], more: #""expires": "2026-01-01T00:00:00Z","#)
        #expect(try await stock.refresh("--allow-expired").status == .exited(0))
        let refused = try await stock.refresh()
        #expect(refused.status == .exited(77), "\(refused)")
        #expect(refused.problems.count == 1, "\(refused)")
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func aLowerSerialIsRefusedInOneLine() async throws {
        stock.serveManifest([stock.file("a", content)], serial: 2)
        #expect(try await stock.refresh().status == .exited(0))
        stock.serveManifest([stock.file("a", content)], serial: 1)
        let refused = try await stock.refresh()
        #expect(refused.status == .exited(77), "\(refused)")
        #expect(refused.problems.count == 1, "\(refused)")
    }

    @Test func ofAManifestWithManyMistakesOneLineIsTold() async throws {
        stock.server.serve(
            "/m.json", Resource(.text(#"{"format": "larder/1", "idd": 7, "serial": "x", "bundles": 1}"#)))
        let result = try await stock.refresh()
        #expect(result.status == .exited(65), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("more: larder validate"), "\(result)")
    }

    @Test func aLoginPageInThePlaceOfTheManifestIsNamed() async throws {
        stock.server.serve("/m.json", Resource(.text("<!DOCTYPE html><title>Log in</title>")))
        let result = try await stock.refresh()
        #expect(result.status == .exited(66), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("captive portal"), "\(result)")
    }

    @Test func aFileIsAManifestLikeAnyOther() async throws {
        stock.server.serve("/a.bin", Resource(content))
        let text = Stock.manifest([stock.file("a", content)], more: #""mirrors": ["\#(stock.server.url("/"))"],"#)
        let path = try stock.directory.write(text.utf8, to: "m.json")
        #expect(try await stock.refresh(manifests: [path]).status == .exited(0))
        let requests = stock.server.log.count
        let again = try await stock.refresh("--json", manifests: [path])
        #expect(try again.finished.bundles("unchanged") == 1, "\(again)")
        #expect(stock.server.log.count == requests)
    }

    @Test func severalManifestsAreEachJudgedByThemselves() async throws {
        stock.serveManifest([stock.file("a", content)])
        func serveOther(_ seed: UInt64, serial: Int) -> Content {
            let other = Content.pattern(lengthBytes: 10, seed: seed)
            stock.server.serve(
                "/n.json",
                Resource(
                    .text(Stock.manifest([stock.file("b", other)], id: "n", serial: serial)), etag: "\"\(serial)\""))
            return other
        }
        let both = [stock.manifestURL, stock.server.url("/n.json")]
        _ = serveOther(2, serial: 1)
        #expect(try await stock.refresh(manifests: both).status == .exited(0))
        let changed = serveOther(3, serial: 2)
        #expect(try await stock.refresh(manifests: both).status == .exited(0))
        #expect(contentDifference(changed.bytes(), try readFile("\(stock.library)/current/n/b/data")) == nil)
        let requests = stock.server.log.count
        #expect(try await stock.refresh(manifests: both).status == .exited(0))
        #expect(stock.server.log.dropFirst(requests).map(\.status) == [304, 304])
    }

    // MARK: Another run

    /// Starts a run that holds the library until the gate opens.
    private func startHolder(_ gate: Gate) async throws -> ChildProcess {
        stock.serveManifest([stock.file("a", content) { $0.altered { $1.headHeld(until: gate) } }])
        let holder = try LarderProgram.start(stock.refreshArguments())
        try await stock.server.waitForRequest("/a.bin")
        return holder
    }

    @Test func aLibraryInUseIsLeftAloneOrToldAsAsked() async throws {
        let gate = try Gate()
        let holder = try await startHolder(gate)
        let skipped = try await stock.refresh("--lock", "skip")
        #expect(skipped.status == .exited(0) && skipped.errors.isEmpty, "\(skipped)")
        let failed = try await stock.refresh("--lock", "fail")
        #expect(failed.status == .exited(75) && failed.problems.count == 1, "\(failed)")
        let impatient = try await stock.refresh("--lock", "wait:1s")
        #expect(impatient.status == .exited(75) && impatient.problems.count == 1, "\(impatient)")
        let waiting = try LarderProgram.start(stock.refreshArguments(["--lock", "wait:10m"]))
        gate.open()
        #expect(try await holder.waitForExit().status == .exited(0))
        let waited = try await waiting.waitForExit()
        #expect(waited.status == .exited(0) && waited.errors.isEmpty, "\(waited)")
    }

    @Test func whoWaitsForTheLibraryCanBeStopped() async throws {
        let gate = try Gate()
        let holder = try await startHolder(gate)
        let waiting = try LarderProgram.start(stock.refreshArguments(["--lock", "wait:1d", "--json"]))
        try await waiting.wait(for: "its start") { $0.events.first { $0.name == "run.started" }.map { _ in } }
        waiting.kill(SIGTERM)
        #expect(try await waiting.waitForExit(within: .seconds(4)).status == .exited(143))
        gate.open()
        #expect(try await holder.waitForExit().status == .exited(0))
    }
}

extension Stock {
    /// The command line of a refresh of the manifest.
    func refreshArguments(_ more: [String] = [], manifests: [String]? = nil) -> [String] {
        ["refresh"] + arguments(more, manifests: manifests).dropFirst()
    }

    func refresh(_ more: String..., manifests: [String]? = nil) async throws -> ChildProcess.Result {
        try await LarderProgram.run(refreshArguments(more, manifests: manifests))
    }
}
