import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// Sources that send something else than what was asked for, over several runs.
@Suite struct RefreshDistrustTests {
    private let stage: RefreshStage
    private let content = Content.pattern(lengthBytes: 100_000, seed: 1)
    private let wrong = Content.pattern(lengthBytes: 100_000, seed: 2)

    init() async throws {
        stage = try await RefreshStage()
    }

    private var stock: Stock { stage.stock }

    /// A bundle whose only source, or the first of two, sends other bytes.
    private func serveBundle(hasMirror: Bool) {
        stock.server.serve("/bad.bin", Resource(wrong))
        stock.server.serve("/good.bin", Resource(content))
        let urls = hasMirror ? #""bad.bin", "good.bin""# : #""bad.bin""#
        stock.serveManifest([
            #"{"id": "a", "kind": "files", "files": [{"path": "data", "urls": [\#(urls)], "size": 100000, "sha256": "\#(content.sha256)"}]}"#
        ])
    }

    private var quarantined: [String] {
        get throws {
            try directoryEntries(FilePathBytes("\(stock.library)/.larder/quarantine")).map(\.description).sorted()
        }
    }

    @Test func wrongBytesAreQuarantinedAndTheMirrorIsAskedInstead() async throws {
        serveBundle(hasMirror: true)
        let first = try await stage.refresh(["--json"])
        #expect(first.status == .exited(0), "\(first)")
        #expect(try stock.difference("a", content) == nil)
        #expect(try quarantined == ["\(wrong.sha256).bytes"])
        let event = try #require(first.events.first { $0.name == "bytes.quarantined" })
        #expect(event.value["url"]?.string?.hasSuffix("/bad.bin") == true && event["bytes"] == 100_000)
        let kept = try readFile("\(stock.library)/.larder/quarantine/\(wrong.sha256).bytes")
        #expect(contentDifference(wrong.bytes(), kept) == nil)
        #expect(try stock.partials() == [])
    }

