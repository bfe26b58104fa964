import FaultServer
import Glibc
import TestSupport
import Testing

/// What other options write stays out of a library: it could take the place of what is published there.
@Suite struct FilesInLibraryTests {
    private let stock: Stock
    private let content = Content.pattern(lengthBytes: 1000, seed: 1)

    init() async throws {
        stock = try Stock()
        stock.serveManifest([stock.file("a", content)])
    }

    private func expectRefusal(
        _ result: ChildProcess.Result, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(result.status == .exited(64) && result.problems.count == 1, "\(result)", sourceLocation: sourceLocation)
        #expect(result.errorText.contains("library"), "\(result)", sourceLocation: sourceLocation)
        #expect(try stock.difference("a", content) == nil, sourceLocation: sourceLocation)
    }

    @Test func metricsDoNotGoIntoTheLibrary() async throws {
        let early = try await stock.refresh("--metrics", "\(stock.library)/larder.prom")
        #expect(early.status == .exited(64) && early.problems.count == 1, "\(early)")
        #expect(access(stock.library, F_OK) != 0 && stock.server.log.isEmpty)

        #expect(try await stock.refresh().status == .exited(0))
        let link = stock.directory["link"]
        try #require(symlink("\(stock.library)/current/m", link) == 0)
        for path in [
            ".larder/lock", "current/m/a/data", "larder.prom", "new/larder.prom", "../library/store/../x",
        ].map({ "\(stock.library)/\($0)" }) + ["\(link)/a/data"] {
            try expectRefusal(try await stock.refresh("--metrics", path))
        }
        #expect(try await stock.refresh("--metrics", "\(stock.library).prom").status == .exited(0), "beside it is fine")
    }

    @Test func noFileIsFetchedIntoALibrary() async throws {
        #expect(try await stock.refresh().status == .exited(0))
        let url = stock.server.url("/a.bin")
        try expectRefusal(try await LarderProgram.run(["fetch", url, "-o", "\(stock.library)/current/m/a/data"]))
        let folder = "\(stock.library)/current/m/a"
        for more in [[], ["-o", "data"], ["-o", "-"]] {
            try expectRefusal(try await LarderProgram.run(["fetch", url] + more, directory: folder))
        }
        #expect(try stock.published("m/a") == ["data"])
    }

    /// A link of the name that the URL has, with or without being asked for.
    @Test(arguments: [[], ["-o", "a.bin"]]) func noFileIsFetchedIntoALibraryBehindALink(more: [String]) async throws {
        #expect(try await stock.refresh().status == .exited(0))
        stock.server.serve("/a.bin", Resource(.pattern(lengthBytes: 2000, seed: 2)))
        let folder = try stock.directory.makeDirectory("elsewhere")
        try check(symlink("\(stock.library)/current/m/a/data", "\(folder)/a.bin"), "symlink")
        let requests = stock.server.log.count
        let refused = try await LarderProgram.run(["fetch", stock.server.url("/a.bin")] + more, directory: folder)
        #expect(refused.status != .exited(0) && refused.problems.first?.contains("library") == true, "\(refused)")
        #expect(try stock.difference("a", content) == nil)
        #expect(stock.server.log.count == requests)
    }

    @Test func nothingIsExportedIntoALibrary() async throws {
        #expect(try await stock.refresh().status == .exited(0))
        let second = stock.directory["second"]
        let copy = try await ChildProcess.run("cp", ["-a", stock.library, second])
        #expect(copy.status == .exited(0))
        for isComplete in [true, false] {
            if !isComplete { removeTree("\(second)/.larder") }
            for place in ["", "/current/x", "/store/x", "/x"] {
                try expectRefusal(
                    try await LarderProgram.run(["export", "--library", stock.library, "--to", second + place]))
            }
        }
        #expect(try treeDifferences("\(stock.library)/store", "\(second)/store", comparingModes: true) == [])
        #expect(access("\(second)/x", F_OK) != 0)
    }

    @Test func noArchiveIsUnpackedIntoALibrary() async throws {
        #expect(try await stock.refresh().status == .exited(0))
        let archive = try stock.directory.write([UInt8](), to: "x.zip")
        let into = ["--into", "\(stock.library)/current/m/a", "--replace"]
        try expectRefusal(try await LarderProgram.run(["unpack", archive] + into))
    }

    @Test func whatIsPublishedOfAManifestIsNotFixed() async throws {
        #expect(try await stock.refresh().status == .exited(0))
        let path = "\(stock.library)/current/m/.manifest.json"
        // There is something to fix.
        let bytes = Array(Stock.manifest([stock.file("a", content) + ","]).utf8)
        try writeFile(bytes, to: path)
        let result = try await LarderProgram.run(["validate", path, "--fix"])
        #expect(try readFile(path) == bytes && result.errorText.contains("is published"), "\(result)")
    }
}
