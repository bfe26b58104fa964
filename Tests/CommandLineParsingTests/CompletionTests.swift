import CommandLineParsing
import Testing

@Suite struct CompletionTests {
    private func answer(_ words: String..., environment: [String: String] = [:]) -> [String] {
        answer(words, environment).candidates.map(\.word)
    }

    private func answer(_ words: [String], _ environment: [String: String] = [:]) -> CompletionAnswer {
        CompletionRequest(Sample.table, environment: environment).answer(to: words)
    }

    @Test func commandsAreOfferedWordByWord() {
        #expect(answer("") == ["sync", "fetch", "manifest", "watch", "--spell", "help"])
        #expect(answer("s") == ["sync"])
        #expect(answer("--") == ["--spell", "--help", "--version"])
        #expect(answer("manifest", "") == ["create", "sign"])
        #expect(answer("manifest", "s") == ["sign"])
        #expect(answer("help", "manifest", "c") == ["create"])
        #expect(answer("nonsense", "") == [])
        #expect(answer(["m"]).candidates.map(\.help) == ["make and sign manifests"])
    }

    @Test func optionsAreOfferedUntilTheyAreThere() {
        #expect(answer("sync", "--d") == ["--dry-run", "--deadline"])
        #expect(answer("sync", "-n", "--d") == ["--deadline"])
        #expect(answer("sync", "-qn", "--dead") == ["--deadline"])
        #expect(answer("sync", "--deadline=1s", "--d") == ["--dry-run"])
        // What may be repeated stays.
        #expect(answer("sync", "--only", "x", "--on") == ["--only"])
        #expect(answer("watch", "-") == ["--library", "-l", "--only", "--quiet", "-q", "--color", "--help"])
        #expect(answer("watch", "-q", "") == ["--library", "--only", "--color", "--help"])
    }

    @Test func valuesAreCompletedInEveryForm() {
        #expect(answer("sync", "--color", "a") == ["auto", "always"])
        #expect(answer("sync", "--color=a") == ["--color=auto", "--color=always"])
        #expect(answer("sync", "--jobs", "") == [])
        #expect(answer("sync", "--nonsense=") == [])
        #expect(answer(["sync", "--library", ""]).kind == .folders)
        #expect(answer(["sync", "-l", ""]).kind == .folders)
        #expect(answer(["sync", "-ql", ""]).kind == .folders)
        #expect(answer(["fetch", "--output=x"]).kind == .files)
        #expect(answer(["sync", ""]).kind == .files)
        #expect(answer(["sync", "a", "b"]).kind == .files)
    }

    @Test func behindTwoDashesNothingIsAnOption() {
        #expect(answer(["sync", "--", "--d"]).kind == .files)
        #expect(answer("fetch", "--", "u", "n", "") == [])
    }

    @Test func namesAreLookedForWhereTheLineSays() {
        #expect(answer("sync", "-l", "a", "--only", "") == ["a.film", "guide"])
        #expect(answer("sync", "--library=b", "--only", "b") == ["b.film"])
        #expect(answer("sync", "-lc", "--only", "c") == ["c.film"])
        #expect(answer("sync", "--only", "n", environment: [:]) == ["none.film"])
        #expect(answer("sync", "--only", "e", environment: ["SAMPLE_LIBRARY": "e"]) == ["e.film"])
    }

    /// `--library=` has its value, an empty one; the next word is something else.
    @Test func anEmptyValueIsAValue() {
        #expect(answer(["sync", "--library=", ""]).kind == .files)
        #expect(answer(["sync", "--library", ""]).kind == .folders)
        #expect(answer("sync", "--library=", "--d") == ["--dry-run", "--deadline"])
    }

    @Test func ofAListTheLastIsCompleted() {
        #expect(answer("sync", "--only", "x,gu") == ["x,guide"])
        #expect(answer("sync", "--only=x,gu") == ["--only=x,guide"])
    }

    @Test func whatNobodyNeedsToKnowIsNotOffered() {
        #expect(!answer("--").contains("--secret"))
        #expect(answer() == [])
    }

    @Test func anAnswerIsReadLineByLine() {
        #expect(answer(["sync", "--lim"]).text == "words\n--limit-rate\tbytes a second for the run as a whole\n")
        #expect(answer(["sync", ""]).text == "files\n")
    }
}
