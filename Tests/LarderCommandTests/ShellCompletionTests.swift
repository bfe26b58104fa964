import Glibc
import TestSupport
import Testing

/// What `--generate bash|zsh|fish` prints, in these shells, on a terminal.
@Suite struct ShellCompletionTests {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    private let stock: Stock

    init() throws { stock = try Stock() }

    private func publish() async throws {
        stock.serveManifest([
            stock.file("film", .pattern(lengthBytes: 10, seed: 1)),
            stock.file("guide", .pattern(lengthBytes: 10, seed: 2)),
        ])
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
    }

    /// Lets `body` type into a shell that knows the completions, in a folder of the test's.
    private func run(_ shell: Shell, _ body: (TmuxTerminal) async throws -> Void) async throws {
        let program = try LarderProgram.path
        let folder = String(program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex))
        var environment = [
            "PATH": "\(folder):/usr/bin:/bin", "LARDER_LIBRARY": stock.library, "HOME": stock.directory.path,
        ]
        let command: [String]
        switch shell {
        case .bash:
            try stock.directory.write(
                "source <(larder --generate bash)\nset +o history\nPS1='> '\n".utf8, to: "bashrc")
            command = ["bash", "--noprofile", "--rcfile", stock.directory["bashrc"]]
        case .zsh:
            try stock.directory.write(
                "autoload -Uz compinit; compinit -u -D\nsource <(larder --generate zsh)\nPS1='> '\n".utf8, to: ".zshrc")
            environment["ZDOTDIR"] = stock.directory.path
            command = ["zsh", "-d"]
        case .fish:
            command = [
                "fish", "--no-config", "--init-command",
                "larder --generate fish | source; function fish_prompt; echo '> '; end",
            ]
        }
        let work = try stock.directory.makeDirectory("work")
        try await TmuxTerminal.run(
            [try Tool.path(command[0])] + command.dropFirst(), columns: 120, environment: environment, directory: work
        ) { terminal in
            try await terminal.wait(for: "the prompt") { $0.last?.hasPrefix(">") == true }
            try await body(terminal)
        }
    }

    /// Types text and a tab and expects the line that becomes of it.
    private func complete(_ text: String, _ expected: String, _ terminal: TmuxTerminal) async throws {
        try await terminal.press("C-u")
        try await terminal.type(text)
        try await terminal.press("Tab")
        // What comes behind a completed word, and behind the whole.
        try await terminal.type("!")
        try await terminal.wait(for: expected) { lines in
            lines.contains { $0 == "> \(expected) !" || $0 == "> \(expected)!" }
        }
    }

    @Test(arguments: Shell.allCases)
    func commandsOptionsValuesAndBundlesAreCompleted(_ shell: Shell) async throws {
        try await publish()
        try stock.directory.write([], to: "work/settings.json")
        try stock.directory.makeDirectory("work/my dir")
        try await run(shell) { terminal in
            for (text, expected) in [
                ("larder sy", "larder sync"), ("larder manifest ver", "larder manifest verify-signature"),
                ("larder --gen", "larder --generate"),
                ("larder --generate man unpa", "larder --generate man unpack"),
                ("larder sync --limit", "larder sync --limit-rate"),
                ("larder sync --dry-run --dry", "larder sync --dry-run --dry"),
                ("larder sync --color=al", "larder sync --color=always"),
                ("larder sync --color al", "larder sync --color always"),
                ("larder sync se", "larder sync settings.json"),
                ("larder sync --config se", "larder sync --config settings.json"),
                ("larder sync --config=se", "larder sync --config=settings.json"),
                ("larder unpack --into my", "larder unpack --into my\\ dir/"),
                ("larder path fi", "larder path film"), ("larder path m/g", "larder path m/guide"),
                ("larder sync --only film,gu", "larder sync --only film,guide"),
                ("larder path -l ~/library gu", "larder path -l ~/library guide"),
                ("larder path -l '\(stock.library)' gu", "larder path -l '\(stock.library)' guide"),
            ] {
                try await complete(text, expected, terminal)
            }
        }
    }

    @Test(arguments: Shell.allCases)
    func ofSeveralAllAreShown(_ shell: Shell) async throws {
        try await publish()
        try await run(shell) { terminal in
            try await terminal.type("larder manifest ")
            try await terminal.press("Tab", "Tab")
            try await terminal.wait(for: "the commands") { lines in
                ["create", "sign", "verify-signature"].allSatisfy { word in
                    lines.dropFirst().contains { $0.contains(word) }
                }
            }
        }
    }

    /// Whatever is wrong with a library, or lies in it, nothing is said and nothing is run.
    @Test(arguments: Shell.allCases)
    func aBrokenLibraryCompletesNothing(_ shell: Shell) async throws {
        try await publish()
        let generation = "\(stock.library)/generations/\(try currentGeneration())"
        for name in ["$(touch told)", "`touch told`", ";touch told;", "film -v"] {
            try check(mkdir("\(generation)/\(name)", 0o755), "mkdir")
            try check(mkdir("\(generation)/m/\(name)", 0o755), "mkdir")
        }
        try await run(shell) { terminal in
            try await terminal.type("larder path ")
            try await terminal.press("Tab", "Tab")
            let lines = try await terminal.wait(for: "the bundles") { lines in
                lines.dropFirst().contains { $0.contains("m/guide") }
            }
            #expect(!lines.contains { $0.contains("touch") || $0.contains("-v") }, "\(lines)")
            try await complete("larder path '$(touch told)/", "larder path '$(touch told)/", terminal)
            try await complete("larder path fi", "larder path film", terminal)
            try check(unlink("\(stock.library)/current"), "unlink")
            try check(symlink("/etc", "\(stock.library)/current"), "symlink")
            try await complete("larder path fi", "larder path fi", terminal)
            try await complete("larder rollback --to 1x", "larder rollback --to 1x", terminal)
            try await complete("larder path -l /nowhere fi", "larder path -l /nowhere fi", terminal)
            #expect(try await terminal.screen().allSatisfy { !$0.contains("error") })
        }
        #expect(try directoryEntries(FilePathBytes(stock.directory["work"])) == [])
    }

    private func currentGeneration() throws -> String {
        let names = try directoryEntries(FilePathBytes("\(stock.library)/generations")).map(\.description)
        return try #require(names.max())
    }
}
