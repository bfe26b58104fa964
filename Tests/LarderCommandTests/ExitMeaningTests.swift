import CommandLineParsing
import FaultServer
import Glibc
import TestSupport
import Testing

@testable import LarderCommand

/// What `larder help COMMAND` says of exit codes, beside what the commands end with.
@Suite struct ExitMeaningTests {
    /// Beyond these: signals, and full disks where no option can play one, which other tests have.
    private static let elsewhere: Set<Int32> = [73, 130, 143]

    private let stock: Stock

    init() throws { stock = try Stock() }

    /// Of every command, so that a new one needs runs of its own.
    @Test(arguments: larderCommands.commands.map(\.name))
    func helpListsWhatItsRunsEndWithAndNothingElse(name: String) throws {
        let command = try #require(larderCommands.commands.first { $0.name == name })
        let shown = Set(ExitCase.all.filter { $0.command == name }.map(\.code))
        #expect(command.exitCodes.union(Self.elsewhere) == shown.union(Self.elsewhere), "\(name)")
        #expect(shown.isSubset(of: command.exitCodes), "\(name)")
    }

    @Test(arguments: ExitCase.all)
    func aCommandEndsAsItsHelpSays(run: ExitCase) async throws {
        let result = try await self.run(run.words, in: run.situation)
        #expect(result.status == .exited(run.code), "\(run): \(result)")
    }

    /// What the table of all says of these is true of some commands only.
    @Test(arguments: [1, 65, 66] as [Int32])
    func everyCommandSaysByItselfWhatItMeans(code: Int32) {
        for command in larderCommands.commands where command.exitCodes.contains(code) {
            #expect(command.exitMeanings[code] != nil, "\(command.name)")
        }
    }

    /// Words that begin with `@` are the server's.
    private func run(_ words: [String], in situation: ExitCase.Situation) async throws -> ChildProcess.Result {
        serve()
        try prepareFiles()
        try await prepareLibrary(situation)
        if words.contains("-s") || words.contains("-P") { try await prepareSignatures() }
        let holder =
            switch situation {
            case .busy: try await holdDamagedLibrary()
            case .exporting: try await holdExport()
            default: ChildProcess?.none
            }
        defer { holder?.kill(SIGKILL) }
        var environment = ChildProcess.inheritedEnvironment
        environment["LARDER_LIBRARY"] = stock.library
        let script = situation == .fullOutput ? "exec \"$@\" >/dev/full" : "exec \"$@\""
        let arguments = words.map { $0.hasPrefix("@") ? stock.server.url(String($0.dropFirst())) : $0 }
        return try await ChildProcess.run(
            "sh", ["-c", script, "sh", try LarderProgram.path] + arguments, environment: environment,
            directory: stock.directory.path)
    }

    private func serve() {
        let file = stock.file("a", .pattern(lengthBytes: 10, seed: 1))
        stock.serveManifest([file])
        let lost = #"{"id": "lost", "kind": "ebook", "urls": ["lost.epub"]}"#
        for (name, text) in [
            ("half", Stock.manifest([file, lost], id: "half")), ("bad", "{}"),
            ("future", Stock.manifest([file], id: "future", more: #""requires": ["x-tomorrow"],"#)),
        ] {
            stock.server.serve("/\(name).json", Resource(.text(text)))
        }
    }

    private func prepareLibrary(_ situation: ExitCase.Situation) async throws {
        switch situation {
        case .nowhere: return
        case .unpublished:
            stock.server.serve("/a.bin", always: .status(404))
            #expect(try await stock.sync().status == .exited(1))
            return
        case .mixed, .exporting:
            let content = Content.pattern(lengthBytes: 10, seed: 3)
            stock.serveManifest([
                stock.archive("pack", storedZip(["x.txt": Array("text".utf8)])), stock.file("a", content),
                stock.file("bare", content, hasDigest: false),
            ])
        case .published, .damaged, .lost, .busy, .fullOutput: break
        }
        #expect(try await stock.sync().status == .exited(0))
        switch situation {
        case .damaged:
            try check(unlink("\(stock.library)/current"), "unlink")
            try check(symlink("/etc", "\(stock.library)/current"), "symlink")
        case .lost: try loseFile()
        default: break
        }
    }

    private static let bundle = #"{"id": "a", "kind": "ebook", "urls": ["https://a.example/b.epub"]}"#

    private static let ownFile =
        #"{"id": "a", "kind": "files", "files": [{"path": "file", "urls": ["folder/file"]}]}"#

    private func prepareFiles() throws {
        for (name, text) in [
            ("m.json", Stock.manifest([Self.bundle])), ("own.json", Stock.manifest([Self.ownFile])), ("bad.json", "{}"),
            ("text.zip", "text"),
            ("folder/file", "text"), ("urls.txt", "https://a.example/b.epub\n"), ("broken.txt", "http:\n"),
            ("lost.txt", stock.server.url("/lost.epub")),
        ] {
            try stock.directory.write(text.utf8, to: name)
        }
        try stock.directory.write(storedZip(["x.txt": Array("text".utf8)]), to: "x.zip")
        try stock.directory.makeDirectory("empty")
    }

    private func prepareSignatures() async throws {
        let signer = try await Minisign(in: stock.directory)
        try await signer.sign(try stock.directory.write(Stock.manifest([Self.bundle], id: "s").utf8, to: "s.json"))
    }

    private func loseFile() throws { try check(unlink("\(stock.library)/current/m/a/data"), "unlink") }

    /// A run that waits for its server, with the lock held.
    private func holdDamagedLibrary() async throws -> ChildProcess {
        let gate = try Gate()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 2))], serial: 2)
        stock.server.serve("/a.bin", always: Reply.status(200).headHeld(until: gate))
        let count = stock.server.exchanges("/a.bin").count
        let run = try stock.startSync()
        try await stock.server.waitForRequest("/a.bin", count: count + 1)
        try loseFile()
        return run
    }

    /// An export that waits for its server.
    private func holdExport() async throws -> ChildProcess {
        let gate = try Gate()
        stock.server.serve("/pack.zip", always: Reply.status(200).headHeld(until: gate))
        let count = stock.server.exchanges("/pack.zip").count
        let run = try LarderProgram.start(
            ["export", "--library", stock.library, "--to", stock.directory["stick"]])
        try await stock.server.waitForRequest("/pack.zip", count: count + 1)
        return run
    }
}
