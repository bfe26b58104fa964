import FaultServer
import Glibc
import TestSupport
import Testing

/// `state.db` is only an index: whatever becomes of it, it is made anew from what is on the disk, and nothing that is published is fetched again.
@Suite struct LostIndexTests {
    enum Loss: String, CaseIterable {
        case removed, cut, garbage, newer, link
        /// What is left of a transaction belongs to another database.
        case foreignJournal
    }

    @Test(arguments: Loss.allCases) func nothingIsFetchedAgainAndNoLowerSerialIsTaken(loss: Loss) async throws {
        let stock = try Stock()
        let content = Content.pattern(lengthBytes: 10_000, seed: 1)
        stock.serveManifest([stock.file("a", content)], serial: 7)
        #expect(try await stock.sync().status == .exited(0))
        try await inflict(loss, on: "\(stock.library)/.larder/state.db")

        let next = try await stock.sync()
        #expect(next.status == .exited(0), "\(next)")
        #expect(stock.server.exchanges("/a.bin").count == 1)
        #expect(try await stock.sync().errors.isEmpty, "it is noticed once")
        stock.serveManifest([stock.file("a", content)], serial: 6)
        #expect(try await stock.sync().status == .exited(77))
    }

    private func inflict(_ loss: Loss, on path: String) async throws {
        let bytes = try readFile(path)
        switch loss {
        case .removed: #expect(unlink(path) == 0)
        case .cut: try writeFile(Array(bytes.prefix(bytes.count / 2)), to: path)
        case .garbage: try writeFile(deterministicBytes(20_000, seed: 5), to: path)
        case .newer:
            // The version stands in the file's header (https://www.sqlite.org/fileformat.html, 1.3.14).
            var newer = bytes
            newer.replaceSubrange(60..<64, with: [0, 0, 0, 99])
            try writeFile(newer, to: path)
        case .link: #expect(rename(path, "\(path).elsewhere") == 0 && symlink("state.db.elsewhere", path) == 0)
        case .foreignJournal:
            #expect(unlink(path) == 0)
            try writeFile(deterministicBytes(5_000, seed: 6), to: "\(path)-journal")
        }
    }
}
