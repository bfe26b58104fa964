import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// A fault server, a store of partial files and a downloader between them.
struct Workbench {
    let server: FaultServer
    let folder: TemporaryDirectory
    let content: Content

    /// - Parameter lengthBytes: of the content that `/a` is served with.
    init(lengthBytes: UInt64 = 3_000_000) throws {
        server = try FaultServer()
        folder = try TemporaryDirectory()
        content = .pattern(lengthBytes: lengthBytes, seed: 7)
        server.serve("/a", Resource(content))
    }

    /// A downloader as a new process would make it: it shares the store, nothing else.
    func downloader(_ change: (inout DownloaderConfiguration) -> Void = { _ in }) throws -> Downloader {
        var configuration = DownloaderConfiguration()
        configuration.retry.baseDelay = .milliseconds(1)
        change(&configuration)
        return Downloader(configuration: configuration, store: try ResumeStore(path: folder["partial"]))
    }

    func request(
        _ path: String = "/a", mirrors: [String] = [], _ change: (inout DownloadRequest) -> Void = { _ in }
    ) throws -> DownloadRequest {
        let url = { (path: String) in try TransferURL(path.hasPrefix("/") ? server.url(path) : path) }
        var request = DownloadRequest(try url(path), mirrors: try mirrors.map(url))
        change(&request)
        return request
    }

    var digest: SHA256Digest { SHA256.digest(of: content.bytes()) }

    /// Leaves a paused download behind, as an earlier process would have.
    func pause(_ request: DownloadRequest? = nil, atBytes offset: UInt64 = 1_000_000) async throws {
        let request = try request ?? self.request()
        server.script(request.urls[0].path, [.altered { $0.stalled(afterBytes: offset) }])
        let downloader = try downloader()
        let (_, caller) = downloader.ask(request)
        try await caller.waitForBytes(Int64(offset))
        await downloader.shutDown()
    }

    /// Looks again and again until nothing lies in the store: nobody tells when a file is removed.
    func waitForAnEmptyStore() async throws {
        for _ in 0..<2_000 {
            if try storedNames().isEmpty { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("the store still holds \(try storedNames())")
    }

    /// Names of what lies in the store.
    func storedNames() throws -> [String] {
        try Directory.open(folder["partial"]).names().map(\.description).sorted()
    }

    /// The bytes of the only partial file in the store, and its record.
    func stored() throws -> (bytes: [UInt8], record: ResumeData?) {
        let names = try storedNames()
        let part = names.first { $0.hasSuffix(".part") } ?? ""
        let record = try? folder.read("partial/\(part).resume")
        return (try folder.read("partial/\(part)"), record.flatMap(ResumeData.init(decoding:)))
    }

    /// Status and `Range` of every request for a path.
    func wire(_ path: String = "/a") -> [String] {
        server.exchanges(path).map { exchange in
            "\(exchange.status ?? 0)" + (exchange.request["Range"].map { " \($0)" } ?? "")
        }
    }
}

/// What one caller hears.
final class RecordingCaller: Sendable {
    struct Answer: Sendable {
        let file: DownloadedFile?
        let code: DownloadError.Code?
        let message: String
    }

    let events = EventRecorder<DownloadEvent>()
    let answers = EventRecorder<Answer>()

    func answer() async throws -> Answer { try await answers.first("an answer") { _ in true } }

    /// Waits for the complete file's bytes.
    func bytes() async throws -> [UInt8] {
        let answer = try await answer()
        guard let file = answer.file else { throw DownloadError(answer.code ?? .cancelled, answer.message) }
        return try file.bytes(limitBytes: 64 << 20)
    }

    func waitForBytes(_ count: Int64) async throws {
        _ = try await events.first("\(count) bytes on the disk") { event in
            if case .progress(let progress) = event { return progress.receivedBytes >= count }
            return false
        }
    }

    var progress: [DownloadProgress] {
        events.events.compactMap { if case .progress(let value) = $0 { value } else { nil } }
    }
    var resumed: [Int64] { events.events.compactMap { if case .resumed(let offset) = $0 { offset } else { nil } } }
    var retries: [(code: DownloadError.Code, delay: Duration, message: String)] {
        events.events.compactMap {
            if case .retrying(let error, let delay) = $0 { (error.code, delay, error.message) } else { nil }
        }
    }
    var isCoalesced: Bool { events.events.contains { if case .coalesced = $0 { true } else { false } } }
}

extension Downloader {
    /// Asks, and records all that is heard.
    func ask(_ request: DownloadRequest) -> (token: DownloadToken, caller: RecordingCaller) {
        let caller = RecordingCaller()
        let token = download(request, events: caller.events.record) { result in
            switch result {
            case .success(let file): caller.answers.record(.init(file: file, code: nil, message: ""))
            case .failure(let error): caller.answers.record(.init(file: nil, code: error.code, message: error.message))
            }
        }
        return (token, caller)
    }

    /// Asks and waits for the answer.
    func answer(to request: DownloadRequest) async throws -> RecordingCaller {
        let (_, caller) = ask(request)
        _ = try await caller.answer()
        return caller
    }
}
