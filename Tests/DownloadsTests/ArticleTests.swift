import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// The code in the documentation's article: it compiles, it does what the article says, and the article shows exactly this.
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

    @Test func theArticleShowsExactlyThisCode() throws {
        let sources = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let article = try readFile("\(sources)/Sources/Downloads/Downloads.docc/PausingAndResuming.md")
        let shown = blocks(of: article, from: { $0 == "```swift" }, to: "```")
        let compiled = blocks(of: try readFile(#filePath), from: { $0.hasPrefix("// snippet: ") }, to: "// end")
        #expect(shown.count == 9)
        #expect(shown == compiled)
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
