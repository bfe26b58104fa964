import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Downloads

/// A server that sends the whole as it is, and for a range something else under the same validator.
@Suite struct FalseRangeTests {
    private let bench: Workbench
    private let other = Content.pattern(lengthBytes: Workbench.splitBytes, seed: 8)

    init() throws {
        bench = try Workbench(lengthBytes: Workbench.splitBytes)
        for (path, content) in [("/a", bench.content), ("/b", other)] {
            bench.serveSlowly(path) { request, reply in
                request["Range"] == nil
                    ? reply : reply.body(.pattern(lengthBytes: reply.body.lengthBytes, seed: 99))
            } _: {
                $0.content = content
            }
        }
    }

    private func request(_ path: String, _ content: Content, readsEndFirst: Bool) throws -> DownloadRequest {
        try bench.request(path) { request in
            request.digest = SHA256.digest(of: content.bytes())
            guard readsEndFirst else { return }
            request.arriving = ArrivingBytes(announcedBytes: 0, readsEndFirst: { _ in true }, didBegin: { _ in })
        }
    }

    private func downloader(isEndAlone: Bool) throws -> Downloader {
        try bench.splitDownloader { if isEndAlone { $0.split.minimumRemaining = .seconds(1000) } }
    }

    /// Be it split, or but for its end in one piece.
    @Test(arguments: [false, true]) func isAskedForTheWholeBeforeItIsGivenUp(isEndAlone: Bool) async throws {
        let downloader = try downloader(isEndAlone: isEndAlone)
        let caller = try await downloader.answer(to: request("/a", bench.content, readsEndFirst: isEndAlone))
        try await bench.expectContent(caller)
        #expect(!bench.ranges().isEmpty, "it was to be asked for a range")
        #expect(caller.retries.map(\.code) == [.digestMismatch])
        #expect(bench.server.exchanges("/a").count { $0.request["Range"] == nil } == 2)

        // What it did once it does again.
        let next = try await downloader.answer(to: request("/b", other, readsEndFirst: isEndAlone))
        #expect(try await contentDifference(other.bytes(), next.bytes()) == nil)
        #expect(bench.ranges("/b").isEmpty)
        #expect(next.retries.isEmpty)
    }

    /// A tag has shown that its end is of the version that the rest is of: the same again would be no better. Only where nobody else has anything is it
    /// asked for the whole after all.
    @Test(arguments: [false, true]) func isAskedForTheWholeAfterOthersAlone(isMirrorDead: Bool) async throws {
        if isMirrorDead {
            bench.server.serve("/c", always: .errorPage(404))
        } else {
            bench.server.serve("/c", Resource(bench.content, etag: "\"c\""))
        }
        let caller = try await downloader(isEndAlone: true).answer(
            to: bench.request(mirrors: ["/c"]) {
                $0.digest = bench.digest
                $0.arriving = ArrivingBytes(announcedBytes: 0, readsEndFirst: { _ in true }, didBegin: { _ in })
            })
        try await bench.expectContent(caller)
        #expect(bench.server.exchanges("/a").count { $0.request["Range"] == nil } == (isMirrorDead ? 2 : 1))
        #expect(bench.server.exchanges("/c").first != nil)
    }

    /// A date may stand for two versions.
    @Test func withoutATagItIsAskedForTheWholeAtOnce() async throws {
        bench.serveSlowly("/d") {
            $1
        } _: {
            $0.content = other
            $0.etag = nil
        }
        bench.server.serve("/c", Resource(bench.content, etag: "\"c\""))
        let caller = try await downloader(isEndAlone: true).answer(
            to: bench.request("/d", mirrors: ["/c"]) {
                $0.digest = bench.digest
                $0.arriving = ArrivingBytes(announcedBytes: 0, readsEndFirst: { _ in true }, didBegin: { _ in })
            })
        try await bench.expectContent(caller)
        #expect(bench.server.exchanges("/d").count { $0.request["Range"] == nil } == 2)
    }

    /// Where the whole is wrong as well, it isn't the ranges that are to blame, and nobody goes round in circles.
    @Test func isGivenUpWhereTheWholeIsWrongAsWell() async throws {
        let caller = try await downloader(isEndAlone: true).answer(
            to: bench.request {
                $0.digest = SHA256.digest(of: [1])
                $0.arriving = ArrivingBytes(announcedBytes: 0, readsEndFirst: { _ in true }, didBegin: { _ in })
            })
        #expect(try await caller.answer().code == .digestMismatch)
        #expect(bench.server.exchanges("/a").count { $0.request["Range"] == nil } == 2)
    }
}
