import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// `--from`: bytes come from a disk that somebody brought, or from a neighbour, before any mirror is asked; and whatever these have, what is
/// published is what the manifest asks for.
@Suite struct CourierTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }
    private let zip = storedZip(["x.txt": Array("some text".utf8)])

    init() throws {
        library = try RestingLibrary()
        stock.serveManifest([library.files(), stock.archive("pack", zip)])
    }

    private var paths: [String] { RestingLibrary.contents.keys.sorted() }

    /// A sync of the same manifest into another library.
    private func sync(from courier: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(
            [
                "sync", stock.manifestURL, "--library", stock.directory["second"], "--retries", "0", "--min-free", "0",
                "--json",
            ]
                + courier.flatMap { ["--from", $0] })
    }

    private func second(_ path: String) throws -> [UInt8] { try stock.directory.read("second/current/m/\(path)") }

    private func expectAllThere() throws {
        for (path, content) in RestingLibrary.contents {
            #expect(contentDifference(content.bytes(), try second("set/\(path)")) == nil, "\(path)")
        }
        #expect(try second("pack/x.txt") == Array("some text".utf8))
    }

    private func carry() throws {
        for (path, content) in RestingLibrary.contents {
            try stock.directory.write(content.bytes(), to: "stick/\(path)")
        }
        try stock.directory.write(zip, to: "stick/pack.zip")
    }

    // MARK: Disks

    @Test func aFolderOfFilesIsTakenBeforeTheServer() async throws {
        try carry()
        let result = try await sync(from: stock.directory["stick"])
        #expect(result.status == .exited(0), "\(result)")
        try expectAllThere()
        #expect(stock.server.log.map(\.request.path) == ["/m.json"])
        #expect(result.events.count { $0.name == "courier.taken" } == 5, "\(result)")
    }

    @Test func anotherLibraryIsTakenBeforeTheServer() async throws {
        #expect(try await stock.sync().status == .exited(0))
        let requests = library.requests()
        let result = try await sync(from: stock.library)
        #expect(result.status == .exited(0), "\(result)")
        try expectAllThere()
        #expect(library.requests() == requests)
        // Of an archive it has nothing that the manifest's digest could prove.
        #expect(stock.server.exchanges("/pack.zip").count == 2)
    }

    @Test(arguments: ["flipped", "short", "long", "linked", "loop", "directoryLinked", "fifo", "folder", "socket"])
    func whatIsWrongOnTheDiskComesFromTheServer(_ how: String) async throws {
        try carry()
        let file = stock.directory["stick/dir/two.bin"]
        switch how {
        case "flipped": try library.flip(file)
        case "short": try check(truncate(file, 10), "truncate")
        case "long": try check(truncate(file, 1 << 40), "truncate")
        case "loop":
            try check(unlink(file), "unlink")
            try check(symlink("two.bin", file), "symlink")
        case "folder":
            try check(unlink(file), "unlink")
            try check(mkdir(file, 0o755), "mkdir")
        case "socket":
            try check(unlink(file), "unlink")
            try check(mknod(file, S_IFSOCK | 0o644, 0), "mknod")
        case "linked":
            try check(rename(file, stock.directory["elsewhere"]), "rename")
            try check(symlink(stock.directory["elsewhere"], file), "symlink")
        case "directoryLinked":
            try check(rename(stock.directory["stick/dir"], stock.directory["elsewhere"]), "rename")
            try check(symlink(stock.directory["elsewhere"], stock.directory["stick/dir"]), "symlink")
        default:
            try check(unlink(file), "unlink")
            try check(mkfifo(file, 0o644), "mkfifo")
        }
        let result = try await sync(from: stock.directory["stick"])
        #expect(result.status == .exited(0), "\(result)")
        try expectAllThere()
        #expect(stock.server.exchanges("/dir/two.bin").count == 1)
        #expect(stock.server.exchanges("/one.txt").isEmpty)
        // A folder is nothing that was meant to be the file.
        let told = result.problems.filter { $0.contains("of no use") }
        #expect(told.count == (how == "folder" ? 0 : 1), "\(result)")
        #expect(told.allSatisfy { $0.hasPrefix("warning: m/set: \(stock.directory["stick"]): ") }, "\(told)")
    }

    @Test func aCourierOfManyWrongFilesIsToldOnce() async throws {
        try carry()
        for path in ["one.txt", "dir/two.bin", "dir.x", "pack.zip"] {
            try library.flip(stock.directory["stick/\(path)"])
        }
        let result = try await sync(from: stock.directory["stick"])
        #expect(result.status == .exited(0), "\(result)")
        try expectAllThere()
        #expect(result.problems.filter { $0.contains("of no use") }.count == 1, "\(result)")
    }

    @Test func whatCouriersHadIsTold() async throws {
        try carry()
        let bytes = RestingLibrary.contents.values.reduce(zip.count) { $0 + Int($1.lengthBytes) }
        let result = try await sync(from: stock.directory["stick"])
        #expect(try result.finished["bytesFromCouriers"] == bytes && result.finished["bytesCopied"] == 0)
        #expect(result.problems.last?.contains(", from couriers 75.") == true, "\(result)")
        #expect(result.events.filter { $0.name == "courier.taken" }.allSatisfy { $0.value["fetched"]?.bool == false })
    }

    @Test func aDiskThatIsNotThereIsToldAndNoReasonToStop() async throws {
        let result = try await sync(from: stock.directory["nowhere"])
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.errorText.contains("nothing is taken from"), "\(result)")
        try expectAllThere()
    }

    @Test func withoutADigestNothingIsTaken() async throws {
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 100, seed: 1), hasDigest: false)])
        try stock.directory.write([UInt8](repeating: 1, count: 100), to: "stick/a.bin")
        #expect(try await sync(from: stock.directory["stick"]).status == .exited(0))
        #expect(stock.server.exchanges("/a.bin").count == 1)
    }

    @Test func aDamagedFileIsMendedFromADisk() async throws {
        #expect(try await stock.sync().status == .exited(0))
        try carry()
        try library.flip("\(library.store())/one.txt")
        let result = try await library.verify("--repair", "--from", stock.directory["stick"])
        #expect(result.status == .exited(0), "\(result)")
        #expect(stock.server.exchanges("/one.txt").count == 1)
    }

    // MARK: Neighbours

    /// A neighbour that serves a library as a plain web server does.
    private func neighbour(_ manifest: String? = nil) throws -> FaultServer {
        let neighbour = try FaultServer()
        let text =
            manifest ?? Stock.manifest([library.files(), stock.archive("pack", zip)])
        neighbour.serve("/lib/current/m/.manifest.json", Resource(.text(text)))
        for (path, content) in RestingLibrary.contents {
            neighbour.serve("/lib/current/m/set/\(path)", Resource(content))
        }
        return neighbour
    }

    @Test func aNeighbourIsAskedBeforeTheServer() async throws {
        let neighbour = try neighbour()
        let result = try await sync(from: neighbour.url("/lib"))
        #expect(result.status == .exited(0), "\(result)")
        try expectAllThere()
        #expect(library.requests().values.allSatisfy { $0 == 0 }, "\(result)")
        #expect(stock.server.exchanges("/pack.zip").count == 1)
        #expect(try result.finished["bytesFromCouriers"] == 75_100, "\(result)")
        #expect(
            result.events.filter { $0.name == "courier.taken" }.map { $0.value["fetched"]?.bool } == [
                true, true, true, true,
            ])
    }

    @Test(arguments: ["flipped", "endless", "elsewhere", "page", "gone", "leaving", "garbage", "silent"])
    func aHostileNeighbourChangesNothing(_ how: String) async throws {
        let neighbour: FaultServer
        switch how {
        case "leaving":
            neighbour = try self.neighbour(
                Stock.manifest([
                    library.files().replacing(#""path": "dir/two.bin""#, with: #""path": "../../../../etc/passwd""#)
                ]))
        case "garbage": neighbour = try self.neighbour(#"{"format": "larder/1", "bundles": [[[[["#)
        case "page": neighbour = try self.neighbour("<html><body><a href=\"../\">Index of /</a>")
        default: neighbour = try self.neighbour()
        }
        let path = "/lib/current/m/set/dir/two.bin"
        switch how {
        case "flipped": neighbour.serve(path, Resource(.pattern(lengthBytes: 70_000, seed: 99)))
        case "endless": neighbour.serve(path, Resource(.pattern(lengthBytes: 700_000_000, seed: 2)))
        case "elsewhere": neighbour.serve(path, always: .redirect(to: stock.server.url("/dir/two.bin")))
        case "gone": neighbour.serve(path, always: .status(404))
        case "silent": neighbour.stop()
        default: break
        }
        let result = try await sync(from: neighbour.url("/lib/"))
        #expect(result.status == .exited(0), "\(result)")
        try expectAllThere()
        #expect(stock.server.exchanges("/dir/two.bin").count == 1, "\(result)")
        #expect(neighbour.bodyBytesSent(path) < 10_000_000)
        let told = result.problems.filter { $0.contains("of no use") }
        #expect(told.count == (["flipped", "endless", "elsewhere"].contains(how) ? 1 : 0), "\(result)")
    }

    @Test func aNeighbourIsToldNoSecrets() async throws {
        let neighbour = try neighbour()
        let files = library.files().replacing(
            #""kind": "files","#, with: #""kind": "files", "headers": {"Authorization": "Bearer secret"},"#)
        stock.serveManifest([files])
        let result = try await sync(from: neighbour.url("/lib"))
        #expect(result.status == .exited(0), "\(result)")
        #expect(!neighbour.log.isEmpty && neighbour.log.allSatisfy { $0.request["Authorization"] == nil })
    }
}
