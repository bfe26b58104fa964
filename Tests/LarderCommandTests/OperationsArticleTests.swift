import TestSupport
import Testing

/// The article about operating a library: each of its sentences names the tests that show it, or is marked as advice.
@Suite struct OperationsArticleTests {
    @Test func everySentenceIsTestedOrMarkedAsAdvice() throws {
        let article = try readFile("\(Article.root)/Sources/LarderCommand/LarderCommand.docc/Operations.md")
        let tests = try Self.tests(beneath: "\(Article.root)/Tests")
        var statements = 0
        for line in Self.statements(in: article) {
            statements += 1
            guard let comment = Self.comment(behind: line) else {
                Issue.record("no test stands behind: \(line)")
                continue
            }
            for name in comment where name != "advice" {
                #expect(tests.contains(name), "there is no test \(name)")
            }
        }
        #expect(statements > 50)
    }

    /// What stands behind a promise anywhere.
    @Test func everyTestThatIsNamedIsThere() throws {
        let tests = try Self.tests(beneath: "\(Article.root)/Tests")
        let known = tests.union(tests.map { String($0.prefix { $0 != "." }) })
        #expect(Article.all.count > 10)
        for article in Article.all {
            for name in try article.lines().flatMap({ $0.matches(of: #/`(\w+Tests(\.\w+)?)`/#) }).map(\.output.1) {
                #expect(known.contains(String(name)), "\(article.path): there is no test \(name)")
            }
        }
    }

    /// Lines that say something, below the introduction: no headings, no heads of tables.
    private static func statements(in article: [UInt8]) -> [Substring] {
        let lines = String(decoding: article, as: UTF8.self).split(separator: "\n")
        return lines.drop { !$0.hasPrefix("## ") }
            .filter { !$0.hasPrefix("#") && !$0.hasPrefix("| code |") && !$0.hasPrefix("| --- |") }
    }

    /// The names in the comment at a line's end.
    private static func comment(behind line: Substring) -> [String]? {
        guard line.hasSuffix(" -->"), let start = line.split(separator: "<!-- ").last, line.contains(" <!-- ") else {
            return nil
        }
        return start.dropLast(" -->".count).split(separator: ", ").map(String.init)
    }

    /// All tests as `Suite.function`.
    private static func tests(beneath folder: String) throws -> Set<String> {
        var found: Set<String> = []
        for target in try directoryEntries(FilePathBytes(folder)) where "\(target)".hasSuffix("Tests") {
            for file in try directoryEntries(FilePathBytes("\(folder)/\(target)"))
            where "\(file)".hasSuffix("Tests.swift") {
                found.formUnion(tests(in: try readFile("\(folder)/\(target)/\(file)")))
            }
        }
        return found
    }

    private static func tests(in source: [UInt8]) -> Set<String> {
        var found: Set<String> = []
        var suite: Substring?
        for line in String(decoding: source, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if !line.hasPrefix(" "), let keyword = words.firstIndex(where: { $0 == "struct" || $0 == "class" }) {
                suite = words.dropFirst(keyword + 1).first?.prefix { $0.isLetter || $0.isNumber }
            }
            if let suite, let keyword = words.firstIndex(of: "func"), let name = words.dropFirst(keyword + 1).first {
                found.insert("\(suite).\(name.prefix { $0.isLetter || $0.isNumber })")
            }
        }
        return found
    }
}
