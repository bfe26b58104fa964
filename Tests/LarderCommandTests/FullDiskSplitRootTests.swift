import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A disk that fills up while one file comes over several connections.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"))
struct FullDiskSplitRootTests {
    private let content = Content.pattern(lengthBytes: 24_000_000, seed: 12)

    @Test func whatWasWrittenIsKeptAndGoneOnWith() async throws {
        let server = try FaultServer()
        server.serve("/film.bin", Resource(content).altered { $1.paced(bytesPerSecond: 1_000_000) })
        let disk = try await MountedDisk(sizeBytes: 32 << 20)
        let arguments = [
            "fetch", server.url("/film.bin"), "-o", "\(disk.path)/film.bin", "--sha256",
            "\(SHA256.digest(of: content.bytes()))", "--quiet",
        ]
        let program = try LarderProgram.start(arguments)
        try await server.wait(for: "a part of it over several connections") { log in
            log.reduce(0) { $0 + $1.bodyBytesSent } >= 8_000_000 && log.count >= 3 ? () : nil
        }
        try fill(disk, leaving: 2 << 20)
        let full = try await program.waitForExit()
        #expect(full.status == .exited(73), "\(full)")
        #expect(full.errorText.contains("No space left on device"), "\(full)")
        #expect(server.simultaneousRequests("/film.bin") >= 3, "it was to be split")

        try Directory.open(disk.path).remove(RelativePath("filler"))
        let sent = server.bodyBytesSent("/film.bin")
        let result = try await LarderProgram.run(arguments)
        #expect(result.status == .exited(0), "\(result)")
        #expect(contentDifference(content.bytes(), try readFile("\(disk.path)/film.bin")) == nil)
        #expect(server.bodyBytesSent("/film.bin") - sent < content.lengthBytes - 5_000_000, "not all of it again")
    }

    /// Somebody else takes all but a little.
    private func fill(_ disk: MountedDisk, leaving bytes: Int64) throws {
        let filler = try Directory.open(disk.path).open(RelativePath("filler"), flags: O_WRONLY | O_CREAT, mode: 0o600)
        let chunk = [UInt8](repeating: 7, count: 1 << 20)
        while try filler.freeBytes() > bytes { try filler.write(chunk) }
    }
}
