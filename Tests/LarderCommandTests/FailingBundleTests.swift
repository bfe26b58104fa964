import FaultServer
import Platform
import TestSupport
import Testing

/// A bundle that can't be had, beside one that can.
struct FailingBundle: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Serves the bundle `bad`, and gives its text in the manifest.
    let serve: @Sendable (Stock) throws -> String
    /// The URL that stderr must name, from the server's root; nil where there is none.
    let path: String?
    /// What the line must say.
    let says: String

    init(_ name: String, path: String?, says: String, serve: @escaping @Sendable (Stock) throws -> String) {
        (testDescription, self.path, self.says, self.serve) = (name, path, says, serve)
    }

    private static let content = Content.pattern(lengthBytes: 300_000, seed: 7)
    private static let zip = storedZip(["a.txt": Array("one".utf8), "b.txt": Array("two".utf8)])

    static let all: [FailingBundle] = [
        FailingBundle("wrong digest", path: "/bad.bin", says: "SHA-256") { stock in
            let text = stock.file("bad", content)
            stock.server.serve("/bad.bin", Resource(.pattern(lengthBytes: 300_000, seed: 8)))
            return text
        },
        FailingBundle("wrong size", path: "/bad.bin", says: "299999 bytes") { stock in
            let text = stock.file("bad", content)
            stock.server.serve("/bad.bin", Resource(.pattern(lengthBytes: 299_999, seed: 7)))
            return text
        },
        FailingBundle("404", path: "/bad.bin", says: "status 404") { stock in
            let text = stock.file("bad", content)
            stock.server.serve("/bad.bin", always: .errorPage(404))
            return text
        },
        FailingBundle("503 for good", path: "/bad.bin", says: "status 503") { stock in
            let text = stock.file("bad", content)
            stock.server.serve("/bad.bin", always: .errorPage(503))
            return text
        },
        FailingBundle("refused connection", path: nil, says: "http://127.0.0.1:1/bad.bin") { _ in
            #"{"id": "bad", "kind": "ebook", "urls": ["http://127.0.0.1:1/bad.bin"]}"#
        },
        FailingBundle("closes early for good", path: "/bad.bin", says: "connection") { stock in
            stock.file("bad", content) { $0.altered { $1.cut(afterBytes: 1000) } }
        },
        FailingBundle("ends without a length", path: "/bad.bin", says: "without saying how long") { stock in
            stock.file("bad", content, hasDigest: false) { $0.altered { $1.untilClose() } }
        },
        FailingBundle("redirect loop", path: "/bad.bin", says: "redirect") { stock in
            let text = stock.file("bad", content)
            stock.server.serve("/bad.bin", always: .redirect(to: "/bad.bin"))
            return text
        },
        FailingBundle("redirect to a file", path: "/bad.bin", says: "'file'") { stock in
            let text = stock.file("bad", content)
            stock.server.serve("/bad.bin", always: .redirect(to: "file:///etc/passwd"))
            return text
        },
        FailingBundle("not HTTP", path: "/bad.bin", says: "no valid HTTP") { stock in
            let text = stock.file("bad", content)
            stock.server.serve("/bad.bin", always: .garbage("SSH-2.0-OpenSSH\r\n"))
            return text
        },
        FailingBundle("cut zip", path: "/bad.zip", says: "end") { stock in
            stock.archive("bad", Array(zip.dropLast(30)))
        },
        FailingBundle("entry ../x", path: "/bad.zip", says: "../x") { stock in
            stock.archive("bad", storedZip(["good.txt": [1], "../x": [2]]))
        },
        FailingBundle("wrong check sum", path: "/bad.zip", says: "a.txt") { stock in
            var bytes = zip
            bytes[35] ^= 1
            return stock.archive("bad", bytes)
        },
        FailingBundle("login page instead of an archive", path: "/bad.zip", says: "HTML page") { stock in
            let text = stock.archive("bad", zip, hasDigest: false)
            stock.server.serve("/bad.zip", always: .errorPage(200))
            return text
        },
        FailingBundle("login page instead of a book", path: "/bad.epub", says: "HTML page") { stock in
            stock.server.serve("/bad.epub", always: .errorPage(200))
            return #"{"id": "bad", "kind": "ebook", "urls": ["bad.epub"]}"#
        },
        FailingBundle("login page instead of one of several files", path: "/bad.bin", says: "HTML page") { stock in
            let text = stock.file("bad", content, hasDigest: false)
            stock.server.serve("/bad.bin", always: .errorPage(200))
            return text
        },
        FailingBundle("no playlist", path: "/bad.m3u8", says: "#EXTM3U") { stock in
            stock.server.serve("/bad.m3u8", Resource(.text("not a playlist\n")))
            return #"{"id": "bad", "kind": "hls", "urls": ["bad.m3u8"]}"#
        },
        FailingBundle("a segment that isn't there", path: "/0.mp3", says: "404") { stock in
            stock.server.serve("/0.mp3", always: .errorPage(404))
            return #"{"id": "bad", "kind": "segments", "segments": [{"path": "0.mp3", "urls": ["0.mp3"]}]}"#
        },
    ]
}

