import Testing
import Transfer

@testable import Jobs

@Suite struct ManifestLocationTests {
    @Test func aPathAURLAndADashAreToldApart() throws {
        #expect(try ManifestLocation("m.json") == .file(path: "m.json"))
        #expect(try ManifestLocation("-") == .standardInput(base: nil))
        #expect(try ManifestLocation("HTTP://a.example/m.json") == .remote(TransferURL("http://a.example/m.json")))
        #expect(try ManifestLocation("https:m") == .file(path: "https:m"))
        #expect(throws: TransferURLError.self) { try ManifestLocation("http://") }
    }

    @Test func onlyALocalManifestMayNameLocalFiles() throws {
        #expect(try ManifestLocation("m.json").allowsFileURLs)
        #expect(try !ManifestLocation("-").allowsFileURLs)
        #expect(try !ManifestLocation("http://a.example/m.json").allowsFileURLs)
    }

    @Test func relativeURLsResolveAgainstWhereItIs() throws {
        let local = try #require(try ManifestLocation("/srv/a b/100%/ü/m.json").base)
        #expect("\(try local.resolving("x.zip"))" == "file:///srv/a%20b/100%25/%C3%BC/x.zip")
        let remote = try #require(try ManifestLocation("http://a.example/c/m.json?v=1").base)
        #expect("\(try remote.resolving("x.zip"))" == "http://a.example/c/x.zip")
        #expect(try ManifestLocation("-").base == nil)
    }

    @Test func itsNameIsSafeToPrint() throws {
        #expect("\(try ManifestLocation("a\u{1b}[2J.json"))".contains("\u{1b}") == false)
    }
}
