import CommandLineParsing
import FaultServer
import Glibc
import TestSupport
import Testing

@testable import LarderCommand

/// What `larder help COMMAND` says of exit codes, beside what the commands end with.
@Suite struct ExitMeaningTests {
    /// What a library is like before a command works on it.
    enum Situation: Sendable {
        case nowhere, unpublished, published, damaged
        /// Another run holds it.
        case busy
        /// Whoever reads what a command writes has a full disk.
        case fullOutput
    }

    /// Beyond these: signals, and full disks, which other tests have.
    private static let elsewhere: Set<Int32> = [73, 130, 143]

    private static let runs: [(words: [String], situation: Situation, code: Int32)] = [
        (["status"], .published, 0), (["status"], .unpublished, 0), (["status"], .damaged, 0),
        (["status"], .fullOutput, 1), (["status", "nope"], .published, 64), (["status"], .nowhere, 66),
        (["history"], .published, 0), (["history"], .fullOutput, 1), (["history", "nope"], .published, 64),
        (["history"], .nowhere, 66),
        (["explain", "a"], .published, 0), (["explain", "a"], .damaged, 1), (["explain", "nope"], .published, 64),
        (["explain", "a"], .nowhere, 66),
        (["path", "a"], .published, 0), (["path", "a"], .damaged, 1), (["path", "nope"], .published, 64),
        (["path", "a"], .unpublished, 64), (["path", "a"], .nowhere, 66),
        (["run", "--", "true"], .published, 0), (["run", "--", "true"], .unpublished, 1), (["run"], .published, 64),
        (["run", "--", "true"], .nowhere, 66),
        (["rollback"], .published, 1), (["rollback", "--to", "7"], .published, 64), (["rollback"], .nowhere, 66),
        (["rollback", "--to", "1"], .published, 0), (["rollback"], .busy, 75),
        (["pin"], .published, 0), (["pin"], .unpublished, 1), (["pin", "nope"], .published, 64),
        (["pin"], .nowhere, 66),
        (["pin"], .busy, 75),
        (["unpin"], .unpublished, 0), (["unpin"], .fullOutput, 1), (["unpin", "nope"], .published, 64),
        (["unpin"], .nowhere, 66), (["unpin"], .busy, 75),
        (["forget", "m"], .published, 0), (["forget", "m"], .fullOutput, 1), (["forget", "nope"], .published, 64),
        (["forget", "m"], .nowhere, 66), (["forget", "m"], .busy, 75),
        (["manifest", "sign", "m.json", "-s", "signer.key"], .nowhere, 0),
        (["manifest", "sign", "m.json", "-s", "m.json"], .nowhere, 1),
        (["manifest", "sign", "m.json"], .nowhere, 64),
        (["manifest", "sign", "signer.pub", "-s", "signer.key"], .nowhere, 65),
        (["manifest", "sign", "nowhere.json", "-s", "signer.key"], .nowhere, 66),
        (["manifest", "verify-signature", "s.json", "-P", "signer.pub"], .nowhere, 0),
        (["manifest", "verify-signature", "s.json", "-P", "signer.pub"], .fullOutput, 1),
        (["manifest", "verify-signature", "s.json"], .nowhere, 64),
        (["manifest", "verify-signature", "nowhere.json", "-P", "signer.pub"], .nowhere, 66),
        (["manifest", "verify-signature", "m.json", "-x", "s.json.minisig", "-P", "signer.pub"], .nowhere, 77),
        (["manifest", "create", "m.json"], .nowhere, 0), (["manifest", "create", "empty"], .nowhere, 1),
        (["manifest", "create"], .nowhere, 64), (["manifest", "create", "nowhere"], .nowhere, 66),
        (["--generate", "man"], .nowhere, 0), (["--generate", "man"], .fullOutput, 1), (["--generate"], .nowhere, 64),
    ]

    private let stock: Stock

    init() throws { stock = try Stock() }

    private static func name(_ words: [String]) -> String {
        larderCommands.commands.first { words.starts(with: $0.name.split(separator: " ").map(String.init)) }?.name ?? ""
    }

    @Test func helpListsWhatThoseRunsEndWithAndNothingElse() throws {
        for name in Set(Self.runs.map { Self.name($0.words) }) {
            let command = try #require(larderCommands.commands.first { $0.name == name })
            let shown = Set(Self.runs.filter { Self.name($0.words) == name }.map(\.code))
            #expect(command.exitCodes.subtracting(Self.elsewhere) == shown, "\(name)")
        }
    }

    @Test(arguments: runs.indices)
    func aCommandEndsAsItsHelpSays(run: Int) async throws {
        let (words, situation, code) = Self.runs[run]
        let result = try await self.run(words, in: situation)
        #expect(result.status == .exited(code), "\(words): \(result)")
    }

    /// What the table of all says of these is true of some commands only.
    @Test(arguments: [1, 65, 66] as [Int32])
    func everyCommandSaysByItselfWhatItMeans(code: Int32) {
        for command in larderCommands.commands where command.exitCodes.contains(code) {
            #expect(command.exitMeanings[code] != nil, "\(command.name)")
        }
    }

    private func run(_ words: [String], in situation: Situation) async throws -> ChildProcess.Result {
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1))])
        switch situation {
        case .nowhere: break
        case .unpublished:
            stock.server.serve("/a.bin", always: .status(404))
            #expect(try await stock.sync().status == .exited(1))
        case .published, .damaged, .busy, .fullOutput: #expect(try await stock.sync().status == .exited(0))
        }
        if situation == .damaged {
            try check(unlink("\(stock.library)/current"), "unlink")
            try check(symlink("/etc", "\(stock.library)/current"), "symlink")
        }
        if words[0] == "manifest" { try await prepareManifests() }
        let holder = situation == .busy ? try await holdLibrary() : nil
        defer { holder?.kill(SIGKILL) }
        var environment = ChildProcess.inheritedEnvironment
        environment["LARDER_LIBRARY"] = stock.library
        let script = situation == .fullOutput ? "exec \"$@\" >/dev/full" : "exec \"$@\""
        return try await ChildProcess.run(
            "sh", ["-c", script, "sh", try LarderProgram.path] + words, environment: environment,
            directory: stock.directory.path)
    }

    private func prepareManifests() async throws {
        let signer = try await Minisign(in: stock.directory)
        let bundle = #"{"id": "a", "kind": "ebook", "urls": ["https://a.example/b.epub"]}"#
        try stock.directory.write(Stock.manifest([bundle]).utf8, to: "m.json")
        try stock.directory.makeDirectory("empty")
        try await signer.sign(try stock.directory.write(Stock.manifest([bundle], id: "s").utf8, to: "s.json"))
    }

    /// A run that waits for its server, with the lock held.
    private func holdLibrary() async throws -> ChildProcess {
        let gate = try Gate()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 2))], serial: 2)
        stock.server.serve("/a.bin", always: Reply.status(200).headHeld(until: gate))
        let count = stock.server.exchanges("/a.bin").count
        let run = try stock.startSync()
        try await stock.server.waitForRequest("/a.bin", count: count + 1)
        return run
    }
}
