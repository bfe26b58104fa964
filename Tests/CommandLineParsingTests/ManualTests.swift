import CommandLineParsing
import TestSupport
import Testing

@Suite struct ManualTests {
    /// A page as a reader sees it.
    private func shown(_ page: String) async throws -> String {
        let result = try await ChildProcess.run(
            "groff", ["-ww", "-man", "-Tutf8", "-P-cbou"], input: Array(page.utf8))
        #expect(result.status == .exited(0) && result.errors.isEmpty, "\(result)")
        return result.outputText
    }

    @Test(arguments: [
        ".TH is no request", "'so is this", "a\\b \\n \\fB \\(rs", "--a-b - c -", "`x` 'y' \"z\" ^ ~ |", "größer → 1",
        "100% of $HOME & <x>", "…more",
    ])
    func textIsShownAsItIs(text: String) async throws {
        let command = Command(
            "c", summary: "does", description: text, examples: [Example(text, "x")], exitCodes: [])
        let table = CommandTable(program: "p", summary: "s", commands: [command], exitCodes: [])
        let page = try await shown(ManualRenderer(table, version: "1").page(about: command))
        let expected = text.split(separator: "…", omittingEmptySubsequences: false).joined(separator: "...")
        #expect(page.split(separator: "\n").count { $0.contains(expected) } == 2, "\(page)")
    }

    @Test func aPageHasAllOfTheTable() async throws {
        let manual = ManualRenderer(Sample.table, version: "1.2")
        let sync = try #require(Sample.table.commands.first)
        #expect(manual.pageName(of: sync) == "sample-sync")
        let page = try await shown(manual.page(about: sync))
        for part in [
            "SAMPLE-SYNC(1)", "sample-sync - bring a library up to date", "sample sync [OPTION]... MANIFEST...",
            "-l, --library DIR", "The library; created if missing. Required. Also: SAMPLE_LIBRARY.",
            "Transfers at once. A whole number from 1 to 64. Default: 8.", "Stands in for --library.",
            "Nothing could be published.", "sample sync m.json --library /srv/media", "sample(1)", "sample 1.2",
        ] {
            #expect(page.contains(part), "\(part): \(page)")
        }
    }

    @Test func thePageOfTheProgramNamesItsCommands() async throws {
        let manual = ManualRenderer(Sample.table, version: "1.2")
        let page = try await shown(manual.page(about: nil))
        for part in ["sample COMMAND [OPTION]...", "sample-manifest-create(1)", "--spell [OPTION]...", "Wrong usage."] {
            #expect(page.contains(part), "\(part): \(page)")
        }
        #expect(!page.contains("secret"))
        #expect(manual.commands.map(\.name) == ["sync", "fetch", "manifest create", "manifest sign", "watch"])
    }

    @Test func aNoteStandsWhereItBelongs() async throws {
        let table = CommandTable(
            program: "p", summary: "s",
            commands: [
                Command("a", summary: "x", description: "x", groups: [Sample.display], exitCodes: []),
                Command("b", summary: "x", description: "x", exitCodes: []),
                Command("c", summary: "x", description: "x", exitCodes: []),
            ], exitCodes: [],
            notes: [
                ManualNote(.file, "the-file", of: "b", help: "x"),
                ManualNote(.variable, "VAR", of: "--color", help: "x"),
                ManualNote(.passedVariable, "PASSED", of: "c", help: "x"),
            ])
        let manual = ManualRenderer(table, version: "1")
        let pages = table.commands.map { manual.page(about: $0) }
        #expect(pages.map { $0.contains("FILES") } == [false, true, false])
        #expect(pages.map { $0.contains("ENVIRONMENT") } == [true, false, true])
        #expect(manual.page(about: nil).contains("FILES"))
        #expect(manual.page(about: nil).contains("VAR") && !manual.page(about: nil).contains("PASSED"))
    }
}
