import CommandLineParsing
import TestSupport
import Testing

@testable import LarderCommand

/// The pages that `--generate man` writes, as man-db takes them.
@Suite struct ManualPageTests {
    @Test func everyCommandHasAPageThatManFindsNothingWrongWith() async throws {
        let folder = try TemporaryDirectory()
        let result = try await LarderProgram.run(["--generate", "man", "--into", folder["man"]])
        #expect(result.status == .exited(0) && result.output.isEmpty && result.errors.isEmpty, "\(result)")
        let names = try directoryEntries(FilePathBytes(folder["man"])).map(\.description).sorted()
        let commands = larderCommands.commands.filter { !$0.name.hasPrefix("-") }
        let expected =
            ["larder.1"] + commands.map { "larder-\($0.name.split(separator: " ").joined(separator: "-")).1" }
        #expect(names == expected.sorted())
        for name in names {
            let path = folder["man/\(name)"]
            let shown = try await ChildProcess.run(
                "man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-P", "cat", path])
            #expect(shown.status == .exited(0) && shown.errors.isEmpty, "\(shown)")
            // What `whatis` and `apropos` know of it.
            let parsed = try await ChildProcess.run("lexgrog", [path])
            #expect(parsed.outputText.contains("\"\(name.dropLast(2)) - "), "\(parsed)")
        }
    }

    @Test func aPageIsPrintedByItself() async throws {
        let page = try await LarderProgram.run(["--generate", "man", "manifest", "sign"])
        #expect(page.status == .exited(0) && page.outputText.contains("larder\\-manifest\\-sign"), "\(page)")
    }

    @Test(arguments: [
        (["man", "manifest", ""], ["create", "import", "sign", "update", "verify-signature"]),
        (["man", "manifest", "s"], ["sign"]), (["man", "sync", ""], []), (["bash", ""], []),
        (["man", "unp"], ["unpack", "unpin"]),
    ])
    func theWordsOfACommandAreOfferedBehindThoseBefore(words: [String], expected: [String]) async throws {
        let answer = try await LarderProgram.run(["--complete", "--", "--generate"] + words)
        let offered = answer.outputLines.dropFirst().filter { !$0.hasPrefix("--") }
        #expect(offered.sorted() == expected && answer.status == .exited(0), "\(answer)")
    }

    @Test(arguments: [
        (["--generate=man"], "what --generate is given stands behind a space (see larder --generate --help)"),
        (["--version=1"], "--version takes no value"),
        (["help", "sync", "nonsense"], "help is about one command, and \"nonsense\" stands behind sync"),
        (["help", "manifest", "sign", "x"], "\"x\" stands behind manifest sign"),
    ])
    func wordsThatMeanNothingAreNotPassedOver(words: [String], part: String) async throws {
        let result = try await LarderProgram.run(words)
        #expect(result.status == .exited(64) && result.output.isEmpty && result.problems.count == 1, "\(result)")
        #expect(result.errorText.contains(part), "\(result)")
    }

    @Test(arguments: [
        (["bsh"], "did you mean \"bash\"?"), (["man", "snyc"], "did you mean \"sync\"?"),
        (["bash", "sync"], "all commands"),
        (["man", "sync", "--into", "x"], "all commands"), ([], "is missing"),
    ])
    func whatIsNotMadeIsTold(arguments: [String], part: String) async throws {
        let result = try await LarderProgram.run(["--generate"] + arguments)
        #expect(result.status == .exited(64) && result.output.isEmpty && result.errorText.contains(part), "\(result)")
    }

    @Test func theProgramsPageTellsWhatStandsInForOptions() {
        let page = ManualRenderer(larderCommands, version: "1").page(about: nil)
        let parts = page.split(separator: "LARDER_LIBRARY", omittingEmptySubsequences: false)
        #expect(parts.count == 2 && page.contains("LARDER_SECRET_KEY"), "\(page)")
        #expect(parts.last?.prefix(60).contains("library") == true, "\(page)")
    }

    @Test func pagesAreNotWrittenIntoALibrary() async throws {
        let folder = try TemporaryDirectory()
        try folder.write([], to: "library/.larder/lock")
        let result = try await LarderProgram.run(["--generate", "man", "--into", folder["library/man"]])
        #expect(result.status == .exited(64) && result.errorText.contains("lies in the library"), "\(result)")
    }

    @Test func pagesThatCanNotBeWrittenAreTold() async throws {
        let result = try await LarderProgram.run(["--generate", "man", "--into", "/proc/nowhere"])
        #expect(result.status == .exited(1) && result.problems.count == 1, "\(result)")
    }
}

/// Help that is read at a glance.
@Suite struct HelpAtAGlanceTests {
    @Test func aCommandFitsOneScreen() {
        let renderer = HelpRenderer(larderCommands)
        for command in larderCommands.commands {
            let lines = renderer.help(.command(command), .short).split(
                separator: "\n", omittingEmptySubsequences: false
            ).dropLast()
            #expect(lines.count <= 40, "\(command.name): \(lines.count) lines")
            for line in lines { #expect(line.count <= 80, "\(command.name): \(line)") }
        }
        #expect(renderer.help(.program, .short).split(separator: "\n").count <= 40)
    }
}
