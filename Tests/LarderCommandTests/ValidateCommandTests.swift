import Glibc
import JSONSyntax
import Platform
import TestSupport
import Testing

/// `larder validate`, as its users call it.
@Suite struct ValidateCommandTests {
    private let directory: TemporaryDirectory
    private static let good = text(#", "sha256": "\#(String(repeating: "0123456789abcdef", count: 4))""#)
    private static let bad = good.replacing(#""serial": 1"#, with: #""serial": 0"#)
    private static let doubtful = text("")

    private static func text(_ more: String) -> String {
        """
        {"format": "larder/1", "id": "m", "serial": 1, "bundles": [
          {"id": "b", "kind": "ebook", "urls": ["b.epub", "c.epub"]\(more)}
        ]}

        """
    }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String..., input: String = "") async throws -> ChildProcess.Result {
        try await LarderProgram.run(["validate"] + arguments, directory: directory.path, input: Array(input.utf8))
    }

    private func write(_ text: String, to name: String) throws { try directory.write(text.utf8, to: name) }

    @Test func allInputsAreToldInOneRun() async throws {
        try write(Self.bad, to: "a/x.json")
        try write(Self.doubtful, to: "a/b/y.json")
        try write(Self.bad, to: "a/.hidden/z.json")
        try write("{", to: "a/notes.txt")
        let result = try await run("a", "--format", "short")
        #expect(result.status == .exited(1))
        let places = result.outputText.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(places == ["a/b/y.json:2:3:", "a/x.json:1:45:"])
        #expect(result.errorText == "1 error, 1 warning in 2 manifests\n")
    }

    @Test(
        arguments: [
            (good, [], 0), (doubtful, [], 0), (doubtful, ["--deny-warnings"], 1), (bad, [], 1),
            (doubtful, ["--deny-warnings", "--allow", "S021"], 0),
            (doubtful, ["--deny-warnings", "--severity", "error"], 0),
            (good, ["--allow", "V003"], 0), (good, ["--allow", "S001"], 64), (good, ["--allow", "S999"], 64),
            (good, ["--explain", "X1"], 64),
        ] as [(String, [String], Int32)])
    func theStatusSaysWhatWasFound(_ text: String, _ arguments: [String], _ status: Int32) async throws {
        let result = try await LarderProgram.run(
            ["validate", "-", "--base", "http://a.example/"] + arguments, input: Array(text.utf8))
        #expect(result.status == .exited(status), "\(result)")
    }

    @Test(arguments: ["gone.json", "gone*.json", "empty"])
    func whatCannotBeReadIsToldAndTheOthersAreChecked(_ name: String) async throws {
        #expect(mkdir(directory["empty"], 0o755) == 0)
        try write(Self.bad, to: "m.json")
        let result = try await run(name, "m.json")
        #expect(result.status == .exited(66), "\(result)")
        #expect(result.errorText.contains(name) && result.outputText.contains("m.json:1:45: error[S008]"), "\(result)")
        #expect(result.errorText.hasSuffix("in 1 manifest; not all could be read\n"), "\(result)")
    }

    @Test func standardInputWithoutAnyBaseCannotBeFollowed() async throws {
        let result = try await run("-", "--format", "short", input: Self.good)
        #expect(result.status == .exited(1) && result.outputText.contains("error[U014]"), "\(result)")
        // One absolute URL is enough.
        let mixed = Self.good.replacing("c.epub", with: "https://a.example/c.epub")
        #expect(try await run("-", "--format", "short", input: mixed).status == .exited(0))
    }

    /// Sync fails their bundles and publishes the others, so the rest of the manifest is looked at, too.
    @Test func errorsOfOneBundleLeaveAManifestToCheck() async throws {
        let text = Self.good.replacing("0123456789abcdef", with: "0000000000000000")
        try write(text, to: "m.json")
        let result = try await run("m.json", "--deep", "--format", "short")
        #expect(result.status == .exited(1) && result.outputText.contains("error[D004]"), "\(result)")
        #expect(result.outputText.contains("error[F001]"), "\(result)")
    }

    @Test(arguments: [["gone.json"], ["gone.json", "--against", "gone.json"]])
    func whereNothingCouldBeReadNothingIsSaidToBeFound(_ arguments: [String]) async throws {
        let result = try await LarderProgram.run(["validate"] + arguments, directory: directory.path)
        #expect(result.errorText.hasSuffix("nothing could be checked\n"), "\(result)")
    }

    @Test func whatIsNoFileIsNotFixed() async throws {
        let text = Self.good.replacing("b.epub", with: "b c.epub")
        let result = try await run("-", "--base", "http://a.example/", "--fix", input: text)
        #expect(result.status == .exited(66) && result.errorText.contains("--diff shows"), "\(result)")
    }

    @Test func aNumberIsToldWithoutQuotes() async throws {
        let result = try await run("-", "--format", "short", input: Self.bad)
        #expect(result.outputText.contains("found 0 (at $.serial)"), "\(result)")
    }

    @Test func ofRepeatedKeysAHundredAreTold() async throws {
        let keys = String(repeating: #""x-a": 1, "#, count: 300)
        let result = try await run(
            "-", "--format", "short", "--severity", "error",
            input: Self.good.replacing(#""id": "m""#, with: keys + #""id": "m""#))
        let lines = result.outputText.split(separator: "\n").filter { $0.contains("error[J024]") }
        #expect(lines.count == 100 && lines.last?.contains("(and 199 more like this)") == true, "\(lines.count)")
        // And one for the relative URL of a manifest that stands nowhere.
        #expect(result.errorText == "300 errors in 1 manifest\n")
    }

    /// Nothing else gets the number of a closed descriptor, and with it the findings.
    @Test func whatCannotBePrintedIsAFailure() async throws {
        try write(Self.doubtful, to: "m.json")
        let command = "exec \"$0\" validate m.json >&- <&-"
        let result = try await ChildProcess.run(
            "/bin/sh", ["-c", command, try LarderProgram.path], directory: directory.path)
        #expect(result.errorText.hasSuffix("can't write to standard output: Bad file descriptor\n"), "\(result)")
        #expect(result.status == .exited(1), "\(result)")
    }

    @Test func fixesAreShownFirstAndThenMadeInOneStep() async throws {
        let text = Self.bad.replacing("b.epub", with: "b ü.epub").replacing("}\n]", with: "},\n]")
        try write(text, to: "m.json")
        #expect(chmod(directory["m.json"], 0o640) == 0)

        let shown = try await run("m.json", "--diff")
        #expect(shown.outputText.contains("\n-  {\"id\"") && shown.outputText.contains("b%20%C3%BC.epub"), "\(shown)")
        #expect(try directory.read("m.json") == Array(text.utf8))

        let made = try await run("m.json", "--fix", "--format", "short")
        // What only the author can mend stays.
        #expect(made.status == .exited(1) && made.outputText.hasPrefix("m.json:1:45: error[S008]"), "\(made)")
        let expected = Self.bad.replacing("b.epub", with: "b%20%C3%BC.epub")
        #expect(try directory.read("m.json") == Array(expected.utf8))
        var status = stat()
        #expect(stat(directory["m.json"], &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test func inOneRunFixesAreShownAndThenMade() async throws {
        try write(Self.good.replacing("b.epub", with: "b c.epub"), to: "m.json")
        let shown = try await run("m.json", "--diff").outputText
        let made = try await run("m.json", "--diff", "--fix")
        #expect(made.status == .exited(0) && made.outputText == shown && shown.contains("b%20c.epub"), "\(made)")
        #expect(made.errorText.contains("1 fixed: m.json"), "\(made)")
        #expect(try directory.read("m.json") == Array(Self.good.replacing("b.epub", with: "b%20c.epub").utf8))
    }

    /// `patch` finds the file by its name in the diff, blanks in it or not.
    @Test func patchTakesWhatIsShown() async throws {
        try write(Self.good.replacing("b.epub", with: "b c.epub"), to: "a new one.json")
        let shown = try await run("a new one.json", "--diff")
        let made = try await ChildProcess.run(
            Tool.path("patch"), ["--silent", "--strip", "0"], directory: directory.path, input: shown.output)
        #expect(made.status == .exited(0), "\(made)")
        #expect(try directory.read("a new one.json") == Array(Self.good.replacing("b.epub", with: "b%20c.epub").utf8))
    }

    @Test func aSignatureOfWhatWasFixedIsToldToBeStale() async throws {
        try write(Self.good.replacing("b.epub", with: "b c.epub"), to: "m.json")
        try write("a signature", to: "m.json.minisig")
        let shown = try await run("m.json", "--diff")
        #expect(!shown.errorText.contains("minisig"), "\(shown)")
        let made = try await run("m.json", "--fix")
        #expect(made.errorText.contains("m.json.minisig is of what the manifest was: sign it again"), "\(made)")
        let again = try await run("m.json", "--fix")
        #expect(!again.errorText.contains("minisig"), "\(again)")
    }

    @Test func aWriteProtectedFileIsNotFixed() async throws {
        let text = Self.good.replacing("b.epub", with: "b c.epub")
        try write(text, to: "m.json")
        #expect(chmod(directory["m.json"], 0o444) == 0)
        let result = try await run("m.json", "--fix", "--format", "short")
        #expect(result.status == .exited(66) && result.outputText.contains("error[U002]"), "\(result)")
        #expect(
            result.errorText.contains("m.json: the fixes can't be written")
                && result.errorText.contains("chmod u+w lets it be changed"), "\(result)")
        #expect(try directory.read("m.json") == Array(text.utf8))
    }

    /// A pipe isn't turned into a file.
    @Test func onlyAFileIsFixed() async throws {
        #expect(mkfifo(directory["p.json"], 0o600) == 0)
        let text = Array(Self.bad.replacing("b.epub", with: "b c.epub").utf8)
        async let running = run("p.json", "--fix", "--format", "short")
        try await Self.feed(text, to: directory["p.json"])
        let result = try await running
        #expect(
            result.errorText.contains("p.json: the fixes can't be written")
                && result.errorText.contains("no regular file"), "\(result)")
        var status = stat()
        #expect(stat(directory["p.json"], &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @concurrent private static func feed(_ text: [UInt8], to pipe: String) async throws {
        let writer = try OwnedDescriptor.open(pipe, flags: O_WRONLY)
        try writer.write(text)
    }

    @Test(arguments: [#"["":]"#, #"[["":]]"#, "{} }", #"["a" "b", [1,]"#, "[\"a,\n\"b\", 1,]"])
    func whereBracketsDoNotMatchNothingIsFixedOnAGuess(_ text: String) async throws {
        try write(text, to: "m.json")
        let result = try await run("m.json", "--fix")
        #expect(result.status == .exited(1), "\(result)")
        #expect(try directory.read("m.json") == Array(text.utf8))
    }

    @Test func anOlderVersionTellsWhatWasForgotten() async throws {
        try write(Self.good, to: "old.json")
        try write(Self.good.replacing("b.epub", with: "d.epub"), to: "new.json")
        let result = try await run("new.json", "--against", "old.json", "--format", "short")
        #expect(result.status == .exited(1) && result.outputText.contains("error[V002]"), "\(result)")
        #expect(try await run("new.json", "--against", "old.json", "--allow", "V002").status == .exited(0))
    }

    @Test func anExpiredManifestIsWarnedOf() async throws {
        try write(
            Self.good.replacing(#""serial""#, with: #""expires": "2026-01-01T00:00:00Z", "serial""#), to: "m.json")
        let result = try await run("m.json", "--format", "short")
        #expect(result.status == .exited(0) && result.outputText.contains("warning[S024]"), "\(result)")
    }

    @Test func aLibraryTellsWhatWasForgottenSinceItWasPublished() async throws {
        func manifest(_ serial: Int, _ digest: String) -> String {
            """
            {"format": "larder/1", "id": "m", "serial": \(serial), "bundles": [
              {"id": "b", "kind": "ebook", "version": "1", "urls": ["b.pdf"], "sha256": "\(digest)"}
            ]}

            """
        }
        // Of "b", as sha256sum prints it.
        let digest = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"
        try write("b", to: "b.pdf")
        try write(manifest(1, digest), to: "m.json")
        let published = try await LarderProgram.run(["sync", "m.json", "--library", "lib"], directory: directory.path)
        #expect(published.status == .exited(0), "\(published)")
        #expect(try await run("m.json", "--library", "lib", "--deny-warnings").status == .exited(0))

        try write(manifest(1, String(digest.reversed())), to: "m.json")
        let result = try await run("m.json", "--library", "lib", "--format", "short", "--severity", "error")
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.outputText.contains("error[V002]") && result.outputText.contains("error[V003]"), "\(result)")
        let none = try await run("m.json", "--library", "nowhere", "--format", "short")
        #expect(none.status == .exited(66) && none.errorText.contains("nowhere holds no library"), "\(none)")
        let ambient = try await LarderProgram.run(
            ["validate", "m.json"], environment: ["LARDER_LIBRARY": "nowhere"], directory: directory.path)
        #expect(ambient.status == .exited(0), "\(ambient)")
    }

    /// Every `*.json` beneath it, but for what is hidden and behind links.
    @Test func aFolderStandsForItsManifests() async throws {
        try write(Self.good, to: "a/x.json")
        try write(Self.good, to: "a/b/c/y.json")
        try write("{", to: "a/.z.json")
        // What editors check the others by is none itself.
        try write(#"{"$schema": "https://json-schema.org/draft/2020-12/schema"}"#, to: "a/schema.json")
        try write("{", to: "outside/w.json")
        #expect(
            symlink("../outside", directory["a/link"]) == 0 && symlink("../outside/w.json", directory["a/w.json"]) == 0)
        let result = try await run("a", "a/x.json")
        #expect(result.status == .exited(0) && result.errorText == "nothing found in 2 manifests\n", "\(result)")
    }

    @Test(arguments: ["json", "sarif"])
    func scriptsGetWholeJSON(_ format: String) async throws {
        try write(Self.bad, to: "m.json")
        let result = try await run("m.json", "--format", format)
        let root = try JSONDocument(result.output, name: format).root
        let id =
            format == "json"
            ? root.elements.first { _ in true }?["id"]
            : root["runs"]?.elements.first { _ in true }?["results"]?.elements.first { _ in true }?["ruleId"]
        #expect(id?.string == "S008")
    }

    /// What was found in one manifest is told before the next one is read.
    @Test(arguments: ["text", "short", "json", "sarif", "github"])
    func findingsAreToldAsTheyAreFound(_ format: String) async throws {
        try write(Self.bad, to: "m.json")
        #expect(mkfifo(directory["p.json"], 0o600) == 0)
        let child = try ChildProcess(
            try LarderProgram.path, ["validate", "m.json", "p.json", "--format", format], directory: directory.path)
        _ = try await child.wait(for: "the first finding") { $0.outputText.contains("S008") ? true : nil }
        try await Self.feed(Array(Self.doubtful.utf8), to: directory["p.json"])
        let result = try await child.waitForExit()
        #expect(result.status == .exited(1) && result.outputText.contains("S021"), "\(result)")
        #expect(result.outputText.hasSuffix("\n") && !result.outputText.hasSuffix("\n\n"), "\(result)")
        guard ["json", "sarif"].contains(format) else { return }
        _ = try JSONDocument(result.output, name: format)
    }

    @Test func workflowCommandsEscapeWhatWouldEndThem() async throws {
        try write(Self.good.replacing("b.epub", with: "100%.epub"), to: "a,b:c.json")
        let result = try await run("a,b:c.json", "--format", "github", "--severity", "error")
        #expect(result.outputText.hasPrefix("::error file=a%2Cb%3Ac.json,line=2,col="), "\(result)")
        #expect(result.outputText.contains("%25") && result.outputText.split(separator: "\n").count == 1, "\(result)")
    }

    @Test func findingsBeyondTheLimitAreCounted() async throws {
        try write(Self.bad.replacing(#""id": "m""#, with: #""id": "M""#), to: "m.json")
        let result = try await run("m.json", "--max-findings", "1", "--format", "short")
        #expect(result.outputText.split(separator: "\n").count == 1)
        #expect(result.errorText == "2 errors in 1 manifest; 1 not shown (--max-findings)\n")
    }
}
