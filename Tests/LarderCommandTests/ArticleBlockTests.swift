import JSONSyntax
import TestSupport
import Testing

/// Every block of the README and of the articles does what is said there.
@Suite struct ArticleBlockTests {
    @Test(arguments: Article.all)
    func whatIsTypedAnswersAsIsShown(_ article: Article) async throws {
        let typed = try article.blocks().flatMap(\.typed)
        guard !typed.isEmpty else { return }
        let answers = try await ArticleShell().answers(to: typed)
        for (one, answer) in zip(typed, answers) {
            let place = "\(article.path):\(one.line)"
            if let output = one.output {
                #expect(
                    ShownOutput.agrees(output, with: answer.lines), "\(place): \(answer.lines.joined(separator: "\n"))")
            } else {
                #expect(answer.status == 0, "\(place): \(answer.lines.joined(separator: "\n"))")
            }
        }
        #expect(
            answers.count == typed.count, "the shell ended at line \(typed[min(answers.count, typed.count - 1)].line)")
    }

    /// Code of another language would be tried by nobody; what is no code is `text`.
    @Test(arguments: Article.all)
    func everyBlockIsOfALanguageThatIsTried(_ article: Article) throws {
        for block in try article.blocks() {
            #expect(
                ["sh", "console", "json", "yaml", "text"].contains(block.language), "\(article.path):\(block.line)")
        }
    }

    @Test(arguments: Article.all)
    func whatIsShownOfManifestsAndSettingsIsValid(_ article: Article) async throws {
        for block in try article.blocks() where block.language == "json" {
            let text = Array(block.lines.joined(separator: "\n").utf8)
            let document = try JSONDocument(text, name: "\(article.path):\(block.line)")
            guard document.root["format"]?.string == "larder/1" else { continue }
            let verdict = try await LarderProgram.run(
                ["validate", "-", "--base", "https://a.example/", "--severity", "error"], input: text)
            #expect(verdict.status == .exited(0), "\(article.path):\(block.line): \(verdict)")
        }
    }

    @Test(arguments: Article.all)
    func whatIsShownOfWorkflowsIsYAML(_ article: Article) async throws {
        for block in try article.blocks() where block.language == "yaml" {
            let program = "import sys, ruamel.yaml; ruamel.yaml.YAML(typ='safe').load(sys.stdin)"
            let verdict = try await ChildProcess.run(
                Tool.python("python"), ["-c", program], input: Array(block.lines.joined(separator: "\n").utf8))
            #expect(verdict.status == .exited(0), "\(article.path):\(block.line): \(verdict)")
        }
    }

    /// Links to other files of the checkout.
    @Test(arguments: Article.all)
    func whatIsLinkedToIsThere(_ article: Article) throws {
        let folder =
            article.path.contains("/")
            ? String(article.path[..<(article.path.lastIndex(of: "/") ?? article.path.endIndex)]) : "."
        for (number, line) in try article.lines().enumerated() {
            for link in line.matches(of: #/\]\(([^)#:]+)(#[^)]*)?\)/#) {
                let target = "\(Article.root)/\(folder)/\(link.output.1)"
                #expect(throws: Never.self, "\(article.path):\(number + 1): \(link.output.1)") { try readFile(target) }
            }
        }
    }
}
