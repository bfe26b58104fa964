import FaultServer
import Glibc
import TestSupport
import Testing

/// Manifests that can't be read, aren't valid, or may not be followed.
@Suite struct ManifestReadingTests {
    /// A manifest that is refused before any bundle of it is looked at.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let exit: Int32
        /// What the line on stderr must say besides the manifest's place.
        let says: String
        /// Makes the manifest, and gives what the command line calls it.
        let make: @Sendable (Stock) throws -> String

        init(_ name: String, _ exit: Int32, says: String, make: @escaping @Sendable (Stock) throws -> String) {
            (testDescription, self.exit, self.says, self.make) = (name, exit, says, make)
        }

        static let all: [Refusal] = [
            Refusal("missing", 66, says: "No such file") { $0.directory["missing.json"] },
            Refusal("a directory", 66, says: "directory") { $0.directory.path },
            Refusal("404", 66, says: "status 404") { $0.server.url("/gone.json") },
            Refusal("refused connection", 66, says: "onnect") { _ in "http://127.0.0.1:1/m.json" },
            Refusal("redirect loop", 66, says: "redirect") { stock in
                stock.server.serve("/loop.json", always: .redirect(to: "/loop.json"))
                return stock.server.url("/loop.json")
            },
            Refusal("syntax", 65, says: ":2:1: error[") { try $0.directory.write("{\n]".utf8, to: "m.json") },
            Refusal("empty", 65, says: ":1:1: error[") { try $0.directory.write([], to: "m.json") },
            Refusal("unknown key", 65, says: "bundels") { stock in
                let text = Stock.manifest(
                    [#"{"id": "a", "kind": "ebook", "urls": ["a.epub"]}"#], more: "\n\"bundels\": [],")
                return try stock.directory.write(text.utf8, to: "m.json")
            },
            Refusal("login page instead of a manifest", 66, says: "captive portal") { stock in
                stock.server.serve("/portal.json", always: .errorPage(200))
                return stock.server.url("/portal.json")
            },
            Refusal("unknown requirement", 77, says: "teleport") { stock in
                try stock.writeManifest(more: #""requires": ["teleport"],"#)
            },
            Refusal("expired", 77, says: "--allow-expired") { stock in
                try stock.writeManifest(more: #""expires": "2020-01-01T00:00:00Z","#)
            },
        ]
    }

    @Test(arguments: Refusal.all)
    func isRefusedInPlaceAndTheOthersAreCarriedThrough(_ refusal: Refusal) async throws {
        let stock = try Stock()
        let good = Content.pattern(lengthBytes: 1000, seed: 1)
        stock.serveManifest([stock.file("good", good)])
        let bad = try refusal.make(stock)

        let result = try await stock.sync(manifests: [bad, stock.manifestURL])

        #expect(result.status == .exited(refusal.exit), "\(result)")
        let line = try #require(result.problems.first)
        #expect(line.contains(bad) && line.contains(refusal.says) && line.contains("error"), "\(result)")
        // What is wrong in its text comes with the line of the text below.
        if !line.contains("error[") { #expect(result.problems.count == 1, "\(result)") }
        #expect(try stock.published() == ["good"])
    }

    @Test(arguments: Refusal.all)
    func aloneItPublishesNothing(_ refusal: Refusal) async throws {
        let stock = try Stock()
        let result = try await stock.sync(manifests: [refusal.make(stock)])
        #expect(result.status == .exited(refusal.exit), "\(result)")
        #expect(try stock.published("") == [])
    }

    @Test func whoMayNotReadItIsTold() async throws {
        let stock = try Stock()
        let path = try stock.writeManifest()
        #expect(chmod(path, 0) == 0 && chmod(stock.directory.path, 0o777) == 0)

        let result = try await Unprivileged.run(stock.arguments(manifests: [path]))

        #expect(result.status == .exited(66), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("Permission denied"), "\(result)")
        #expect(result.errorText.contains(path), "\(result)")
    }

    @Test func anExpiredManifestIsTakenIfThatIsMeant() async throws {
        let stock = try Stock()
        let path = try stock.writeManifest(more: #""expires": "2020-01-01T00:00:00Z","#)
        let result = try await stock.sync("--allow-expired", manifests: [path])
        #expect(result.status == .exited(0), "\(result)")
    }

    @Test(arguments: [false, true])
    func aLowerSerialIsRefusedUnlessItIsMeant(indexIsLost: Bool) async throws {
        let stock = try Stock()
        let (old, new) = (Content.pattern(lengthBytes: 1000, seed: 1), Content.pattern(lengthBytes: 1000, seed: 2))
        stock.serveManifest([stock.file("a", new)], serial: 8)
        #expect(try await stock.sync().status == .exited(0))
        if indexIsLost { #expect(unlink("\(stock.library)/.larder/state.db") == 0) }

        stock.serveManifest([stock.file("a", old)], serial: 7)
        let refused = try await stock.sync()
        #expect(refused.status == .exited(77), "\(refused)")
        #expect(refused.problems.count == 1 && refused.errorText.contains("--allow-rollback"), "\(refused)")
        #expect(try stock.difference("a", new) == nil)

        let rehearsed = try await stock.sync("--dry-run")
        #expect(rehearsed.status == .exited(77), "\(rehearsed)")

        let allowed = try await stock.sync("--allow-rollback")
        #expect(allowed.status == .exited(0), "\(allowed)")
        #expect(try stock.difference("a", old) == nil)
    }

    @Test func theSameSerialWithOtherBytesIsAWarning() async throws {
        let stock = try Stock()
        let new = Content.pattern(lengthBytes: 1000, seed: 2)
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 1000, seed: 1))], serial: 3)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await stock.sync().problems == [], "the same bytes")

        stock.serveManifest([stock.file("a", new)], serial: 3)
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("the same serial 3"), "\(result)")
        #expect(try stock.difference("a", new) == nil)
    }

