import Glibc
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

    /// Its folder is writable, so it could be replaced; but somebody protects it.
    @Test(arguments: [0o444, 0o400, 0o555] as [mode_t])
    func aWriteProtectedFileStaysAsItIs(_ mode: mode_t) throws {
        let directory = try TemporaryDirectory()
        try directory.write("read".utf8, to: "m.json")
        #expect(chmod(directory["m.json"], mode) == 0)
        let location = ManifestLocation.file(path: directory["m.json"])
        let error = #expect(throws: Platform.SystemError.self) {
            try ManifestFile.replace(location, holding: Array("read".utf8), with: Array("fixed".utf8))
        }
        #expect(error?.code == EACCES && error?.description.contains("chmod u+w") == true)
        #expect(try directory.read("m.json") == Array("read".utf8))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func aFileKeepsItsOwnerAndItsMode() throws {
        let directory = try TemporaryDirectory()
        try directory.write("read".utf8, to: "m.json")
        #expect(chmod(directory["m.json"], 0o620) == 0 && chown(directory["m.json"], 4242, 4343) == 0)
        let location = ManifestLocation.file(path: directory["m.json"])
        try ManifestFile.replace(location, holding: Array("read".utf8), with: Array("fixed".utf8))
        var status = stat()
        #expect(stat(directory["m.json"], &status) == 0)
        #expect(status.st_uid == 4242 && status.st_gid == 4343 && status.st_mode & 0o777 == 0o620)
        #expect(try directory.read("m.json") == Array("fixed".utf8))
    }
}
