import FaultServer
import TestSupport
import Testing

/// Archives without a digest that could not be used: how long `larder refresh` doesn't want them.
@Suite struct RefreshRejectionTests {
    private let stage: RefreshStage
    private let zip = storedZip(["x.txt": [UInt8](repeating: 120, count: 5000)])

    init() async throws {
        stage = try await RefreshStage()
    }

    private var stock: Stock { stage.stock }

    private func serve(unpack: String, serial: Int) {
        stock.serveManifest(
            [#"{"id": "z", "kind": "archive", "urls": ["z.zip"], "unpack": \#(unpack)}"#], serial: serial)
    }

    @Test(arguments: [#"{"limits": {"bytes": 1000}}"#, #"{"format": "tar"}"#])
    func aManifestThatWantsSomethingElseOfAnArchiveGetsIt(wrong: String) async throws {
        stock.server.serve("/z.zip", Resource(.bytes(zip), etag: "\"v1\""))
        serve(unpack: wrong, serial: 1)
        for status in [200, 304] {
            #expect(try await stage.refresh().status == .exited(1))
            #expect(stock.server.exchanges("/z.zip").last?.status == status)
        }
        serve(unpack: #"{"limits": {"bytes": 100000}}"#, serial: 2)
        #expect(try await stage.refresh().status == .exited(0))
        #expect(try stock.content("z/x.txt").count == 5000)
    }

    @Test func whatWasDamagedOnTheWayIsTriedAgainLessAndLessOften() async throws {
        stock.server.serve("/z.zip", Resource(.bytes(zip.dropLast(30) + [0]), etag: "\"v1\""))
        serve(unpack: "{}", serial: 1)
        for (hour, status) in [(0, 200), (5, 304), (7, 200), (18, 304), (20, 200), (43, 304)] {
            #expect(try await stage.refresh(after: .hours(hour)).status == .exited(1))
            #expect(stock.server.exchanges("/z.zip").last?.status == status, "hour \(hour)")
        }
        // The server had the right bytes all the time.
        stock.server.serve("/z.zip", Resource(.bytes(zip), etag: "\"v1\""))
        #expect(try await stage.refresh(after: .hours(45)).status == .exited(0))
        #expect(try stock.content("z/x.txt").count == 5000)
    }
}
