import Platform
import TestSupport
import Testing

@testable import Jobs
@testable import LarderCommand

@Suite struct ManifestFileTests {
    @Test func anEditMadeMeanwhileIsNotLost() throws {
        let directory = try TemporaryDirectory()
        try directory.write("edited".utf8, to: "m.json")
        let location = ManifestLocation.file(path: directory["m.json"])
        let isReplaced =
            (try? ManifestFile.replace(location, holding: Array("read".utf8), with: Array("fixed".utf8))) != nil
        #expect(!isReplaced)
        #expect(try directory.read("m.json") == Array("edited".utf8))
        try ManifestFile.replace(location, holding: Array("edited".utf8), with: Array("fixed".utf8))
        #expect(try directory.read("m.json") == Array("fixed".utf8))
    }
}
