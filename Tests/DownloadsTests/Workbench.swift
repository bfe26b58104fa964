import FaultServer
import Platform
import TestSupport
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

    func request(_ path: String = "/a") throws -> DownloadRequest {
        DownloadRequest(try TransferURL(server.url(path)))
    }

    /// Names of what lies in the store.
    func storedNames() throws -> [String] {
        try Directory.open(folder["partial"]).names().map(\.description).sorted()
    }
}
