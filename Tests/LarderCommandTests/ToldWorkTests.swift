import FaultServer
import Glibc
import TestSupport
import Testing

/// What the line at the end of a run says, and the line of its history.
@Suite struct ToldWorkTests {
    private let stock: Stock
    private let content = Content.pattern(lengthBytes: 5000, seed: 1)

    init() throws { stock = try Stock() }

    @Test func aHigherSerialIsSomethingThatWasDone() async throws {
        stock.serveManifest([stock.file("a", content)], serial: 1)
        #expect(try await stock.sync().outputText.hasPrefix("1 published, 0 unchanged, 0 failed; "))
        #expect(try await stock.sync().outputText.hasPrefix("nothing to do: 0 published, 1 unchanged, 0 failed; "))
        stock.serveManifest([stock.file("a", content)], serial: 2)
        let result = try await stock.sync()
        #expect(
            result.outputText.hasPrefix("0 published, 1 unchanged, 0 failed, generation 2 published; "), "\(result)")
    }

    @Test func whatIsFetchedAnewIsSomethingThatWasDone() async throws {
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stock.sync().status == .exited(0))
        let receipt = try #require(
            try directoryEntries(FilePathBytes("\(stock.library)/store/m/a")).map(\.description).first {
                $0.hasSuffix(".receipt")
            })
        try check(unlink("\(stock.library)/store/m/a/\(receipt)"), "unlink")
        let result = try await stock.sync()
        #expect(result.outputText.hasPrefix("0 published, 1 unchanged, 0 failed, 1 fetched anew; "), "\(result)")
    }

    /// Without a digest and a validator nobody knows before whether something changed.
    @Test func whatHadToBeFetchedToBeComparedIsTold() async throws {
        stock.serveManifest([
            stock.file("a", content, hasDigest: false) { resource in
                Resource(resource.content, etag: nil, lastModified: nil)
            }
        ])
        #expect(try await stock.sync().status == .exited(0))
        let result = try await stock.sync("--json")
        #expect(try result.finished.bundles("unchanged") == 1 && result.finished.bundles("renewed") == 1, "\(result)")
        #expect(result.problems.last?.hasPrefix("0 published, 1 unchanged, 0 failed, 1 fetched anew; ") == true)
    }

    @Test func whatIsCopiedFromThisMachineIsTold() async throws {
        try stock.directory.write(content.bytes(), to: "here/a.bin")
        let manifest = try stock.directory.write(
            Stock.manifest([stock.file("a", content)]).utf8, to: "here/m.json")
        let result = try await stock.sync("--json", manifests: [manifest])
        #expect(result.problems.last?.contains("; fetched 0 B, copied 5.0 kB, resumed 0 B; ") == true, "\(result)")
        #expect(try result.finished["bytesCopied"] == 5000 && result.finished["bytesWritten"] == 5000)
        let copied = try #require(result.events.first { $0.name == "file.copied" })
        #expect(copied["bytes"] == 5000 && copied.value["url"]?.string == "file://\(stock.directory["here/a.bin"])")
    }

    @Test func whoSteersALibraryHasNoCounts() async throws {
        stock.serveManifest([stock.file("a", content)], serial: 1)
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([stock.file("b", content)], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        for command in [["rollback"], ["pin"], ["unpin"], ["forget", "m"]] {
            #expect(try await LarderProgram.run(command + ["--library", stock.library]).status == .exited(0))
        }
        let history = try await LarderProgram.run(["history", "--library", stock.library])
        let lines = history.outputLines
        try #require(lines.count == 6, "\(history)")
        for (line, command) in zip(lines, ["forget", "unpin", "pin", "rollback"]) {
            #expect(
                line.wholeMatch(of: /[-0-9TZ:]+ [a-z]+: [0-9.]+ s, exit 0/) != nil && line.contains(" \(command): "))
        }
        #expect(lines.last?.contains(" sync: 1 published, 0 unchanged, 0 failed; fetched ") == true, "\(history)")
    }

    @Test func ofARepairWhatWasMendedIsTold() async throws {
        let library = try RestingLibrary()
        library.stock.serveManifest([library.files()])
        #expect(try await library.stock.sync().status == .exited(0))
        try library.flip("\(library.store())/one.txt")
        #expect(try await library.verify("--repair").status == .exited(0))
        let history = try await LarderProgram.run(["history", "--library", library.stock.library])
        #expect(
            history.outputLines.first?.contains(" verify: 1 mended, 0 failed; fetched 5.0 kB") == true, "\(history)")
    }

    /// By RFC 3986 a relative URL replaces what stands behind the last slash.
    @Test(arguments: [("content", true), ("content/", false), ("content/m.json", false)])
    func aBaseWithoutItsSlashIsTold(_ base: String, isTold: Bool) async throws {
        let manifest = Stock.manifest(
            [stock.file("content/a", content)].map {
                $0.replacing(#""id": "content/a""#, with: #""id": "a""#).replacing("content/a.bin", with: "a.bin")
            })
        let result = try await LarderProgram.run(
            [
                "sync", "-", "--base", stock.server.url("/\(base)"), "--retries", "0", "--min-free", "0", "--library",
                stock.library,
            ],
            input: Array(manifest.utf8))
        #expect(result.status == .exited(isTold ? 1 : 0), "\(result)")
        let told = result.problems.filter { $0.hasPrefix("warning: --base ") }
        #expect(told.count == (isTold ? 1 : 0), "\(result)")
        #expect(told.allSatisfy { $0.contains("looked up beside 'content', not beneath it") }, "\(told)")
    }
}