    @Test func twoManifestsOfOneIDAreRefused() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1))])
        let result = try await stock.sync(manifests: [stock.manifestURL, stock.manifestURL])
        #expect(result.status == .exited(65), "\(result)")
        #expect(try stock.published() == ["a"])
    }

    @Test func standardInputHasNoBaseButTheOneGiven() async throws {
        let stock = try Stock()
        let content = Content.pattern(lengthBytes: 1000, seed: 1)
        let input = Array(Stock.manifest([stock.file("a", content)]).utf8)

        let without = try await LarderProgram.run(stock.arguments(manifests: ["-"]), input: input)
        #expect(without.status == .exited(1), "\(without)")
        #expect(without.problems.count == 1 && without.errorText.contains("--base"), "\(without)")

        let with = try await LarderProgram.run(
            stock.arguments(["--base", stock.server.url("/")], manifests: ["-"]), input: input)
        #expect(with.status == .exited(0), "\(with)")
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func relativeURLsAreRelativeToTheManifestOnDisk() async throws {
        let stock = try Stock()
        try stock.directory.write([1, 2, 3], to: "content/odd name %41#.bin")
        let path = try stock.directory.write(
            Stock.manifest([
                #"{"id": "a", "kind": "ebook", "urls": ["content/odd%20name%20%2541%23.bin"], "filename": "data"}"#
            ]).utf8, to: "m.json")
        let result = try await stock.sync(manifests: [path])
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.content("a/data") == [1, 2, 3])
    }

    @Test func onlyLocalManifestsMayNameLocalFiles() async throws {
        let stock = try Stock()
        let file = try stock.directory.write([1, 2, 3], to: "local.bin")
        let bundle = #"{"id": "a", "kind": "ebook", "urls": ["file://\#(file)"]}"#
        stock.serveManifest([bundle])

        let remote = try await stock.sync()
        #expect(remote.status == .exited(65), "\(remote)")
        #expect(try stock.published() == [])

        let local = try await stock.sync(
            manifests: [stock.directory.write(Stock.manifest([bundle]).utf8, to: "m.json")])
        #expect(local.status == .exited(0), "\(local)")
        #expect(try stock.content("a/local.bin") == [1, 2, 3])
        // A copy: what happens to the original doesn't reach the library.
        try stock.directory.write([9], to: "local.bin")
        #expect(try stock.content("a/local.bin") == [1, 2, 3])
    }

    @Test func sourcesAreAskedInTheirOrderBeTheyLocalOrNot() async throws {
        let stock = try Stock()
        stock.server.serve("/remote.bin", Resource(.bytes([7])))
        let local = try stock.directory.write([1, 2, 3], to: "local.bin")
        let urls = [stock.server.url("/remote.bin"), "file://\(local)", stock.server.url("/gone.bin")]
        func book(_ id: String, _ order: [Int]) -> String {
            let list = order.map { "\"\(urls[$0])\"" }.joined(separator: ", ")
            return #"{"id": "\#(id)", "kind": "ebook", "filename": "data", "urls": [\#(list)]}"#
        }
        let manifest = Stock.manifest([
            book("server-first", [0, 1]), book("file-first", [1, 0]), book("gone-first", [2, 1]),
        ])

        let result = try await stock.sync(manifests: [stock.directory.write(manifest.utf8, to: "m.json")])

        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.content("server-first/data") == [7])
        #expect(try stock.content("file-first/data") == [1, 2, 3])
        #expect(try stock.content("gone-first/data") == [1, 2, 3])
    }

    @Test func manyLocalFilesNeedFewDescriptors() async throws {
        let stock = try Stock()
        let bundles = try (0..<12).map { bundle in
            let files = try (0..<80).map { file in
                try stock.directory.write([UInt8(bundle), UInt8(file)], to: "content/\(bundle)-\(file)")
                return #"{"path": "\#(file)", "urls": ["content/\#(bundle)-\#(file)"]}"#
            }
            return #"{"id": "b\#(bundle)", "kind": "files", "files": [\#(files.joined(separator: ", "))]}"#
        }
        let path = try stock.directory.write(Stock.manifest(bundles).utf8, to: "m.json")
        // Both limits, so that the program can't raise it.
        let result = try await ChildProcess.run(
            "sh",
            ["-c", "ulimit -n 256 && exec \"$0\" \"$@\"", try LarderProgram.path] + stock.arguments(manifests: [path]))
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.content("b11/79") == [11, 79])
    }

    @Test(arguments: ["fifo", "directory", "missing"])
    func whatIsNoRegularFileIsRefused(_ kind: String) async throws {
        let stock = try Stock()
        let path = stock.directory["source"]
        switch kind {
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        case "directory": try stock.directory.makeDirectory("source")
        default: break
        }
        let manifest = Stock.manifest([#"{"id": "a", "kind": "ebook", "urls": ["file://\#(path)"]}"#])
        let result = try await stock.sync(manifests: [stock.directory.write(manifest.utf8, to: "m.json")])
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.contains("m/a: file://\(path): "), "\(result)")
    }

    @Test func whatIsOddInAManifestIsNoNoiseForCron() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 10, seed: 1), hasDigest: false)])
        #expect(try await stock.sync().problems == [])
        let verbose = try await stock.sync("--verbose")
        #expect(verbose.problems.first?.hasPrefix("\(stock.manifestURL):") == true, "\(verbose)")
        #expect(verbose.errorText.contains("warning["), "\(verbose)")
    }
}

extension Stock {
    /// Writes a manifest with one bundle that can be had, beside the library.
    func writeManifest(more: String = "") throws -> String {
        try directory.write([1], to: "local.bin")
        let bundle = #"{"id": "local", "kind": "ebook", "urls": ["local.bin"]}"#
        return try directory.write(Self.manifest([bundle], id: "local", more: more).utf8, to: "local.json")
    }
}

/// Runs the program as somebody who has no more rights than anybody.
enum Unprivileged {
    static func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        guard geteuid() == 0 else { return try await LarderProgram.run(arguments) }
        // The build directory may be closed to others: the program is opened before the rights go.
        return try await ChildProcess.run(
            "setpriv",
            ["--reuid=65534", "--regid=65534", "--clear-groups", "--", try LarderProgram.path] + arguments)
    }
}
