import Platform
import Testing

@Suite("Patterns of paths mean what they mean in .gitignore")
struct PathPatternTests {
    /// A pattern, paths it matches, paths it doesn't. A path with a slash at its end is a directory.
    static let table: [(String, matches: [String], misses: [String])] = [
        ("a", ["a", "a/", "x/a", "a/x", "x/a/y"], ["b", "ab", "x/ab"]),
        ("*.png", ["a.png", ".png", "x/y/a.png", "dir.png/x"], ["a.pngx", "a.PNG", "png"]),
        ("/a", ["a", "a/x"], ["x/a"]),
        ("a/", ["a/", "a/x", "x/a/", "x/a/y"], ["a", "x/a"]),
        ("/a/", ["a/", "a/x"], ["a", "x/a/", "x/a/y"]),
        ("a/b", ["a/b", "a/b/c"], ["x/a/b", "a/x/b", "a", "a/"]),
        ("a/b/", ["a/b/", "a/b/c"], ["a/b", "x/a/b/"]),
        ("a/*", ["a/x", "a/x/y"], ["a", "a/", "x/a/x"]),
        ("a/*/c", ["a/b/c", "a/b/c/d"], ["a/c", "a/b/b/c"]),
        ("**", ["a", "a/b", "a/"], []),
        ("**/a", ["a", "x/a", "x/y/a/z"], ["xa", "x/ya"]),
        ("**/a/b", ["a/b", "x/y/a/b"], ["a/x/b"]),
        ("a/**", ["a/x", "a/x/y", "a/x/"], ["a", "a/", "x/a/y"]),
        ("a/**/", ["a/x/", "a/x/y"], ["a/x", "a/"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b", "x/a/b", "a/xb"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/b/y/c"], ["a/c/b"]),
        ("a**b", ["ab", "axb", "x/axb"], ["a/b"]),
        ("?", ["a", "x/a"], ["ab", "", "xx/ab"]),
        ("a?c", ["abc", "a?c"], ["a/c", "ac"]),
        ("[abc]", ["a", "c"], ["d", "ab"]),
        ("[a-cx-z]1", ["a1", "z1"], ["d1", "-1"]),
        ("[!a-c]", ["d", "-"], ["a", "dd"]),
        ("[^a]", ["b"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[!]]", ["a"], ["]"]),
        ("[a-]", ["a", "-"], ["b"]),
        (#"[\]-]"#, ["]", "-"], [#"\"#]),
        (#"\*"#, ["*"], ["a", #"\*"#]),
        (#"\[a\]"#, ["[a]"], ["a"]),
        (#"\!a"#, ["!a"], ["a"]),
        ("a b", ["a b"], ["a"]),
        ("größe*", ["größe", "größer"], ["grosse"]),
        ("a*a*a*b", ["aaab", "axaxab"], ["aab", "aaaa"]),
    ]

    @Test(arguments: table)
    func matches(pattern: String, matches: [String], misses: [String]) throws {
        let pattern = try PathPattern(pattern)
        for path in matches { #expect(pattern.matches(path), "\(path)") }
        for path in misses { #expect(!pattern.matches(path), "\(path)") }
    }

    @Test("`?` and `[!…]` stand for one byte, of whatever encoding")
    func bytes() throws {
        #expect(try PathPattern("a?").matches([[UInt8(ascii: "a"), 0xff][...]], isDirectory: false))
        #expect(try PathPattern("[!a]").matches([[0xff][...]], isDirectory: false))
        #expect(try !PathPattern("?").matches("ä"))
        #expect(try PathPattern("??").matches("ä"))
    }

    @Test(
        "What is no pattern is refused with its reason",
        arguments: [
            ("", PathPatternProblem.empty), (String(repeating: "a", count: 4096), .tooLong), ("!a", .leadingNegation),
            ("/", .badComponent), ("//a", .badComponent), ("a//b", .badComponent), ("./a", .badComponent),
            ("a/../b", .badComponent), ("..", .badComponent), (#"a\"#, .trailingBackslash), (#"a\/b"#, .escapedSlash),
            ("[", .unclosedList), ("a[b", .unclosedList), ("[]", .unclosedList), ("[!]", .unclosedList),
            ("[a-", .unclosedList), ("[c-a]", .backwardRange), ("[a/b]", .badListMember), ("[ä]", .badListMember),
            ("[[:alpha:]]", .namedClass),
        ])
    func refused(text: String, problem: PathPatternProblem) {
        #expect(throws: problem) { try PathPattern(text) }
    }

    @Test("Many stars cost no more than their number times the path's length", .timeLimit(.minutes(1)))
    func hostile() throws {
        let path = String(repeating: "a/", count: 2000) + "a"
        #expect(try !PathPattern(String(repeating: "**/a/", count: 500) + "b").matches(path))
        #expect(try !PathPattern(String(repeating: "a*", count: 120) + "b").matches(String(repeating: "a", count: 255)))
    }
}

extension PathPattern {
    fileprivate func matches(_ path: String) -> Bool {
        matches(Array(path.utf8).split(separator: UInt8(ascii: "/")), isDirectory: path.hasSuffix("/"))
    }
}
