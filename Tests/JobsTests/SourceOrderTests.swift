import Testing
import Transfer

@testable import Jobs

@Suite struct SourceOrderTests {
    private func groups(_ urls: String...) throws -> [[String]] {
        try urls.map { try TransferURL($0) }.groupedByReach.map { $0.map { "\($0)" } }
    }

    @Test func theOrderOfTheURLsIsKept() throws {
        #expect(
            try groups("http://a.example/x", "http://b.example/x", "file:///x", "file:///y", "http://c.example/x") == [
                ["http://a.example/x", "http://b.example/x"], ["file:///x"], ["file:///y"], ["http://c.example/x"],
            ])
        #expect(try groups() == [])
    }
}
