import FaultServer
import Glibc
import TestSupport
import Testing

/// SIGHUP in the middle of a sync.
@Suite struct SettingsReloadTests {
    private let stock: Stock
    private let content = Content.pattern(lengthBytes: 3_000_000, seed: 3)

    init() throws {
        stock = try Stock()
        stock.serveManifest([stock.file("a", content)])
        stock.server.script("/a.bin", [.altered { $0.stalled(afterBytes: 1_000_000) }])
    }

    private var settingsPath: String { stock.directory["settings.json"] }

    private func write(_ settings: String) throws { try stock.directory.write(settings.utf8, to: "settings.json") }

    /// A sync whose transfer has come to a million bytes, and gets no further.
    private func startSync() async throws -> ChildProcess {
        try write(#"{"userAgent": "before", "rateLimit": "50M"}"#)
        let sync = try stock.startSync("--config", settingsPath, "--json")
        _ = try await sync.wait(for: "a million bytes") { result in
            result.events.contains { $0["received"] == 1_000_000 } ? () : nil
        }
        return sync
    }

    @Test func aTransferGoesOnByTheNewSettings() async throws {
        let sync = try await startSync()
        try write(#"{"userAgent": "after", "rateLimit": "40M"}"#)
        sync.kill(SIGHUP)
        let result = try await sync.waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.difference("a", content) == nil)
        let requests = stock.server.exchanges("/a.bin").map(\.request)
        #expect(requests.map { $0["User-Agent"] } == ["before", "after"])
        #expect(requests.map { $0["Range"] } == [nil, "bytes=1000000-"])
        #expect(result.events.count { $0.name == "session.rebuilt" } == 1)
        #expect(result.events.filter { $0.name == "transfer.resumed" }.map { $0["offset"] } == [1_000_000])
        #expect(!result.events.contains { $0.name == "transfer.retrying" })
        #expect(try result.finished["bytesResumed"] == 0, "nothing was saved by an earlier run")
    }

    @Test(arguments: [
        (#"{"userAgnt": "after"}"#, "there is no setting"), (#"{"proxy": "gopher://nowhere.example"}"#, "proxy"),
        ("{", "J"),
    ])
    func settingsThatCanNotWorkChangeNothing(text: String, says: String) async throws {
        let sync = try await startSync()
        try write(text)
        sync.kill(SIGHUP)
        let complaint = try await sync.wait(for: "a complaint") { $0.errorText.hasSuffix("\n") ? $0.errorText : nil }
        #expect(complaint.hasPrefix("larder: \(settingsPath):") && complaint.contains(says), "\(complaint)")
        #expect(complaint.hasSuffix("the settings stay as they were\n") && complaint.split(separator: "\n").count == 1)
        #expect(stock.server.exchanges("/a.bin").count == 1)
        try write(#"{"userAgent": "after"}"#)
        sync.kill(SIGHUP)
        #expect(try await sync.waitForExit().status == .exited(0))
        #expect(try stock.difference("a", content) == nil)
    }

    /// They are part of each request from the beginning of the run.
    @Test func whatHoldsFromTheNextRunOnIsTold() async throws {
        let sync = try await startSync()
        try write(#"{"userAgent": "after", "maxRedirects": 3, "bodyBudget": "1G"}"#)
        sync.kill(SIGHUP)
        let result = try await sync.waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        for name in ["maxRedirects", "bodyBudget"] {
            #expect(result.problems.count { $0.contains("\"\(name)\" holds from the next run on") } == 1, "\(result)")
        }
        #expect(stock.server.exchanges("/a.bin").map { $0.request["User-Agent"] } == ["before", "after"])
    }

    /// `verify`, `export`, `validate` and `manifest import` read them at their beginning alone.
    @Test func otherCommandsReadTheirSettingsOnce() async throws {
        try write("{}")
        let gate = try Gate()
        stock.server.script("/m.json", [.altered { $0.headHeld(until: gate) }])
        let run = try LarderProgram.start(["validate", stock.manifestURL, "--config", settingsPath])
        try await stock.server.waitForRequest("/m.json")
        run.kill(SIGHUP)
        #expect(try await run.waitForExit().status == .exited(143))
    }

    @Test func withoutSettingsItIsTheEndOfATerminal() async throws {
        let sync = try stock.startSync()
        try await stock.server.waitUntilSent("/a.bin", bytes: 1_000_000)
        sync.kill(SIGHUP)
        #expect(try await sync.waitForExit().status == .exited(143))
    }
}
