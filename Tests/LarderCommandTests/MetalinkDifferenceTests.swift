import Diagnostics
import FaultServer
import JSONSyntax
import Platform
import TestSupport
import Testing

/// The real aria2 and `larder manifest import` read one Metalink 4 alike: names, sizes and digests.
@Suite struct MetalinkDifferenceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ files: String) throws {
        try directory.write(
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>".utf8, to: "set.meta4")
    }

    private func importing(_ more: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(
            ["manifest", "import", "set.meta4", "-o", "set.json"] + more, directory: directory.path)
    }

    private func aria2(_ more: String...) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            "aria2c", ["--no-conf", "--dir=\(directory["aria2"])", "--metalink-file=\(directory["set.meta4"])"] + more)
    }

    /// What a name is followed by, of every file: its size, 0 where nobody says it.
    private func listedByAria2() async throws -> [String] {
        let shown = try await aria2("--show-files")
        try #require(shown.status == .exited(0), "\(shown)")
        // `  1|d/a` and beneath it `   |1.0KiB (1,024)`.
        return shown.outputText.matches(of: /(?m)^ *\d+\|(.*)\n +\|.*\(([\d,]+)\)$/)
            .map { "\($0.output.1) \($0.output.2.replacing(",", with: ""))" }
    }

    private func listedByLarder() async throws -> [String] {
        let made = try await importing()
        try #require(made.status == .exited(0), "\(made)")
        let document = try JSONDocument(SourceText(name: "set.json", bytes: try directory.read("set.json")))
        let bundle = try #require(document.root["bundles"]?.elements.first { _ in true })
        return (bundle["files"] ?? bundle).elements.map { "\($0["path"]?.string ?? "") \($0["size"]?.integer ?? 0)" }
    }

    /// Written by a hand that likes all that XML has: prefixes, elements of others, character references, sections, remarks. What aria2 itself
    /// reads wrong is left out: `&amp;` in a name, and elements of others that are called as Metalink's are.
    @Test func namesAndSizesAreTheSame() async throws {
        let files = """
            <?xml version="1.0" encoding="UTF-8"?><!-- <file name="none"/> -->
            <m:metalink xmlns:m="urn:ietf:params:xml:ns:metalink" xmlns:x="urn:other"><m:generator>by hand</m:generator>
            <m:file name="d/&#233; b.bin"><x:note>99</x:note><m:size>
              1234567 </m:size><m:url priority="2">http://127.0.0.1:1/x</m:url>
              <m:url><![CDATA[http://127.0.0.1:1/y?a=1&b=2]]></m:url></m:file>
            <m:file name='~/x'><m:size>1<!-- 0 -->2</m:size><m:url>http://127.0.0.1:1/z</m:url></m:file>
            <m:file name="a.b/c.d/e"><m:url>http://127.0.0.1:1/z</m:url><m:size>0</m:size></m:file>
            <m:file name="last" x:name="not this"><m:url location="de">http://127.0.0.1:1/z</m:url></m:file></m:metalink>
            """
        try directory.write(files.utf8, to: "set.meta4")
        let listed = try await listedByLarder()
        #expect(listed == ["d/é b.bin 1234567", "~/x 12", "a.b/c.d/e 0", "last 0"])
        #expect(try await listedByAria2() == listed)
    }

    /// What one refuses of names and sizes, the other does.
    @Test(arguments: [
        (name: "../c", size: "1"), ("/etc/x", "1"), ("a/../b", "1"), ("", "1"), ("./a", "1"), ("a/", "1"),
        ("a/./b", "1"), ("..", "1"), ("a&#10;b", "1"), ("a", "x"), ("a", "-1"), ("a", "99999999999999999999"),
    ])
    func whatIsRefusedIsTheSame(name: String, size: String) async throws {
        try write(#"<file name="\#(name)"><size>\#(size)</size><url>http://127.0.0.1:1/z</url></file>"#)
        let (theirs, ours) = (try await aria2("--show-files"), try await importing())
        #expect(theirs.status != .exited(0), "\(theirs)")
        #expect(ours.status == .exited(65), "\(ours)")
    }

    private static let content = Array("what is there".utf8)

    private struct Case: Sendable {
        /// The algorithms whose digests are right, and those whose are not.
        var right: [String] = []
        var wrong: [String] = []
        var size = 13
    }

    private static let cases = [
        Case(right: ["sha-256"]), Case(wrong: ["sha-256"]), Case(right: ["sha-1"]), Case(wrong: ["sha-1"]),
        Case(right: ["md5"]), Case(wrong: ["md5"]), Case(right: ["sha-1", "sha-256", "md5"]),
        Case(right: ["md5"], wrong: ["sha-256"]), Case(right: ["md5"], wrong: ["sha-1"]), Case(), Case(size: 12),
        Case(right: ["sha-256"], size: 12),
    ]

    /// Whether the file that a server has is the one that the list means.
    @Test(arguments: cases) private func whatIsTakenIsTheSame(_ one: Case) async throws {
        let server = try FaultServer()
        server.serve("/a", Resource(.bytes(Self.content)))
        let file = try directory.write(Self.content, to: "content")
        var hashes = ""
        for name in one.right + one.wrong {
            let program = name.replacing("-", with: "") + "sum"
            let summed = try await ChildProcess.run(Tool.path(program), [file])
            let hex = summed.outputText.prefix { $0 != " " }
            let changed = (hex.first == "0" ? "1" : "0") + hex.dropFirst()
            hashes += #"<hash type="\#(name)">\#(one.wrong.contains(name) ? changed : hex.uppercased())</hash>"#
        }
        try write(#"<file name="a"><size>\#(one.size)</size>\#(hashes)<url>\#(server.url("/a"))</url></file>"#)
        let theirs = try await aria2("--quiet", "--check-integrity=true", "--max-tries=1")
        let isTaken = one.wrong.isEmpty && one.size == 13
        #expect((theirs.status == .exited(0)) == isTaken, "\(theirs)")
        var ours = try await importing("--hash")
        if ours.status == .exited(0) {
            ours = try await LarderProgram.run([
                "sync", directory["set.json"], "--library", directory["library"], "--min-free", "0", "--retries", "0",
            ])
        }
        #expect((ours.status == .exited(0)) == isTaken, "\(ours)")
        guard isTaken else { return }
        let differences = try treeDifferences(directory["aria2"], directory["library/current/set/set"])
        #expect(differences == [], "\(differences)")
    }
}
