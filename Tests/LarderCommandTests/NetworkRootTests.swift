import FaultServer
import Platform
import TestSupport
import Testing

/// A network that goes and comes back, in a namespace of the tests' own.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"), .serialized)
struct NetworkRootTests {
    /// A documentation address (RFC 5737), which is this machine's own while it "has a network".
    private static let address = "192.0.2.7"
    private let server: FaultServer
    private let folder: TemporaryDirectory
    private let content = Content.pattern(lengthBytes: 3_000_000, seed: 5)

    init() async throws {
        let links = try await ChildProcess.run("ip", ["-oneline", "link"]).outputText.split(separator: "\n")
        try #require(links.count == 1, "this must not be the machine's own network: make test-root")
        server = try FaultServer(onEveryAddress: true)
        folder = try TemporaryDirectory()
        server.serve("/film.bin", Resource(content))
        server.serve(
            "/m.json", Resource(.text(Stock.manifest([#"{"id": "f", "kind": "ebook", "urls": ["film.bin"]}"#]))))
        try await setNetwork(isThere: false)
    }

    private func setNetwork(isThere: Bool) async throws {
        let verb = isThere ? "replace" : "del"
        _ = try await ChildProcess.run("ip", ["address", verb, "\(Self.address)/32", "dev", "lo"])
        _ = try await ChildProcess.run("ip", ["route", verb, "default", "dev", "lo"])
        _ = try await ChildProcess.run("ip", ["route", "del", "128.0.0.0/1", "dev", "lo"])
    }

    /// - Parameter settings: of `--config`.
    private func startSync(host: String, _ settings: String = #"{"idleTimeout": "2s"}"#) throws -> ChildProcess {
        let path = try folder.write(settings.utf8, to: "s.json")
        return try LarderProgram.start([
            "sync", server.url("/m.json", host: host), "--library", folder["library"], "--min-free", "0", "--json",
            "--retries", "1", "--config", path,
        ])
    }

    @Test func aTransferWaitsForTheNetworkAndGoesOnAtItsByte() async throws {
        try await setNetwork(isThere: true)
        server.script("/film.bin", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let sync = try startSync(host: Self.address)
        _ = try await sync.wait(for: "a million bytes") { result in
            result.events.contains { $0["received"] == 1_000_000 } ? () : nil
        }
        try await setNetwork(isThere: false)
        // The one retry there is goes to the lost connection; whatever follows must not count.
        _ = try await sync.wait(for: "a wait") { $0.events.contains { $0.name == "network.waiting" } ? () : nil }
        try await setNetwork(isThere: true)
        let result = try await sync.waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        #expect(contentDifference(content.bytes(), try folder.read("library/current/m/f/film.bin")) == nil)
        // The address comes back before the route: a request that was sent in between is sent anew, for the bytes that are still missing.
        let offsets = server.exchanges("/film.bin").compactMap { $0.request["Range"]?.dropFirst(6).dropLast() }
            .compactMap { Int($0) }
        #expect(offsets.first == 1_000_000 && offsets.count <= 2 && offsets == offsets.sorted(), "\(offsets)")
        let rebuilt = result.events.filter { $0.name == "session.rebuilt" }
        #expect(rebuilt.allSatisfy { $0.value["reason"]?.string == "route changed" } && !rebuilt.isEmpty, "\(result)")
        #expect(result.problems.count { $0.hasPrefix("warning: no network") } == 1, "\(result)")
    }

    @Test func anotherRouteBuildsConnectionsAnewAndSpendsNoRetry() async throws {
        try await setNetwork(isThere: true)
        server.script("/film.bin", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let sync = try startSync(host: Self.address, "{}")
        _ = try await sync.wait(for: "a million bytes") { result in
            result.events.contains { $0["received"] == 1_000_000 } ? () : nil
        }
        // As a VPN puts itself over the default route.
        let added = try await ChildProcess.run("ip", ["route", "add", "128.0.0.0/1", "dev", "lo"])
        #expect(added.status == .exited(0), "\(added)")
        let result = try await sync.waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        #expect(!result.events.contains { $0.name == "transfer.retrying" })
        #expect(server.exchanges("/film.bin").compactMap { $0.request["Range"] }.first == "bytes=1000000-")
    }

    /// The lock isn't held for as long as a machine is offline.
    @Test func aRefreshThatFindsNoNetworkIsPausedAfterAWhile() async throws {
        let run = try await LarderProgram.run([
            "refresh", server.url("/m.json", host: Self.address), "--library", folder["library"], "--min-free", "0",
            "--retries", "1", "--network-wait", "1s",
        ])
        #expect(run.status == .exited(3) && run.output.isEmpty, "\(run)")
        #expect(run.problems.count == 1 && run.errorText.contains("no network"), "\(run)")
        try await setNetwork(isThere: true)
        let next = try await LarderProgram.run([
            "refresh", server.url("/m.json", host: Self.address), "--library", folder["library"], "--min-free", "0",
            "--network-wait", "1s",
        ])
        #expect(next.status == .exited(0) && next.errors.isEmpty, "\(next)")
    }

    /// A neighbour that isn't there is passed over, and what is on this machine is taken all the same.
    @Test func aNeighbourOutOfReachHoldsNobodyUp() async throws {
        let bundle =
            #"{"id": "f", "kind": "ebook", "urls": ["film.bin"], "size": \#(content.lengthBytes), "sha256": "\#(content.sha256)"}"#
        server.serve("/m.json", Resource(.text(Stock.manifest([bundle]))))
        let run = try await LarderProgram.run([
            "sync", server.url("/m.json"), "--library", folder["library"], "--min-free", "0", "--from",
            "http://\(Self.address):9/", "--retries", "0", "--deadline", "30s",
        ])
        #expect(run.status == .exited(0) && run.errorText.contains("nothing is taken from"), "\(run)")
    }

    @Test func withNothingButLoopbackAllGoesOnAsEver() async throws {
        server.script("/film.bin", [.altered { $0.cut(afterBytes: 1_000_000) }])
        let result = try await startSync(host: "127.0.0.1").waitForExit()
        #expect(result.status == .exited(0), "\(result)")
        #expect(!result.events.contains { $0.name == "network.waiting" })
        server.serve("/film.bin", always: .errorPage(503))
        server.serve(
            "/m.json",
            Resource(
                .text(
                    Stock.manifest([#"{"id": "f", "kind": "ebook", "urls": ["film.bin"], "version": "2"}"#], serial: 2))
            ))
        #expect(try await startSync(host: "127.0.0.1").waitForExit().status != .exited(0))
    }
}
