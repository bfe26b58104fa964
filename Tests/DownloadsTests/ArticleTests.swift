import FaultServer
import Glibc
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// The code in the documentation's articles: it compiles, it does what the articles say, and they show exactly this.
@Suite struct ArticleTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test func downloads() async throws {
        let (folder, url, target) = (bench.folder["partial"], bench.server.url("/a"), bench.folder["film.mp4"])
        // snippet: download
        let downloader = Downloader(store: try ResumeStore(path: folder))
        let file = try await downloader.download(DownloadRequest(try TransferURL(url)))
        try file.take(to: target)
        // end
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("film.mp4")) == nil)
    }

    @Test func pausesAndResumes() async throws {
        bench.server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader()
        let request = try bench.request()
        let (events, answers) = (EventRecorder<DownloadEvent>(), EventRecorder<String>())
        let note: @Sendable (DownloadEvent) -> Void = events.record
        let show: @Sendable (String) -> Void = answers.record
        // snippet: pause
        let token = downloader.download(request, events: note) { result in
            switch result {
            case .success(let file): show("\(file.sizeBytes) bytes")
            case .failure(let error): show("\(error)")
            }
        }
        // end
        _ = try await events.first("a million bytes") {
            if case .progress(let progress) = $0 { progress.receivedBytes == 1_000_000 } else { false }
        }
        // snippet: cancel
        downloader.cancel(token)
        // end
        // snippet: resume
        let file = try await downloader.download(request) { event in
            if case .resumed(let offsetBytes) = event { show("resumed at \(offsetBytes)") }
        }
        // end
        #expect(contentDifference(bench.content.bytes(), try file.bytes(limitBytes: 3_000_000)) == nil)
        #expect(try await Set(answers.events(atLeast: 2)) == ["cancelled", "resumed at 1000000"])
    }

    @Test func shares() async throws {
        let downloader = try bench.downloader()
        bench.server.serve("/mirror", Resource(bench.content))
        let (url, mirror) = (try TransferURL(bench.server.url("/a")), try TransferURL(bench.server.url("/mirror")))
        let digest = bench.digest
        // snippet: share
        var first = DownloadRequest(url)
        first.digest = digest
        var second = DownloadRequest(mirror)
        second.digest = digest
        async let one = downloader.download(first)
        async let other = downloader.download(second)
        let files = try await [one, other]
        // end
        #expect(files[0] === files[1])
        #expect(bench.wire("/a").count + bench.wire("/mirror").count == 1)
    }

    @Test func reconfigures() async throws {
        bench.server.script(
            "/a", [.altered { $0.stalled(afterBytes: 1_000_000) }, .altered { $0.stalled(afterBytes: 1_000_000) }])
        let downloader = try bench.downloader()
        let proxy = ""
        let (_, caller) = downloader.ask(try bench.request())
        try await caller.waitForBytes(1_000_000)
        // snippet: reconfigure
        var configuration = DownloaderConfiguration()
        configuration.maximumTransfers = 4
        configuration.session.proxy = proxy
        try await downloader.reconfigure(configuration)
        // end
        try await caller.waitForBytes(2_000_000)
        // snippet: reconnect
        await downloader.reconnect(because: .resumedFromSleep)
        // end
        #expect(contentDifference(bench.content.bytes(), try await caller.bytes()) == nil)
        #expect(caller.resumed == [1_000_000, 2_000_000])
    }

    @Test func bounds() async throws {
        let (folder, url) = (bench.folder["partial"], try TransferURL(bench.server.url("/a")))
        // snippet: bounds
        var configuration = DownloaderConfiguration()
        configuration.session.idleTimeout = .seconds(10)
        configuration.session.rateLimitBytesPerSecond = 20_000_000
        configuration.retry.retries = 3
        let downloader = Downloader(configuration: configuration, store: try ResumeStore(path: folder))

        var request = DownloadRequest(url)
        request.redirects = .sameOrigin(limit: 3)
        let page = try await downloader.data(for: request, budgetBytes: 4_000_000)
        // end
        #expect(page.count == 3_000_000)
        // snippet: purge
        try await downloader.purge(keepingBytes: 1_000_000_000)
        await downloader.shutDown()
        // end
    }

    @Test func asksOfAMirrorAndProvesWhatCame() async throws {
        bench.server.serve("/mirror", Resource(bench.content))
        bench.server.serve("/gone", always: .errorPage(404))
        let (home, digest) = (bench.folder.path, "\(bench.digest)")
        let (url, mirror) = (bench.server.url("/gone"), bench.server.url("/mirror"))
        let shown = EventRecorder<Int64?>()
        let show: @Sendable (Int64, Int64?) -> Void = { shown.record($1) }
        // snippet: ask
        let downloader = Downloader(store: try ResumeStore(path: "\(home)/partial"))
        var request = DownloadRequest(try TransferURL(url), mirrors: [try TransferURL(mirror)])
        request.digest = SHA256Digest(hex: digest)
        let file = try await downloader.download(request) { event in
            if case .progress(let progress) = event { show(progress.receivedBytes, progress.totalBytes) }
        }
        try file.take(to: "\(home)/film.mp4")
        // end
        #expect(try contentDifference(bench.content.bytes(), bench.folder.read("film.mp4")) == nil)
        #expect(try await shown.events(atLeast: 1).first == 3_000_000)
    }

    @Test func tellsWhatFailed() async throws {
        let downloader = try bench.downloader()
        let request = try bench.request { $0.digest = SHA256.digest(of: []) }
        let answers = EventRecorder<String>()
        let (later, giveUp) = (answers.record, answers.record)
        let distrust: ([TransferURL]) -> Void = { answers.record("\($0.count) distrusted") }
        // snippet: failure
        do {
            _ = try await downloader.download(request)
        } catch {
            switch error.code {
            case .cancelled, .transportFailure, .timedOut: later("\(error)")
            case .digestMismatch, .sizeMismatch: distrust(request.urls)
            default: giveUp("\(error)")
            }
        }
        // end
        #expect(try await answers.events(atLeast: 1) == ["1 distrusted"])
    }

    @Test func theArticlesShowExactlyThisCode() throws {
        let shown = try ["PausingAndResuming", "UsingTheDownloader"].flatMap(shownCode)
        let compiled = blocks(of: try readFile(#filePath), from: { $0.hasPrefix("// snippet: ") }, to: "// end")
        #expect(shown.count == 11)
        #expect(shown == compiled)
    }

    /// A package that is written as the article says knows the product.
    @Test func aPackageCanDependOnIt() async throws {
        let package = try #require(try swiftBlocks("UsingTheDownloader").first)
        let products = try bench.folder.makeDirectory("kiosk")
        try bench.folder.write(package.joined(separator: "\n").utf8, to: "kiosk/Package.swift")
        try bench.folder.write("".utf8, to: "kiosk/Sources/kiosk/main.swift")
        try check(symlink(Self.checkout, bench.folder["larder"]), "symlink")
        let described = try await ChildProcess.run(
            "swift", ["package", "--package-path", products, "show-dependencies", "--format", "flatlist"])
        #expect(described.status == .exited(0) && described.outputText.contains("larder"), "\(described)")
    }

    private static let checkout = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// Code that does something: neither a package's manifest nor lines that import.
    private func shownCode(_ article: String) throws -> [[String]] {
        try swiftBlocks(article).filter {
            !($0.first ?? "").hasPrefix("// swift-tools-version") && $0.first != "import Downloads"
        }
    }

    private func swiftBlocks(_ article: String) throws -> [[String]] {
        let bytes = try readFile("\(Self.checkout)/Sources/Downloads/Downloads.docc/\(article).md")
        return blocks(of: bytes, from: { $0 == "```swift" }, to: "```")
    }

    /// The blocks of lines between markers, without their indentation.
    private func blocks(of bytes: [UInt8], from isStart: (Substring) -> Bool, to end: String) -> [[String]] {
        var (blocks, indentation, isInside) = ([[String]](), 0, false)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            if isInside, content == end {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(String(line.dropFirst(content.isEmpty ? line.count : indentation)))
            } else if isStart(content) {
                (isInside, indentation) = (true, line.count - content.count)
                blocks.append([])
            }
        }
        return blocks
    }
}