@Suite struct FailingBundleTests {
    @Test(arguments: FailingBundle.all)
    func oneLineNamesItAndTheOthersArePublished(_ failing: FailingBundle) async throws {
        let stock = try Stock()
        let good = Content.pattern(lengthBytes: 100_000, seed: 1)
        stock.serveManifest([try failing.serve(stock), stock.file("good", good)])

        let result = try await stock.sync()

        #expect(result.status == .exited(2), "\(result)")
        expectOneLine(result, failing, stock)
        #expect(result.outputLines.count == 1 && result.outputText.contains("1 published, 0 unchanged, 1 failed"))
        #expect(try stock.published() == ["good"])
        #expect(try stock.difference("good", good) == nil)
        #expect(try directoryEntries(FilePathBytes("\(stock.library)/.larder/staging")) == [])
    }

    @Test(arguments: FailingBundle.all)
    func aloneNothingIsPublished(_ failing: FailingBundle) async throws {
        let stock = try Stock()
        stock.serveManifest([try failing.serve(stock)])

        let result = try await stock.sync()

        #expect(result.status == .exited(1), "\(result)")
        expectOneLine(result, failing, stock)
        #expect(try stock.published() == [])
    }

    private func expectOneLine(_ result: ChildProcess.Result, _ failing: FailingBundle, _ stock: Stock) {
        #expect(result.problems.count == 1, "\(result)")
        let line = result.problems.first ?? ""
        #expect(line.hasPrefix("error: m/bad: "), "\(line)")
        #expect(line.contains(failing.says), "\(line)")
        if let path = failing.path { #expect(line.contains(stock.server.url(path)), "\(line)") }
    }

    @Test func theOldVersionStaysWhereTheNewOneCantBeHad() async throws {
        let stock = try Stock()
        let (old, new) = (Content.pattern(lengthBytes: 9000, seed: 1), Content.pattern(lengthBytes: 9000, seed: 2))
        stock.serveManifest([stock.file("a", old), stock.file("b", old)])
        #expect(try await stock.sync().status == .exited(0))

        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 9000, seed: 3)), stock.file("b", new)], serial: 2)
        stock.server.serve("/a.bin", always: .errorPage(404))
        let result = try await stock.sync()

        #expect(result.status == .exited(2), "\(result)")
        #expect(try stock.difference("a", old) == nil)
        #expect(try stock.difference("b", new) == nil)
    }

    @Test func aMirrorSavesTheDay() async throws {
        let stock = try Stock()
        let other = try FaultServer()
        let content = Content.pattern(lengthBytes: 200_000, seed: 3)
        let text = stock.file("a", content)
        stock.server.serve("/a.bin", always: .errorPage(500))
        other.serve("/mirror/a.bin", Resource(content))
        stock.serveManifest([text], more: #""mirrors": ["\#(stock.server.origin)/", "\#(other.url("/mirror/"))"],"#)

        let result = try await stock.sync("--retries", "1")

        #expect(result.status == .exited(0), "\(result)")
        #expect(result.problems == [])
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func ofSeveralSourcesTheOneThatFailedLastIsNamed() async throws {
        let stock = try Stock()
        stock.serveManifest([
            #"{"id": "a", "kind": "ebook", "urls": ["gone.epub", "http://127.0.0.1:1/refused.epub"]}"#
        ])

        let result = try await stock.sync()

        #expect(result.status == .exited(1))
        #expect(result.errorText.contains("http://127.0.0.1:1/refused.epub"), "\(result)")
    }

    @Test func allOrNothingPublishesNothingAndKeepsWhatItGot() async throws {
        let stock = try Stock()
        let good = Content.pattern(lengthBytes: 100_000, seed: 1)
        stock.serveManifest([stock.file("good", good), stock.file("bad", good, hasDigest: false)])
        stock.server.script("/bad.bin", [.reply(.errorPage(404))])

        let first = try await stock.sync("--all-or-nothing")
        #expect(first.status == .exited(1), "\(first)")
        #expect(first.problems.count == 1)
        #expect(try stock.published() == [])

        let second = try await stock.sync("--all-or-nothing")
        #expect(second.status == .exited(0), "\(second)")
        #expect(try stock.published() == ["bad", "good"])
        #expect(stock.server.bodyBytesSent("/good.bin") == 100_000)
    }

    @Test func aBundleThatIsNotRequiredMayFail() async throws {
        let stock = try Stock()
        let good = Content.pattern(lengthBytes: 1000, seed: 1)
        stock.serveManifest([
            stock.file("good", good), #"{"id": "extra", "kind": "ebook", "urls": ["gone.epub"], "required": false}"#,
        ])

        let result = try await stock.sync()

        #expect(result.status == .exited(0), "\(result)")
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.hasPrefix("warning: m/extra: ") == true, "\(result)")
        #expect(try stock.published() == ["good"])
    }

    /// What `validate` calls an error of one bundle fails that bundle, and keeps nobody from the others. Its place is told where much is.
    @Test func aDigestThatNoFileHasFailsItsBundleOnly() async throws {
        let stock = try Stock()
        let good = Content.pattern(lengthBytes: 1000, seed: 1)
        stock.server.serve("/bad.bin", Resource(good))
        let digest = String(repeating: "0", count: 64)
        stock.serveManifest([
            stock.file("good", good), #"{"id": "bad", "kind": "ebook", "urls": ["bad.bin"], "sha256": "\#(digest)"}"#,
        ])

        let result = try await stock.sync("--verbose")

        #expect(result.status == .exited(2), "\(result)")
        #expect(result.errorText.contains("error[D004]") && result.errorText.contains("m/bad: "), "\(result)")
        #expect(try stock.published() == ["good"])
    }

    @Test func whatComesAfterAFailedBundleIsNotStarted() async throws {
        let stock = try Stock()
        let content = Content.pattern(lengthBytes: 1000, seed: 1)
        stock.serveManifest([
            stock.file("last", content, more: #""after": ["middle"],"#),
            stock.file("middle", content, more: #""after": ["first"],"#),
            #"{"id": "first", "kind": "ebook", "urls": ["gone.epub"]}"#,
        ])

        let result = try await stock.sync()

        #expect(result.status == .exited(1), "\(result)")
        #expect(result.problems.count == 3)
        #expect(result.errorText.contains("m/middle: it comes after 'first', which failed"), "\(result)")
        #expect(result.errorText.contains("m/last: it comes after 'middle', which failed"), "\(result)")
        #expect(stock.server.exchanges("/middle.bin").isEmpty && stock.server.exchanges("/last.bin").isEmpty)
    }

    @Test func whatComesAfterAnotherBundleStartsWhenThatIsComplete() async throws {
        let stock = try Stock()
        let gate = try Gate()
        let content = Content.pattern(lengthBytes: 1000, seed: 1)
        stock.serveManifest([
            stock.file("second", Content.pattern(lengthBytes: 1000, seed: 2), more: #""after": ["first"],"#),
            stock.file("first", content) { $0.altered { $1.headHeld(until: gate) } },
            stock.file("other", Content.pattern(lengthBytes: 1000, seed: 3)),
        ])

        let run = try stock.startSync()
        try await stock.server.waitForRequest("/first.bin")
        try await stock.server.waitForEnd("/other.bin")
        #expect(stock.server.exchanges("/second.bin").isEmpty)
        gate.open()

        #expect(try await run.waitForExit().status == .exited(0))
        #expect(try stock.published() == ["first", "other", "second"])
    }
}
