import Glibc
import TestSupport
import Testing

/// `larder manifest update`, and what becomes of the manifests it writes.
@Suite struct ManifestUpdateCommandTests {
    private let directory: TemporaryDirectory
    private let folder: String
    private var manifest: String { directory["museum/museum.json"] }

    init() throws {
        directory = try TemporaryDirectory()
        folder = try directory.makeDirectory("museum")
    }

    private func update(
        _ more: String..., environment: [String: String]? = nil
    ) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["manifest", "update", manifest, folder] + more, environment: environment)
    }

    private func create() async throws {
        let created = try await LarderProgram.run(["manifest", "create", folder, "-o", manifest])
        try #require(created.status == .exited(0), "\(created)")
    }

    private func text() throws -> String { String(decoding: try readFile(manifest), as: UTF8.self) }

    /// A manifest that was made, signed, synced and then written in by hand; files that change; and all of it once more.
    @Test func whatIsUpdatedIsValidSignedSyncedAndVerified() async throws {
        let museum = try await Museum(in: directory)
        let nginx = try await NginxServer(root: folder)
        let signer = try await Minisign(in: directory)
        let library = directory["library"]
        func sign() async throws {
            let signed = try await LarderProgram.run(["manifest", "sign", manifest, "-s", signer.secretKeyPath])
            #expect(signed.status == .exited(0), "\(signed)")
        }
        func sync() async throws -> ChildProcess.Result {
            try await LarderProgram.run([
                "sync", nginx.url("/museum.json"), "--library", library, "--min-free", "0", "--public-key",
                signer.publicKey,
            ])
        }
        let created = try await LarderProgram.run([
            "manifest", "create", folder, "--base", nginx.url(""), "-o", manifest,
        ])
        #expect(created.status == .exited(0), "\(created)")
        try await sign()
        #expect(try await sync().status == .exited(0))

        let hand = #"{ "id" : "plates", "title":"Tafeln", "x-by":"hand", "unpack": {"exclude": ["README"]}, "kind""#
        let edited = try text().replacing(#"{"id":"plates","kind""#, with: hand)
        try writeFile(Array(edited.utf8), to: manifest)
        try directory.write("another".utf8, to: "museum/README")
        try directory.write("new".utf8, to: "museum/odd/new")
        try await museum.run("rm odd/empty plates.zip && zip -qr plates.zip odd README && cp maps.tar more.tar")

        let updated = try await update("--prune")
        #expect(updated.status == .exited(0), "\(updated)")
        #expect(updated.errorText.contains("serial 2: 2 renewed, 2 new, 1 taken out; "), "\(updated)")
        #expect(
            updated.errorText.contains("\(manifest).minisig is of what the manifest was: sign it again"), "\(updated)")
        #expect(try text().contains(hand))
        #expect(try !text().contains("museum.json"))
        #expect(try await sync().status == .exited(77))
        try await sign()
        let judged = try await LarderProgram.run(["validate", manifest, "--deny-warnings", "--severity", "warning"])
        #expect(judged.status == .exited(0) && judged.output.isEmpty, "\(judged)")
        let synced = try await sync()
        #expect(synced.status == .exited(0), "\(synced)")
        let verified = try await LarderProgram.run(["verify", "--library", library])
        #expect(verified.status == .exited(0), "\(verified)")
        let differences = try treeDifferences("\(folder)/odd", "\(library)/current/museum/museum/odd")
        #expect(differences == [], "\(differences)")
        #expect(try directoryEntries(FilePathBytes("\(library)/current/museum/plates")).map(\.description) == ["odd"])
        #expect(try readFile("\(library)/current/museum/museum/README") == Array("another".utf8))
        #expect(try treeDifferences("\(library)/current/museum/maps", "\(library)/current/museum/more") == [])

        let bytes = try readFile(manifest)
        let again = try await update()
        #expect(again.status == .exited(0) && again.errorText.hasPrefix("nothing changed; "), "\(again)")
        #expect(again.problems.count == 1 && again.output.isEmpty, "\(again)")
        #expect(try readFile(manifest) == bytes)
    }

    @Test func whatWouldChangeIsShownAsAPatch() async throws {
        for name in ["a", "b", "c", "d/e", "f"] { try directory.write(name.utf8, to: "museum/\(name)") }
        try await create()
        let old = try text()
        for (name, content) in [("a", "1"), ("f", "2"), ("d/new", "3")] {
            try directory.write(content.utf8, to: "museum/\(name)")
        }
        try check(unlink(directory["museum/c"]), "unlink")
        let shown = try await update("--prune", "--diff")
        #expect(
            shown.status == .exited(0) && shown.errorText.contains("serial 2: 2 renewed, 1 new, 1 taken out"),
            "\(shown)")
        #expect(try text() == old)
        // From the copy that the patch makes only the time may differ.
        let patched = try directory.write(old.utf8, to: "patched")
        let made = try await ChildProcess.run(Tool.path("patch"), ["--silent", patched], input: shown.output)
        #expect(made.status == .exited(0), "\(made)")
        #expect(try await update("--prune").status == .exited(0))
        func timeless(_ text: String) -> String { text.replacing(/"created": "[^"]*"/, with: "") }
        #expect(timeless(String(decoding: try readFile(patched), as: UTF8.self)) == timeless(try text()))
    }

    @Test func theTimeIsTheOneThatIsGiven() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        try directory.write("b".utf8, to: "museum/a")
        var environment = ChildProcess.inheritedEnvironment
        environment["SOURCE_DATE_EPOCH"] = "86400"
        #expect(try await update(environment: environment).status == .exited(0))
        #expect(try text().contains(#""created": "1970-01-02T00:00:00Z""#))
    }

    /// Also where nothing changed: whoever asked for a manifest there gets one.
    @Test func withAnOutputTheOldOneStays() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        let old = try text()
        #expect(try await update("-o", "-").outputText == old)
        try directory.write("b".utf8, to: "museum/a")
        let other = directory["museum/other.json"]
        #expect(try await update("-o", other).status == .exited(0))
        let written = String(decoding: try readFile(other), as: UTF8.self)
        #expect(written.contains(#""serial": 2"#) && !written.contains("other.json"), "\(written)")
        #expect(try text() == old)
    }

    /// Without mirrors its URLs are relative to where it lies.
    @Test func anOutputElsewhereWhoseURLsLeadElsewhereIsTold() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        try directory.write("b".utf8, to: "museum/b")
        try directory.makeDirectory("elsewhere")
        let moved = try await update("-o", directory["elsewhere/m.json"])
        #expect(moved.status == .exited(0) && moved.errorText.contains("lead elsewhere from"), "\(moved)")
        for output in [directory["museum/other.json"], "-"] {
            let kept = try await update("-o", output)
            #expect(kept.status == .exited(0) && !kept.errorText.contains("warning"), "\(kept)")
        }
        let mirrored = try text().replacing("\"bundles\"", with: "\"mirrors\": [\"https://a.example/\"], \"bundles\"")
        try writeFile(Array(mirrored.utf8), to: manifest)
        let based = try await update("-o", directory["elsewhere/m.json"])
        #expect(based.status == .exited(0) && !based.errorText.contains("warning"), "\(based)")
    }

    /// As where it is changed in its place.
    @Test func anOutputThatIsThereKeepsItsModeAndItsSignatureIsTold() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        let other = try directory.write("old".utf8, to: "other.json")
        try directory.write([], to: "other.json.minisig")
        let commands = [["update", manifest, folder], ["create", folder]]
        for command in commands {
            try check(chmod(other, 0o600), "chmod")
            let written = try await LarderProgram.run(["manifest"] + command + ["-o", other])
            #expect(written.status == .exited(0), "\(written)")
            #expect(written.errorText.contains("\(other).minisig is of what the manifest was"), "\(written)")
            var status = stat()
            try check(stat(other, &status), "stat")
            #expect(status.st_mode & 0o777 == 0o600)
        }
        let old = try readFile(other)
        try check(chmod(other, 0o444), "chmod")
        for command in commands {
            let refused = try await LarderProgram.run(["manifest"] + command + ["-o", other])
            #expect(refused.status == .exited(1) && refused.errorText.contains("write-protected"), "\(refused)")
        }
        #expect(try readFile(other) == old)
    }

    /// Neither it nor its signature is another then.
    @Test func anOutputThatIsThereAlreadyStaysAsItIs() async throws {
        var environment = ChildProcess.inheritedEnvironment
        environment["SOURCE_DATE_EPOCH"] = "86400"
        try directory.write("a".utf8, to: "museum/a")
        let list = try directory.write("http://127.0.0.1:1/a\n".utf8, to: "list.txt")
        try await create()
        let other = directory["other.json"]
        for command in [["update", manifest, folder], ["create", folder], ["import", list]] {
            let arguments = ["manifest"] + command + ["-o", other]
            #expect(try await LarderProgram.run(arguments, environment: environment).status == .exited(0))
            try directory.write([], to: "other.json.minisig")
            var (before, after) = (stat(), stat())
            try check(stat(other, &before), "stat")
            let again = try await LarderProgram.run(arguments, environment: environment)
            try check(stat(other, &after), "stat")
            #expect(again.status == .exited(0) && again.errorText.contains("\(other) is what would be"), "\(again)")
            #expect(!again.errorText.contains("minisig") && before.st_ino == after.st_ino, "\(again)")
            try check(unlink("\(other).minisig"), "unlink")
        }
    }

    /// An edit, or another update, that was made while the files were read.
    @Test func anOutputThatIsTheOldOneIsHeldAgainstWhatWasRead() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        try check(symlink("gone", "\(folder)/link"), "symlink")
        try check(truncate(directory["museum/a"], 1 << 32), "truncate")
        let updating = try LarderProgram.start([
            "manifest", "update", manifest, folder, "-o", "\(folder)/../museum/museum.json",
        ])
        // Told before the first byte is read, which takes seconds from there.
        try await updating.wait(for: "the warning") { $0.errorText.contains("is left out") ? () : nil }
        let edited = try text().replacing("larder/1", with: "larder\\/1")
        try writeFile(Array(edited.utf8), to: manifest)
        let refused = try await updating.waitForExit()
        #expect(
            refused.status == .exited(1) && refused.errorText.contains("has changed since it was read"), "\(refused)")
        #expect(try text() == edited)
    }

    /// As far as whoever writes it can give it away; a group of whom nobody knows what it may do gets nothing.
    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func anOutputThatIsThereKeepsItsOwner() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        let other = try directory.write("old".utf8, to: "other/m.json")
        try check(chmod(directory.path, 0o755), "chmod")
        let owner = ["--reuid", "4242", "--regid", "4242", "--clear-groups"]
        for (prefix, group, mode) in [([], 4343, 0o664), (owner, 4242, 0o644)] as [([String], gid_t, mode_t)] {
            for command in [["update", manifest, folder], ["create", folder]] {
                try writeFile(Array("old".utf8), to: other)
                try check(chown(other, 4242, 4343), "chown")
                try check(chown(directory["other"], 4242, 4242), "chown")
                try check(chmod(other, 0o664), "chmod")
                let program = [try LarderProgram.path, "manifest"] + command + ["-o", other]
                let written = try await ChildProcess.run("setpriv", prefix + program)
                #expect(written.status == .exited(0), "\(written)")
                var status = stat()
                try check(stat(other, &status), "stat")
                #expect(status.st_uid == 4242 && status.st_gid == group && status.st_mode & 0o777 == mode, "\(command)")
            }
        }
    }

    @Test func aDiffHasNoOutput() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        let refused = try await update("--diff", "-o", directory["other.json"])
        #expect(refused.status == .exited(64) && refused.output.isEmpty, "\(refused)")
    }

    @Test(arguments: [
        "", "[]", "{\"format\": \"larder/1\"}",
        "{\"format\": \"larder/1\", \"id\": \"m\", \"serial\": 1, \"bundles\": []}",
    ])
    func whatIsNoManifestIsToldWithItsFaults(text: String) async throws {
        try directory.write(text.utf8, to: "museum/museum.json")
        let refused = try await update()
        #expect(refused.status == .exited(65) && refused.errorText.contains("museum.json:1:"), "\(refused)")
        #expect(try self.text() == text)
    }

    @Test(arguments: ["gone.json", "museum", "http://127.0.0.1:1/m.json"])
    func whatIsNoFileCanNotBeRead(name: String) async throws {
        try directory.write([], to: "museum/a")
        let refused = try await LarderProgram.run(
            ["manifest", "update", name, folder], directory: directory.path)
        #expect(refused.status == .exited(66), "\(refused)")
    }

    /// Told before anything is read.
    @Test func aWriteProtectedManifestStays() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        try directory.write("b".utf8, to: "museum/a")
        try check(chmod(manifest, 0o444), "chmod")
        // Of which a look at the folder would tell.
        try check(symlink("a", "\(folder)/link"), "symlink")
        let refused = try await update()
        #expect(refused.status == .exited(1) && refused.errorText.contains("--diff shows"), "\(refused)")
        #expect(refused.problems.count == 1, "\(refused)")
        #expect(try await update("--diff").outputText.contains("+  \"serial\": 2"))
    }

    @Test(arguments: ["create", "rename"])
    func aFolderThatTakesNoFilesLeavesWhatIsThere(operation: String) async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        let old = try readFile(manifest)
        try directory.write("b".utf8, to: "museum/a")
        let calls = try await FileCalls(beneath: folder)
        let environment = calls.environment(
            .fail(EACCES, persistently: false), at: .first(operation, on: "museum.json"))
        let refused = try await update(environment: environment)
        #expect(refused.status == .exited(1) && refused.errorText.contains("Permission denied"), "\(refused)")
        let create = ["manifest", "create", folder, "-o", manifest]
        let created = try await LarderProgram.run(create, environment: environment)
        #expect(created.status == .exited(1) && created.errorText.contains("Permission denied"), "\(created)")
        #expect(try readFile(manifest) == old)
        #expect(try directoryEntries(FilePathBytes(folder)).map(\.description) == ["a", "museum.json"])
    }

    @Test func aSignalLeavesTheManifestAsItIs() async throws {
        try directory.write("a".utf8, to: "museum/a")
        try await create()
        let old = try readFile(manifest)
        try check(symlink("gone", "\(folder)/link"), "symlink")
        try check(truncate(directory["museum/a"], 1 << 42), "truncate")
        let updating = try LarderProgram.start(["manifest", "update", manifest, folder])
        // Told before the first byte is read, which takes hours from there.
        try await updating.wait(for: "the warning") { $0.errorText.contains("is left out") ? () : nil }
        updating.kill(SIGTERM)
        #expect(try await updating.waitForExit().status == .exited(143))
        #expect(try readFile(manifest) == old)
        #expect(try directoryEntries(FilePathBytes(folder)).map(\.description) == ["a", "link", "museum.json"])
    }

    /// By mirrors as by where it lies, from wherever it is named.
    @Test func aManifestElsewhereKnowsItsFolder() async throws {
        try directory.write("a".utf8, to: "museum/a")
        let above = ["manifest", "create", "museum", "-o", "m.json"]
        #expect(try await LarderProgram.run(above, directory: directory.path).status == .exited(0))
        try directory.write("b".utf8, to: "museum/b")
        let updated = try await LarderProgram.run(
            ["manifest", "update", "../m.json", "."], directory: folder)
        #expect(updated.status == .exited(0) && updated.errorText.hasPrefix("serial 2: 1 new; "), "\(updated)")
        #expect(String(decoding: try directory.read("m.json"), as: UTF8.self).contains(#"["museum/b"]"#))
    }
}
