import FaultServer
import Platform
import TestSupport
import Testing

/// Archives that are unpacked while they arrive, on a disk that has no room for what they turn out to be.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these")) struct ArrivingRootTests {
    /// A server that sends something else must not keep others from bringing what was asked for.
    @Test(arguments: ["zip", "tar.gz"]) func whatIsNotAskedForDoesNotFillTheDisk(format: String) async throws {
        let disk = try await MountedDisk(sizeBytes: 160 << 20)
        let stock = try Stock(library: "\(disk.path)/library")
        let files = (0..<8).map { deterministicBytes(1_500_000, seed: UInt64($0)) }
        let right = format == "zip" ? Stock.zip(of: files) : try await Stock.tar(of: files, isCompressed: true)
        let zeros = [UInt8](repeating: 0, count: 300 << 20)
        let wrong = try await Self.packed([files[0], zeros] + files[1...], format)
        // Slowly enough for all of that to be unpacked, if anybody did so, before it is known what it is.
        stock.server.serve(
            "/wrong",
            Resource(.bytes(wrong)).altered { $1.status == 200 ? $1.paced(bytesPerSecond: 4_000_000) : $1 })
        stock.server.serve("/right", Resource(.bytes(right)))
        stock.serveManifest([
            #"{"id": "z", "kind": "archive", "urls": ["wrong", "right"], "sha256": "\#(SHA256.digest(of: right))"}"#
        ])
        let run = try LarderProgram.start([
            "sync", stock.manifestURL, "--library", stock.library, "--retries", "0", "--min-free", "16M",
        ])
        let end = try await run.waitForExit()
        #expect(end.status == .exited(0), "\(end)")
        try stock.expectPublished(files)
    }

    private static func packed(_ files: [[UInt8]], _ format: String) async throws -> [UInt8] {
        guard format == "zip" else { return try await Stock.tar(of: files, isCompressed: true) }
        let folder = try TemporaryDirectory()
        let names = files.indices.map(String.init)
        for (name, content) in zip(names, files) { try folder.write(content, to: name) }
        _ = try await ChildProcess.run("zip", ["-q", "a.zip"] + names, directory: folder.path)
        return try readFile(folder["a.zip"])
    }
}
