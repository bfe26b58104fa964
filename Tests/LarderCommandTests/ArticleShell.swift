import Glibc
import TestSupport

/// A shell in which somebody follows an article from its first block to its last, in a folder that looks like a checkout.
///
/// It differs from a reader's in three things: `larder` is the program under test, so that `make` only tells what it would do, and `swift test`
/// looks whether there is such a test; the ports 8000 and 8080 are others that are free; `sudo` does without.
struct ArticleShell {
    private let scratch: TemporaryDirectory
    private let ports: [(shown: String, used: String)]

    init() throws {
        scratch = try TemporaryDirectory()
        let free = try ["8000", "8080"].map { ($0, try LoopbackListener()) }
        ports = free.map { ($0, "\($1.port)") }
        try check(symlink(try LarderProgram.path, try scratch.makeDirectory("bin") + "/larder"), "symlink larder")
        let checkout = try scratch.makeDirectory("checkout")
        for name in ["Makefile", "Manifests", "Package.swift", "README.md", "Sources", "Tests"] {
            try check(symlink("\(Article.root)/\(name)", "\(checkout)/\(name)"), "symlink \(name)")
        }
        try scratch.makeDirectory("tmp")
    }

    /// What came of something that was typed.
    struct Answer {
        let status: Int
        let lines: [String]
    }

    /// Types everything, one after the other; what doesn't come to its turn, because the shell has ended, has no answer.
    func answers(to typed: [Article.Block.Typed]) async throws -> [Answer] {
        var script = Self.beginning
        for (number, one) in typed.enumerated() {
            let file = try scratch.write((replaced(one.text) + "\n").utf8, to: "typed/\(number)")
            // What is shown with its output may fail; of a block without, no command may.
            let (before, result) =
                one.output == nil ? ("failed=0", "$((failed ? failed : status))") : ("(exit $status)", "$status")
            script += "\(before); . '\(file)'; status=$?; printf '\\036%d\\n' \(result)\n"
        }
        var environment = ChildProcess.inheritedEnvironment
        environment["PATH"] =
            scratch["bin"] + ":" + (environment["PATH"] ?? "/usr/bin:/bin") + ":\(Article.root)/.build/python/bin"
        environment["TMPDIR"] = scratch["tmp"]
        environment["CHECKOUT"] = Article.root
        environment["LARDER_LIBRARY"] = nil
        environment["LC_ALL"] = "C.UTF-8"
        let run = try await ChildProcess.run(
            "bash", [scratch.write(script.utf8, to: "script")], environment: environment,
            directory: scratch["checkout"], within: .seconds(180))
        return answers(in: restored(run.outputText.replacing(scratch["tmp"], with: "/tmp")))
    }

    /// Job control, so that `kill %1` means what was started first; and what it started ends with it.
    private static let beginning = """
        exec 2>&1 </dev/null
        set -m
        trap 'failed=$?' ERR
        trap 'kill $(jobs -p) 2>/dev/null' EXIT
        make() { command make --dry-run --directory="$CHECKOUT" "$@" >/dev/null; }
        swift() { [ "$1 $2" != 'test --filter' ] || grep --recursive --quiet --word-regexp "${3##*.}" "$CHECKOUT/Tests"; }
        sudo() { "$@"; }
        status=0

        """

    /// An answer is followed by a record separator and its status.
    private func answers(in text: String) -> [Answer] {
        let pieces = text.split(separator: "\u{1e}", omittingEmptySubsequences: false)
        var (answers, output) = ([Answer](), pieces.first ?? "")
        for piece in pieces.dropFirst() {
            let end = piece.firstIndex(of: "\n") ?? piece.endIndex
            let lines = output.split(separator: "\n").map(String.init)
            answers.append(Answer(status: Int(piece[..<end]) ?? -1, lines: lines))
            output = piece[end...].dropFirst()
        }
        return answers
    }

    private func replaced(_ text: String) -> String {
        ports.reduce(text) { Self.replacing($1.shown, with: $1.used, in: $0) }
    }

    private func restored(_ text: String) -> String {
        ports.reduce(text) { Self.replacing($1.used, with: $1.shown, in: $0) }
    }

    /// Where it stands as a number of its own.
    private static func replacing(_ port: String, with other: String, in text: String) -> String {
        text.replacing(#/\d+/#) { $0.output == port ? other : String($0.output) }
    }
}
