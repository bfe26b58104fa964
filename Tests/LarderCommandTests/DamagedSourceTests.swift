import FaultServer
import Platform
import TestSupport
import Testing

/// Archives without a digest of which one source has a damaged copy: the next one is asked, as it is for wrong bytes where there is a digest.
@Suite struct DamagedSourceTests {
    private let stock: Stock
    private let files = (0..<8).map { deterministicBytes(200_000, seed: UInt64($0)) }
    private let archive: [UInt8]
    private let damaged: [UInt8]

    init() throws {
        stock = try Stock()
        archive = Stock.zip(of: files)
        var bytes = archive
        bytes[150_000] ^= 1
        damaged = bytes
        stock.serveManifest([#"{"id": "z", "kind": "archive", "urls": ["bad.zip", "good.zip"]}"#])
        stock.server.serve("/bad.zip", Resource(.bytes(damaged)))
        stock.server.serve("/good.zip", Resource(.bytes(archive), etag: "\"good\""))
    }

    private func refresh() async throws -> ChildProcess.Result {
        try await LarderProgram.run(["refresh"] + stock.arguments().dropFirst())
    }

    @Test(arguments: ["a wrong CRC-32", "a cut archive", "a page for people"])
    func theNextSourceIsAsked(_ what: String) async throws {
        switch what {
        case "a wrong CRC-32": break
        case "a cut archive": stock.server.serve("/bad.zip", Resource(.bytes(Array(archive.prefix(900_000)))))
        default: stock.server.serve("/bad.zip", Resource(.text("<!DOCTYPE html><title>Log in</title>")))
        }
        let end = try await stock.sync()
        #expect(end.status == .exited(0), "\(end)")
        #expect(end.errorText.contains("the next source is asked"), "\(end)")
        try stock.expectPublished(files)
    }

    @Test func aLaterRunDoesNotFetchEitherAgain() async throws {
        #expect(try await stock.sync().status == .exited(0))
        let end = try await refresh()
        #expect(end.status == .exited(0), "\(end)")
        #expect(stock.server.exchanges("/bad.zip").map(\.status).last == 304)
        #expect(stock.server.exchanges("/good.zip").count == 1)
        try stock.expectPublished(files)
    }

    /// That a source still has what could not be used says nothing of the next one.
    @Test func theNextSourceIsAskedWhereTheFirstHasTheSameStill() async throws {
        stock.server.serve("/good.zip", always: .status(503))
        #expect(try await stock.sync().status == .exited(1))
        #expect(stock.server.exchanges("/good.zip").count == 1)
        stock.server.serve("/good.zip", Resource(.bytes(archive), etag: "\"good\""))
        let end = try await refresh()
        #expect(end.status == .exited(0), "\(end)")
        #expect(stock.server.exchanges("/bad.zip").map(\.status) == [200, 304])
        try stock.expectPublished(files)
    }

    @Test func aServerThatDamagesItsFileAfterwardsFailsNoRun() async throws {
        stock.server.serve("/bad.zip", Resource(.bytes(archive), etag: "\"whole\""))
        #expect(try await stock.sync().status == .exited(0))
        stock.server.serve("/bad.zip", Resource(.bytes(damaged), etag: "\"damaged\""))
        for _ in 0..<2 {
            let end = try await refresh()
            #expect(end.status == .exited(0), "\(end)")
        }
        #expect(stock.server.exchanges("/bad.zip").map(\.status) == [200, 200, 304])
        try stock.expectPublished(files)
    }

    @Test func whereAllAreDamagedTheBundleFails() async throws {
        stock.server.serve("/good.zip", Resource(.bytes(damaged)))
        let end = try await stock.sync()
        #expect(end.status == .exited(1), "\(end)")
        #expect(end.errorText.contains("CRC-32"), "\(end)")
        #expect(try stock.published() == [])
        #expect(stock.server.exchanges("/good.zip").count == 1)
    }

    /// What is refused for what it is would be the same from anywhere.
    @Test func anUnsafeArchiveIsNotAskedOfTheNextSource() async throws {
        stock.server.serve("/bad.zip", Resource(.bytes(storedZip(["../x": [1]]))))
        #expect(try await stock.sync().status == .exited(1))
        #expect(stock.server.exchanges("/good.zip").isEmpty)
    }
}