    @Test func theSameWrongBytesAreNotFetchedByEveryRun() async throws {
        serveBundle(hasMirror: false)
        // Hours at which a run comes, and how often the source was asked by then.
        let expected = [(0, 1), (1, 1), (5, 1), (7, 2), (18, 2), (20, 3), (43, 3), (45, 4)]
        for (hour, requests) in expected {
            let result = try await stage.refresh(after: .hours(hour))
            #expect(result.status == .exited(1) && result.problems.count == 1, "hour \(hour): \(result)")
            #expect(stock.server.exchanges("/bad.bin").count == requests, "hour \(hour)")
        }
        #expect(try quarantined.count == 1)
        // Who comes in person is believed to know that it's worth it.
        stock.server.serve("/bad.bin", Resource(content))
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func anotherDigestIsAskedForAtOnce() async throws {
        serveBundle(hasMirror: false)
        #expect(try await stage.refresh().status == .exited(1))
        stock.serveManifest(
            [
                #"{"id": "a", "kind": "files", "files": [{"path": "data", "urls": ["bad.bin"], "sha256": "\#(wrong.sha256)"}]}"#
            ], serial: 2)
        #expect(try await stage.refresh().status == .exited(0))
    }

    @Test func aDistrustOfTheFutureHoldsNobodyBack() async throws {
        serveBundle(hasMirror: false)
        #expect(try await stage.refresh(after: .hours(10_000)).status == .exited(1))
        stock.server.serve("/bad.bin", Resource(content))
        #expect(try await stage.refresh().status == .exited(0))
    }

    @Test func aDamagedArchiveWithoutADigestIsNotFetchedUntilItChanges() async throws {
        let zip = storedZip(["x.txt": Array("x".utf8)])
        let bundle = #"{"id": "z", "kind": "archive", "urls": ["z.zip"]}"#
        stock.server.serve("/z.zip", Resource(.bytes(zip), etag: "\"v1\""))
        stock.serveManifest([bundle])
        #expect(try await stage.refresh().status == .exited(0))
        stock.server.serve("/z.zip", Resource(.bytes(zip.dropLast(30) + [0]), etag: "\"v2\""))
        for expected in [200, 304, 304] {
            let result = try await stage.refresh()
            #expect(result.status == .exited(1) && result.problems.count == 1, "\(result)")
            #expect(stock.server.exchanges("/z.zip").last?.status == expected)
        }
        #expect(try await stock.sync().status == .exited(1))
        #expect(stock.server.exchanges("/z.zip").last?.status == 200, "sync asks anew")

        let repaired = storedZip(["x.txt": Array("y".utf8)])
        stock.server.serve("/z.zip", Resource(.bytes(repaired), etag: "\"v3\""))
        for expected in [200, 304] {
            #expect(try await stage.refresh().status == .exited(0))
            #expect(stock.server.exchanges("/z.zip").last?.status == expected)
        }
        #expect(try stock.content("z/x.txt") == Array("y".utf8))
    }

    @Test func theQuarantineDoesNotGrow() async throws {
        for serial in 1...4 {
            let (due, sent) = (
                Content.pattern(lengthBytes: 1000, seed: UInt64(serial)),
                Content.pattern(lengthBytes: 1000, seed: UInt64(100 + serial))
            )
            stock.server.serve("/bad.bin", Resource(sent))
            stock.serveManifest(
                [
                    #"{"id": "a", "kind": "files", "files": [{"path": "data", "urls": ["bad.bin"], "sha256": "\#(due.sha256)"}]}"#
                ], serial: serial)
            #expect(try await stage.refresh().status == .exited(1))
        }
        #expect(try quarantined.count == 2)
    }

    // MARK: Captive portals

    private static let page = "<!DOCTYPE html><html><title>Welcome to Café Wi-Fi</title></html>"

    enum Portal: CaseIterable {
        case ofItsLength, chunked, redirected, withoutType
    }

    @Test(arguments: Portal.allCases)
    func aLoginPageInThePlaceOfAFileIsNamedAndHoldsNobodyBack(_ portal: Portal) async throws {
        stock.serveManifest([
            stock.file("sized", content),
            #"{"id": "z", "kind": "archive", "urls": ["z.zip"], "sha256": "\#(content.sha256)"}"#,
            #"{"id": "bare", "kind": "archive", "urls": ["bare.zip"]}"#,
        ])
        let type = portal == .withoutType ? "application/octet-stream" : "text/html; charset=utf-8"
        var reply = Reply.status(200, ["Content-Type": type]).body(.text(Self.page))
        if portal == .chunked { reply = reply.chunked() }
        stock.server.serve("/login", always: reply)
        let answer = portal == .redirected ? Reply.redirect(to: stock.server.url("/login")) : reply
        for path in ["/sized.bin", "/z.zip", "/bare.zip"] { stock.server.serve(path, always: answer) }

        let result = try await stock.refresh()

        #expect(result.status == .exited(1) && result.problems.count == 3, "\(result)")
        for line in result.problems {
            // What doesn't say that it is a page is only known by its length.
            let isNamed = portal != .withoutType || !line.contains("m/sized")
            #expect(line.contains("captive portal") == isNamed, "\(line)")
        }
        let zip = storedZip(["x.txt": Array("x".utf8)])
        stock.serveManifest([stock.file("sized", content), stock.archive("z", zip)], serial: 2)
        let free = try await stock.refresh()
        #expect(free.status == .exited(0), "\(free)")
        #expect(try quarantined == [])
    }

    // MARK: Secrets

    @Test func secretsReachNeitherLogsNorTheIndex() async throws {
        let authorization = "Basic dXNlcjpzM2NyM3QtcGFzc3dvcmQ="
        stock.serveManifest([stock.file("a", content) { $0.requiring(authorization: authorization) }])
        let netrc = try stock.directory.write(
            "machine 127.0.0.1 login user password s3cr3t-password\n".utf8, to: "netrc", mode: 0o600)
        let config = try stock.directory.write(#"{"netrc": "\#(netrc)"}"#.utf8, to: "settings.json")
        let metrics = stock.directory["larder.prom"]
        let signed = "\(stock.manifestURL)?token=t0k3n-s3cr3t"
        let good = try await stock.refresh(
            "--config", config, "--json", "--verbose", "--metrics", metrics, manifests: [signed])
        #expect(good.status == .exited(0), "\(good)")
        let wrongNetrc = try stock.directory.write(
            "machine 127.0.0.1 login user password 0th3r-s3cr3t\n".utf8, to: "netrc", mode: 0o600)
        let other = Content.pattern(lengthBytes: 10, seed: 5)
        stock.serveManifest([stock.file("a", other) { $0.requiring(authorization: authorization) }], serial: 2)
        let bad = try await stock.refresh(
            "--config", config, "--json", "--verbose", "--metrics", metrics, manifests: [signed])
        #expect(bad.status == .exited(1) && wrongNetrc == netrc, "\(bad)")
        let index = try readFile("\(stock.library)/.larder/state.db")
        let written = [good.output, good.errors, bad.output, bad.errors, index, try readFile(metrics)]
        for text in written.map({ String(decoding: $0, as: UTF8.self) }) { #expect(!text.contains("s3cr3t")) }
    }
}
