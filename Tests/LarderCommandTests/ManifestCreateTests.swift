import Glibc
import TestSupport
import Testing

/// `larder manifest create`, and what becomes of the manifests it writes.
@Suite struct ManifestCreateTests {
    private let directory: TemporaryDirectory
    private let folder: String
    private let time = ["SOURCE_DATE_EPOCH": "86400", "PATH": ChildProcess.inheritedEnvironment["PATH"] ?? ""]

    init() throws {
        directory = try TemporaryDirectory()
        folder = try directory.makeDirectory("museum")
    }

    private func create(_ more: String..., operands: [String]? = nil) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["manifest", "create"] + (operands ?? [folder]) + more, environment: time)
    }

    /// Everything that a folder may hold, by the real tools; served, synced and verified.
    @Test func whatIsCreatedIsValidServedSyncedAndVerified() async throws {
        let museum = try await Museum(in: directory)
        defer { withExtendedLifetime(museum) {} }
        let nginx = try await NginxServer(root: folder)

        let created = try await create("--base", nginx.url(""), "-o", "\(folder)/museum.json")
        #expect(created.status == .exited(0), "\(created)")
        let manifest = "\(folder)/museum.json"
        let judged = try await LarderProgram.run(["validate", manifest, "--deny-warnings", "--severity", "warning"])
        #expect(judged.status == .exited(0) && judged.output.isEmpty, "\(judged)")

        let signer = try await Minisign(in: directory)
        let signed = try await LarderProgram.run(["manifest", "sign", manifest, "-s", signer.secretKeyPath])
        #expect(signed.status == .exited(0), "\(signed)")
        let library = directory["library"]
        let synced = try await LarderProgram.run([
            "sync", nginx.url("/museum.json"), "--library", library, "--min-free", "0", "--public-key",
            signer.publicKey,
        ])
        #expect(synced.status == .exited(0), "\(synced)")
        let verified = try await LarderProgram.run(["verify", "--library", library])
        #expect(verified.status == .exited(0), "\(verified)")

        let published = try directoryEntries(FilePathBytes("\(library)/current/museum")).map(\.description)
        #expect(
            Set(published).isSuperset(of: ["maps", "museum", "plans", "plates", "guide"]) && published.count == 8,
            "\(published)")
        let differences = try treeDifferences("\(folder)/odd", "\(library)/current/museum/museum/odd")
        #expect(differences == [], "\(differences)")
        #expect(try treeDifferences("\(folder)/odd", "\(library)/current/museum/plates/odd") == [])
        // Which would be in the way of what is published.
        let inside = try await create("-o", "\(library)/m.json")
        #expect(inside.status == .exited(64) && inside.errorText.contains("lies in the library"), "\(inside)")
        // Again, with the manifest and its signature in the folder.
        #expect(try await create("-o", manifest).status == .exited(0))
        #expect(!String(decoding: try readFile(manifest), as: UTF8.self).contains("museum.json"))
    }

    /// As sync does it, which publishes such a book with a warning.
    @Test func aBookWhoseTypeIsNotItsFirstEntryIsABookAndTold() async throws {
        try Museum.writeBook(in: directory)
        let made = try await ChildProcess.run(
            "sh", ["-c", "zip -qXr ../museum/late.epub META-INF guide.opf mimetype"], directory: directory["book"])
        try #require(made.status == .exited(0), "\(made)")
        let created = try await create()
        #expect(created.outputText.contains(#"{"id":"late","kind":"ebook""#), "\(created)")
        #expect(created.errorText.contains("late.epub: not every reader may open the book"), "\(created)")
    }

    @Test func theSameFilesMakeTheSameBytesWhateverTheOrderTheyWereMadeIn() async throws {
        let names = ["c", "a/b", "B", "d/e/f"]
        for name in names { try directory.write(name.utf8, to: "museum/\(name)") }
        for name in names.reversed() { try directory.write(name.utf8, to: "other/museum/\(name)") }
        let first = try await create()
        let second = try await create(operands: [directory["other/museum"]])
        #expect(first.status == .exited(0) && !first.output.isEmpty, "\(first)")
        #expect(first.output == second.output)
        #expect(first.outputText.contains(#""created": "1970-01-02T00:00:00Z""#))
    }

    @Test func refusedNamesAreToldWithTheWayOutAndNothingIsWritten() async throws {
        for name in ["A", "a", "b\\c"] { try directory.write([], to: "museum/\(name)") }
        let refused = try await create("-o", directory["m.json"])
        #expect(refused.status == .exited(1), "\(refused)")
        #expect(refused.problems.count == 3 && refused.errorText.contains("--exclude"), "\(refused)")
        #expect(throws: (any Error).self) { try directory.read("m.json") }
        let without = try await create("-o", directory["m.json"], "--exclude", "b*", "--exclude", "A")
        #expect(without.status == .exited(0), "\(without)")
    }

    @Test func whatAKilledProcessLeftOfTheManifestIsNoneOfItsFiles() async throws {
        for name in ["a.txt", ".m.json.873276701ccedd00", ".m.json.notes"] {
            try directory.write(name.utf8, to: "museum/\(name)")
        }
        let manifest = directory["museum/m.json"]
        let created = try await create("-o", manifest)
        #expect(created.status == .exited(0), "\(created)")
        try directory.write("b".utf8, to: "museum/b.txt")
        let updated = try await LarderProgram.run(["manifest", "update", manifest, folder])
        #expect(updated.status == .exited(0), "\(updated)")
        let text = String(decoding: try directory.read("museum/m.json"), as: UTF8.self)
        #expect(["a.txt", "b.txt", ".m.json.notes"].allSatisfy(text.contains), "\(text)")
        #expect(!text.contains("873276701ccedd00"), "\(text)")
    }

    @Test func patternsSayWhatIsTaken() async throws {
        for name in ["a.png", "b/c.png", "b/c.txt", ".hidden"] { try directory.write([], to: "museum/\(name)") }
        let created = try await create("--include", "*.png", "--exclude", "/a*")
        #expect(created.outputText.contains("b/c.png"), "\(created)")
        for name in ["a.png", "c.txt", "hidden"] { #expect(!created.outputText.contains(name), "\(created)") }
    }

    /// A file that no read succeeds of, even by root.
    @Test func aFileThatCanNotBeReadIsTold() async throws {
        let failed = try await create("-o", directory["m.json"], operands: ["/proc/self/mem"])
        #expect(failed.status == .exited(66), "\(failed)")
        #expect(failed.errorText.contains("/mem: Input/output error"), "\(failed)")
        #expect(throws: (any Error).self) { try directory.read("m.json") }
        #expect(try await create(operands: [directory["nothing"]]).status == .exited(66))
    }

    /// That nothing can be put together there says nothing of what is read.
    @Test func aPlaceForTemporaryFilesThatIsNotThereIsTold() async throws {
        try directory.write([], to: "museum/a")
        try directory.write("http://a.example/a\n".utf8, to: "list")
        var environment = ChildProcess.inheritedEnvironment
        environment["TMPDIR"] = directory["nowhere"]
        for arguments in [
            ["create", folder], ["import", directory["list"]], ["import", directory["list"], "--hash"],
        ] {
            let failed = try await LarderProgram.run(["manifest"] + arguments, environment: environment)
            #expect(failed.status == .exited(1), "\(failed)")
            #expect(failed.errorText.contains("\(directory["nowhere"]); set TMPDIR"), "\(failed)")
        }
    }

    @Test(arguments: [
        ["--base", "ftp://a.example/"], ["--base", "https://u:p@a.example/"], ["--base", "https://a.example/?x"],
        ["--base", "https://a.example/%zz/"], ["--base", "museum/"], ["--base", "https://a.example:99999/"],
        ["--base", "me:secret@a.example/x"],
        ["--id", "No"], ["--include", "[a"], ["--serial", "0"], ["-o", "museum/"],
        ["--serial", "9007199254740992"],
    ])
    func wrongUsageIsTold(option: [String]) async throws {
        try directory.write([], to: "museum/a")
        let refused = try await create(option[0], option[1])
        #expect(refused.status == .exited(64), "\(refused)")
        #expect(refused.output.isEmpty)
        #expect(!refused.errorText.contains("secret"), "\(refused)")
    }

    @Test func operandsOfWhichOneLiesInTheOtherAreRefused() async throws {
        try directory.write([], to: "museum/a")
        let refused = try await create(operands: [folder, "\(folder)/a"])
        #expect(refused.status == .exited(64) && refused.errorText.contains("museum/a is named twice"), "\(refused)")
    }

    /// The shell makes it before Larder sees it, and lists it too.
    @Test(arguments: [
        "\"$0\" manifest create . > m.json", "\"$0\" manifest create . -o - > m.json",
        "touch m.json m.json.minisig && \"$0\" manifest create * -o m.json",
        "touch m.json && ln -s m.json link.json && \"$0\" manifest create * -o ./m.json",
    ])
    func theManifestIsNoneOfItsOwnFiles(command: String) async throws {
        try directory.write([1], to: "museum/a")
        let made = try await ChildProcess.run("sh", ["-c", command, try LarderProgram.path], directory: folder)
        #expect(made.status == .exited(0), "\(made)")
        let text = String(decoding: try directory.read("museum/m.json"), as: UTF8.self)
        #expect(text.contains(#""urls":["a"]"#) && !text.contains("m.json"), "\(text)")
    }

    /// Without mirrors a sync asks for what is relative to the manifest itself.
    @Test func urlsLeadFromWhereTheManifestLies() async throws {
        try directory.write([1], to: "museum/a")
        let above = try await create("-o", directory["m.json"])
        #expect(above.status == .exited(0) && !above.errorText.contains("warning"), "\(above)")
        #expect(String(decoding: try directory.read("m.json"), as: UTF8.self).contains(#"["museum/a"]"#))
        let elsewhere = try directory.makeDirectory("elsewhere")
        let beside = try await create("-o", "\(elsewhere)/m.json")
        #expect(beside.status == .exited(0) && beside.errorText.contains("--base"), "\(beside)")
        let based = try await create("-o", "\(elsewhere)/m.json", "--base", "https://a.example/")
        #expect(based.status == .exited(0) && !based.errorText.contains("warning"), "\(based)")
    }

    @Test func anOperandThatIsNotUTF8IsRefused() async throws {
        let command = #""$0" manifest create "$(printf 'a\377')""#
        let refused = try await ChildProcess.run("sh", ["-c", command, try LarderProgram.path], directory: folder)
        #expect(refused.status == .exited(64) && refused.errorText.contains("not UTF-8"), "\(refused)")
    }

    /// Of a presentation only its first playlist is read.
    @Test func theLastLineCountsWhatWasRead() async throws {
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ns.ts\n#EXT-X-ENDLIST\n"
        try directory.write(playlist.utf8, to: "museum/film.m3u8")
        try directory.write([UInt8](repeating: 1, count: 1 << 20), to: "museum/s.ts")
        for operands in [[folder], ["\(folder)/film.m3u8"], ["\(folder)/film.m3u8", "\(folder)/s.ts"]] {
            let created = try await create(operands: operands)
            let size = "\(playlist.utf8.count) B"
            #expect(created.errorText.hasPrefix("1 file, \(size) of \(size) read"), "\(created)")
        }
    }

    @Test func aSignalEndsItAndLeavesNothing() async throws {
        try check(symlink("gone", "\(folder)/link"), "symlink")
        let path = try directory.write([], to: "museum/endless")
        try check(truncate(path, 1 << 42), "truncate")
        let creating = try LarderProgram.start(["manifest", "create", folder, "-o", directory["m.json"]])
        // Told before the first byte is read, which takes hours from there.
        try await creating.wait(for: "the warning") { $0.errorText.contains("is left out") ? () : nil }
        creating.kill(SIGINT)
        #expect(try await creating.waitForExit().status == .exited(130))
        #expect(try directoryEntries(FilePathBytes(directory.path)).map(\.description) == ["museum"])
    }

    @Test func aTerminalIsToldHowFarItIs() async throws {
        let path = try directory.write([], to: "museum/zeros")
        try check(truncate(path, 1 << 30), "truncate")
        let session = try await TerminalSession.run(
            [try LarderProgram.path, "manifest", "create", folder, "-o", directory["m.json"]], columns: 80)
        #expect(session.status == 0)
        #expect(session.sent.contains("\u{1b}[1A\u{1b}[J"), "\(session.sent)")
        #expect(session.screen.count == 1 && session.screen[0].hasPrefix("1 file, 1.1 GB of 1.1 GB read"), "\(session)")
    }
}
