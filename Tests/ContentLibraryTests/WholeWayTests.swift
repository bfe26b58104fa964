import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct WholeWayTests {
    @Test func publishedContentIsWhereReadersLook() throws {
        let fixture = try Fixture()
        let generation = try Sample().publish(by: fixture.writer(), manifestText: "{\"serial\": 1}")

        #expect(generation.number.description == "000001")
        #expect(try fixture.temporary.read("library/current/museum/gallery/content.txt") == Array("one".utf8))
        #expect(try fixture.temporary.read("library/current/museum/.manifest.json") == Array("{\"serial\": 1}".utf8))
        let name = try Sample().origin.address.name
        #expect(
            try fixture.tree() == [
                "current", "generations", "generations/000001", "generations/000001/.contents",
                "generations/000001/museum",
                "generations/000001/museum/.manifest.json", "generations/000001/museum/gallery", "store",
                "store/museum", "store/museum/gallery", "store/museum/gallery/\(name)",
                "store/museum/gallery/\(name).receipt", "store/museum/gallery/\(name)/content.txt",
            ])
        #expect(try fixture.directory().linkTarget(of: "current") == Array("generations/000001".utf8))
        #expect(
            try fixture.directory().linkTarget(of: "generations/000001/museum/gallery")
                == Array("../../../store/museum/gallery/\(name)".utf8))
    }
}
