import FaultServer
import Platform
import TestSupport
import Testing

/// Archives from a server that closes the connection without ever having said how long they are.
@Suite struct UnprovenArchiveTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    /// Serves `bytes` that way, without a digest in the manifest.
    private func serve(_ bytes: [UInt8]) {
        stock.serveManifest([stock.archive("z", bytes, hasDigest: false)])
        stock.server.serve("/z.zip", always: Reply.status(200).body(.bytes(bytes)).untilClose())
    }

    private func tar(_ names: String...) async throws -> [UInt8] {
        let folder = try TemporaryDirectory()
        for name in names { try folder.write(deterministicBytes(1000, seed: 1), to: name) }
        return try await ChildProcess.run("tar", ["--create", "--directory", folder.path] + names).output
    }

    @Test func aTarThatWasCutBetweenMembersIsNotPublished() async throws {
        let whole = try await tar("a", "b")
        // A header and two blocks of content: the first member, and nothing that says it is the last.
        serve(Array(whole[..<(3 * 512)]))
        let run = try await stock.sync()
        #expect(run.status == .exited(1), "\(run)")
        #expect(run.problems.count == 1 && run.problems[0].contains("cut"), "\(run)")
        #expect(try stock.published() == [])
    }

    @Test func aGzipFileMightHaveHadAnotherMember() async throws {
        serve(try await ChildProcess.run("gzip", ["--stdout", "/proc/version"]).output)
        #expect(try await stock.sync().status == .exited(1))
        #expect(try stock.published() == [])
    }

    @Test func aTarWithItsEndMarkProvesItself() async throws {
        serve(try await tar("a", "b"))
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.published("m/z") == ["a", "b"])
    }

    @Test func aZipProvesItself() async throws {
        serve(storedZip(["a.txt": Array("one".utf8)]))
        let run = try await stock.sync()
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.published("m/z") == ["a.txt"])
    }
}
