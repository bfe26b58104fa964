import FaultServer
import Glibc
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
        #expect(stock.server.exchanges("/good.zip").map(\.status) == [200, 304])
        try stock.expectPublished(files)
    }

    /// What is here came from the second source, and is good: nothing is to be gained by a damaged copy.
    @Test func aLaterSyncFetchesNothingWhereNothingHasChanged() async throws {
        #expect(try await stock.sync().status == .exited(0))
        for _ in 0..<2 {
            let end = try await stock.sync()
            #expect(end.status == .exited(0) && end.outputText.hasPrefix("nothing to do"), "\(end)")
            #expect(end.errorText == "", "\(end)")
        }
        #expect(stock.server.exchanges("/bad.zip").map(\.status) == [200, 304, 304])
        #expect(stock.server.exchanges("/good.zip").map(\.status) == [200, 304, 304])
        try stock.expectPublished(files)
    }

    /// What nobody can ask about is asked of whoever has sent it.
    @Test(arguments: ["without the index", "where it says nothing of its version", "where it was away"])
    func aLaterSyncAsksWhoeverHasSentIt(_ case: String) async throws {
        switch `case` {
        case "where it says nothing of its version":
            stock.server.serve("/bad.zip", Resource(.bytes(damaged), etag: nil, lastModified: nil))
        case "where it was away": stock.server.serve("/bad.zip", always: .errorPage(404))
        default: break
        }
        #expect(try await stock.sync().status == .exited(0))
        if `case` == "without the index" { try check(unlink("\(stock.library)/.larder/state.db"), "unlink") }
        #expect(try await stock.sync().status == .exited(0))
        #expect(stock.server.exchanges("/bad.zip").count == 1)
        #expect(stock.server.exchanges("/good.zip").map(\.status) == [200, 304])
    }

    @Test func whoeverHasSomethingNewIsHeard() async throws {
        #expect(try await stock.sync().status == .exited(0))
        var newer = files
        newer[3] = deterministicBytes(200_000, seed: 50)
        stock.server.serve("/bad.zip", Resource(.bytes(Stock.zip(of: newer)), etag: "\"repaired\""))
        #expect(try await stock.sync().status == .exited(0))
        try stock.expectPublished(newer)
        newer[4] = deterministicBytes(200_000, seed: 51)
        stock.server.serve("/bad.zip", Resource(.bytes(damaged), etag: "\"again\""))
        stock.server.serve("/good.zip", Resource(.bytes(Stock.zip(of: newer)), etag: "\"newer\""))
        #expect(try await stock.sync().status == .exited(0))
        try stock.expectPublished(newer)
    }

    /// Nobody whom the manifest doesn't list any more is asked.
    @Test func whoeverHasSentItIsNotAskedOnceItIsNotListed() async throws {
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([#"{"id": "z", "kind": "archive", "urls": ["bad.zip"]}"#], serial: 2)
        stock.server.serve("/bad.zip", Resource(.bytes(archive), etag: "\"repaired\""))
        #expect(try await stock.sync().status == .exited(0))
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
