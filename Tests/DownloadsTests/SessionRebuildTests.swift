import Glibc
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// Many sessions, one after the other, under the same transfers; with a real server and a real proxy.
@Suite struct SessionRebuildTests {
    /// In a process of its own, where every thread and every descriptor counts.
    @Test func fiftyRebuildsUnderTwentyTransfersLoseNothingAndLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            closeInheritedSockets()
            do {
                try await RebuildRun(seed: Seed.current).carryOut()
            } catch {
                // Thrown, it would end the process without a word.
                Issue.record(error)
                exit(EXIT_FAILURE)
            }
        }
    }
}

/// Lets the process that runs the other tests be the only one that holds its connections: libcurl's are not closed in a new process by
/// themselves, and their servers would wait for an end that never comes.
private func closeInheritedSockets() {
    for (descriptor, target) in openDescriptors() where target.hasPrefix("socket:") { close(descriptor) }
}

private func openDescriptors() -> [Int32: String] {
    let names = (try? Directory.open("/proc/self/fd").names().map(\.description)) ?? []
    return Dictionary(
        uniqueKeysWithValues: names.compactMap { name in
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/self/fd/\(name)", &target, target.count)
            guard let descriptor = Int32(name), count > 0 else { return nil }
            return (descriptor, String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
        })
}

/// Twenty transfers, and fifty reconfigurations at random moments.
private struct RebuildRun {
    private static let transferCount = 20
    private static let rebuildCount = 50
    /// What a server may have on its way to a client that leaves: in its own, the proxy's and the kernel's buffers. Loopback fills them
    /// all; 0.9 MiB was usual.
    private static let inFlightBytes: Int64 = 2 << 20

    private let seed: UInt64
    private let folder: TemporaryDirectory
    private let contents: [[UInt8]]
    private let nginx: NginxServer
    private let proxy: TinyproxyServer
    private let rebuilds = EventRecorder<DownloaderEvent>()
    private let seen = Watched(Seen())

    /// What the callers heard.
    private struct Seen {
        var receivedBytes: [Int: Int64] = [:]
        var startCount = 0
        var retries: [String] = []
        /// In what each of the complete files differs from what it should be; empty for none.
        var differences: [Int: String] = [:]

        var totalBytes: Int64 { receivedBytes.values.reduce(0, +) }
    }

    init(seed: UInt64) async throws {
        self.seed = seed
        folder = try TemporaryDirectory()
        contents = (0..<Self.transferCount).map {
            deterministicBytes(4_000_000 + 150_000 * $0 + 1, seed: seed &+ UInt64($0))
        }
        for (number, content) in contents.enumerated() { try folder.write(content, to: "root/\(number)") }
        nginx = try await NginxServer(root: folder["root"], isSecure: true, listenParameters: "http2 sndbuf=64k")
        proxy = try await TinyproxyServer()
    }

    private var totalBytes: Int64 { contents.reduce(0) { $0 + Int64($1.count) } }

    func carryOut() async throws {
        var downloader: Downloader? = Downloader(
            configuration: configuration("first"), store: try ResumeStore(path: folder["partial"]),
            events: rebuilds.record)
        if let downloader {
            // The first session of a process makes what all share.
            _ = try await downloader.data(for: request(0), budgetBytes: 8 << 20)
            try await downloader.reconfigure(configuration("idle"))
            // A thread gives itself its name.
            try await Self.settle("the session before") {
                Self.resources().threads.count { $0 == "larder-session" } == 1
            }
            let idle = Self.resources()
            try await download(with: downloader)
            try await downloader.reconfigure(configuration("idle again"))
            try await Self.settle("what fifty sessions had beyond \(idle)") { Self.resources().isWithin(idle) }
            await downloader.shutDown()
        }
        downloader = nil
        try await Self.settle("what the downloader had") { Self.resources().threads.isEmpty }
        try await checkServer()
    }

    private func download(with downloader: Downloader) async throws {
        let before = downloader.statistics
        for number in contents.indices { try ask(downloader, number) }
        try await rebuild(downloader)
        let seen = try await seen.wait(for: "all files") { $0.differences.count == contents.count ? $0 : nil }
        try require(seen.differences.values.allSatisfy(\.isEmpty), "other bytes: \(seen.differences)")
        try require(seen.retries.isEmpty, "retries were counted: \(seen.retries)")
        try require(seen.startCount == contents.count, "the callers heard of \(seen.startCount) starts")
        let statistics = downloader.statistics
        let fetchedBytes = statistics.fetchedBytes - before.fetchedBytes
        // A file that was whole when its session went has its last byte confirmed by the server: one more for each that met such a moment.
        let twice = fetchedBytes - totalBytes
        try require(twice >= 0 && twice <= Self.rebuildCount, "\(fetchedBytes) bytes were taken for \(totalBytes)")
        try require(statistics.resumedBytes == 0, "\(statistics.resumedBytes) bytes count as saved by somebody")
        try require(rebuilds.events.count >= Self.rebuildCount, "only \(rebuilds.events.count) sessions")
    }

    private func ask(_ downloader: Downloader, _ number: Int) throws {
        let (seen, content) = (seen, contents[number])
        downloader.download(try request(number)) { event in
            seen.update { seen in
                switch event {
                case .progress(let progress): seen.receivedBytes[number] = progress.receivedBytes
                case .started: seen.startCount += 1
                case .retrying(let error, _): seen.retries.append("\(error)")
                case .coalesced, .resumed: break
                }
            }
        } completion: { result in
            let difference = Result { contentDifference(content, try result.get().bytes(limitBytes: 16 << 20)) }
            seen.update { seen in
                switch difference {
                case .success(let difference): seen.differences[number] = difference.map { "\($0)" } ?? ""
                case .failure(let error): seen.differences[number] = "\(error)"
                }
            }
        }
    }

    private func request(_ number: Int) throws -> DownloadRequest {
        DownloadRequest(try TransferURL(nginx.url("/\(number)")))
    }

    // MARK: Reconfigurations

    private func configuration(_ name: String) -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.maximumTransfers = Self.transferCount
        configuration.maximumTransfersPerHost = Self.transferCount
        configuration.session.userAgent = name
        configuration.session.caBundlePath = nginx.certificate?.certificatePath
        configuration.session.proxy = ""
        configuration.session.rateLimitBytesPerSecond = 20_000_000
        return configuration
    }

    private func configuration(_ name: String, _ generator: inout SplitMix64) -> DownloaderConfiguration {
        var configuration = configuration(name)
        configuration.maximumTransfers = Int.random(in: 10...20, using: &generator)
        configuration.maximumTransfersPerHost = Int.random(in: 10...20, using: &generator)
        configuration.session.httpVersion =
            SessionConfiguration.HTTPVersion.allCases.randomElement(using: &generator) ?? .automatic
        if Bool.random(using: &generator) { configuration.session.proxy = proxy.url }
        configuration.session.rateLimitBytesPerSecond = Int64.random(in: 10_000_000...40_000_000, using: &generator)
        return configuration
    }

    private func rebuild(_ downloader: Downloader) async throws {
        var generator = SplitMix64(seed: seed)
        let moments = (0..<Self.rebuildCount).map { _ in Int64.random(in: 0...(totalBytes / 10 * 9), using: &generator)
        }
        for (number, moment) in moments.sorted().enumerated() {
            try await seen.wait(for: "\(moment) bytes") { $0.totalBytes >= moment ? () : nil }
            let next = configuration("rebuild \(number)", &generator)
            guard Bool.random(using: &generator) else {
                try await downloader.reconfigure(next)
                continue
            }
            // Overtaken at once by the next.
            let overtaken = configuration("overtaken \(number)", &generator)
            async let first: Void = downloader.reconfigure(overtaken)
            try await downloader.reconfigure(next)
            try await first
        }
    }

    // MARK: What is left

    /// Bytes that left the server and never came to count: no more than what can be on its way, for each transfer that was interrupted.
    private func checkServer() async throws {
        let proxied = proxy.requestCount
        proxy.stop()
        let accesses = try await nginx.finish()
        let sentBytes = accesses.reduce(0) { $0 + Int64($1.bodyBytesSent) }
        let twiceBytes = sentBytes - totalBytes - Int64(contents[0].count)
        let interruptions = Int64(accesses.count - contents.count - 1)
        try require(proxied > 0, "nothing went through the proxy")
        try require(interruptions >= Self.rebuildCount, "only \(interruptions) transfers were interrupted")
        try require(twiceBytes <= interruptions * Self.inFlightBytes, "\(twiceBytes) bytes were sent twice")
    }

    private struct Resources {
        /// The names of what sessions and downloaders have for themselves. What the whole process shares comes when it is first needed.
        let threads: [String]
        /// What the open descriptors stand for.
        let descriptors: [String]

        /// A moment's resources may have some of the moment before among them.
        func isWithin(_ other: Resources) -> Bool {
            threads.count <= other.threads.count && descriptors.count <= other.descriptors.count
        }
    }

    private static func resources() -> Resources {
        let names = entries("/proc/self/task").compactMap { try? readFile("/proc/self/task/\($0)/comm") }
        let threads = names.map { String(decoding: $0.dropLast(), as: UTF8.self) }.filter {
            ["larder-session", "larder-writer", "larder-open"].contains($0)
        }
        return Resources(threads: threads.sorted(), descriptors: openDescriptors().values.sorted())
    }

    private static func entries(_ path: String) -> [String] {
        (try? Directory.open(path).names().map(\.description)) ?? []
    }

    /// Detached threads can't be joined: looks again and again, on a thread of its own.
    private static func settle(_ what: String, _ isSettled: @escaping @Sendable () -> Bool) async throws {
        try await onOwnThread {
            let deadline = ContinuousClock.now + .seconds(30)
            while !isSettled() {
                guard ContinuousClock.now < deadline else {
                    throw Violation(description: "\(what) is not gone: \(resources())")
                }
                sched_yield()
            }
        }
    }

    private func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw Violation(description: "LARDER_SEED=\(seed): \(what())") }
    }

    private struct Violation: Error, CustomStringConvertible {
        let description: String
    }
}
