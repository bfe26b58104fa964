import FaultServer
import Glibc
import TestSupport
import Testing

/// What is named on the command line and isn't there: every command ends with the same code, says it in one line, and its help lists that code.
@Suite struct NamesThatMeanNothingTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private func publish() async throws {
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 1000, seed: 1))])
        let other = Stock.manifest([stock.file("a", .pattern(lengthBytes: 1000, seed: 1))], id: "other")
        stock.server.serve("/other.json", Resource(.text(other)))
        let result = try await stock.sync(manifests: [stock.manifestURL, stock.server.url("/other.json")])
        #expect(result.status == .exited(0), "\(result)")
    }

    private func expect(
        _ arguments: [String], _ code: Int32, library: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var words = arguments
        let options =
            ["--library", library ?? stock.library]
            + (arguments[0] == "export" ? ["--to", stock.directory["stick"]] : [])
        words.insert(contentsOf: options, at: 1)
        let result = try await LarderProgram.run(words)
        #expect(result.status == .exited(code), "\(result)", sourceLocation: sourceLocation)
        let told = result.problems.filter { $0.hasPrefix("larder: ") || $0.hasPrefix("error: ") }
        #expect(told.count == 1, "\(result)", sourceLocation: sourceLocation)
        let help = try await LarderProgram.run(["help", arguments[0]]).outputText
        let codes = help.split(separator: "Exit codes:\n").last?.split(separator: "\n").compactMap {
            Int32($0.prefix(6).split(separator: " ").first ?? "")
        }
        #expect(codes?.contains(code) == true, "\(arguments[0]): \(help)", sourceLocation: sourceLocation)
    }

    @Test(
        arguments: [
            ["status"], ["status", "--json"], ["history"], ["explain", "a"], ["path", "a"], ["run", "--", "true"],
            ["verify"], ["verify", "--repair"], ["export"], ["clean"], ["clean", "--dry-run"], ["rollback"],
            ["rollback", "--to", "7"], ["pin"], ["unpin"], ["forget", "m"],
        ])
    func aLibrary(_ command: [String]) async throws {
        try await expect(command, 66, library: stock.directory["nowhere"])
        #expect(access(stock.directory["nowhere"], F_OK) != 0)
        try stock.directory.write([1], to: "folder/file")
        try await expect(command, 66, library: stock.directory["folder"])
    }

    @Test func aLibraryForValidate() async throws {
        try stock.directory.write(Stock.manifest([]).utf8, to: "m.json")
        try await expect(
            ["validate", stock.directory["m.json"], "--severity", "error"], 66, library: stock.directory["nowhere"])
    }

    @Test func aFolderThatBecomesNoLibrary() async throws {
        stock.serveManifest([])
        try stock.directory.write([1], to: "folder/file")
        for command in ["sync", "refresh"] {
            try await expect([command, stock.manifestURL], 64, library: stock.directory["folder"])
        }
    }

    @Test(arguments: [["status"], ["explain"], ["path"], ["verify"], ["verify", "--repair"]])
    func aBundle(_ command: [String]) async throws {
        try await publish()
        for name in ["nope", "m/nope", "nope/a"] { try await expect(command + [name], 64) }
        for name in ["../a", "m/a/data", "", "M/A"] { try await expect(command + [name], 64) }
        let result = try await LarderProgram.run([command[0], "--library", stock.library, "nope"])
        #expect(
            result.errorText.contains("\(stock.library) has no bundle 'nope'; larder status lists them"), "\(result)")
    }

    @Test(arguments: [
        (["path", "galery"], "gallery"), (["explain", "museum/galery"], "museum/gallery"),
        (["status", "galery"], "gallery"),
        (["status", "musuem"], "museum"), (["verify", "musuem/gallery"], "museum/gallery"),
        (["forget", "musuem"], "museum"), (["path", "musuem"], nil), (["path", "nonsense"], nil),
    ])
    func whatWasProbablyMeantIsTold(_ command: [String], _ meant: String?) async throws {
        let manifest = Stock.manifest([stock.file("gallery", .pattern(lengthBytes: 10, seed: 1))], id: "museum")
        stock.server.serve("/m.json", Resource(.text(manifest)))
        #expect(try await stock.sync().status == .exited(0))
        let result = try await LarderProgram.run(command + ["--library", stock.library])
        #expect(result.status == .exited(64) && result.problems.count == 1, "\(result)")
        if let meant {
            #expect(result.errorText.contains("; did you mean '\(meant)'? "), "\(result)")
        } else {
            #expect(!result.errorText.contains("did you mean"), "\(result)")
        }
    }

    @Test(arguments: ["status", "verify"]) func oneOfSeveral(_ command: String) async throws {
        try await publish()
        try await expect([command, "a", "nope"], 64)
    }

    @Test(arguments: ["explain", "path"]) func oneThatMeansSeveral(_ command: String) async throws {
        try await publish()
        try await expect([command, "a"], 64)
    }

    @Test func aGenerationOrAManifest() async throws {
        try await publish()
        for command in [
            ["rollback", "--to", "7"], ["rollback", "--to", "x"], ["forget", "nope"], ["forget", "../m"],
        ] {
            try await expect(command, 64)
        }
    }

    /// Nothing is wrong with the command line then.
    @Test(arguments: [["run", "--", "true"], ["export"], ["rollback"], ["pin"]])
    func beforeAnythingIsPublished(_ command: [String]) async throws {
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1))])
        stock.server.serve("/a.bin", always: .status(404))
        #expect(try await stock.sync().status == .exited(1))
        try await expect(command, 1)
    }
}
