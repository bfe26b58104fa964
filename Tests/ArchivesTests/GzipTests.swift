import Archives
import Platform
import TestSupport
import Testing

@Suite("Gzip, zlib and bare deflate")
struct GzipTests {
    private let content = deterministicBytes(3_000, seed: 1) + Array(repeating: 7, count: 200_000)

    @Test("gzip's output is read back, whatever its options", arguments: ["-1", "-6", "-9", "-n", "-N"])
    func options(option: String) async throws {
        let unpacking = try await Unpacking(gzip(content, option), name: "data.gz")
        #expect(try unpacking.file("data") == content)
        #expect(unpacking.warnings.isEmpty)
    }

    @Test("All members are read, and padding behind them is nothing")
    func members() async throws {
        let archive = try await gzip(content) + gzip([1, 2, 3], "-n") + gzip([], "-n") + [0, 0, 0]
        let unpacking = try Unpacking(archive)
        #expect(try unpacking.file("data") == content + [1, 2, 3])
        #expect(unpacking.warnings.isEmpty)
    }

    @Test("What stands behind the last member is reported")
    func trailingGarbage() async throws {
        let unpacking = try await Unpacking(gzip(content) + Array("rubbish".utf8))
        #expect(try unpacking.file("data") == content)
        #expect(unpacking.warnings == ["7 bytes stand behind the compressed data"])
    }

    @Test("The file is called what the caller says, else what gzip says, else after the archive")
    func naming() async throws {
        var policy = ExtractionPolicy()
        policy.singleFileName = "mine"
        #expect(try await Unpacking(gzip(content), policy: policy).file("mine") == content)
        #expect(try await Unpacking(gzip(content), name: "/some/where/film.mp4.gz").file("data") == content)
        #expect(try await Unpacking(gzip(content, "-n"), name: "/some/where/film.mp4.gz").file("film.mp4") == content)
    }

    @Test(
        "A path within gzip's name is never used as given",
        arguments: [
            ("../../evil", "evil"), ("/etc/passwd", "passwd"), ("a\\b\\c", "c"), ("..", "own"), ("", "own"),
        ])
    func unsafeName(within: String, expected: String) async throws {
        var archive = try await gzip(content, "-n")
        archive[3] = 8
        archive.insert(contentsOf: Array(within.utf8) + [0], at: 10)
        let unpacking = try Unpacking(archive, name: "own.gz")
        #expect(try unpacking.file(RelativePath(expected)) == content)
        #expect(try unpacking.scratch.outsideIsUntouched())
    }

    @Test("The time of the header is the file's")
    func time() async throws {
        var archive = try await gzip(content, "-n")
        archive.replaceSubrange(4..<8, with: [1, 0xf1, 0x53, 0x65])  // 1,700,000,001
        #expect(try Unpacking(archive, name: "x.gz").scratch.tree()["x"]?.status.modified.seconds == 1_700_000_001)
    }

    @Test("A file cut anywhere is refused")
    func cutAnywhere() async throws {
        let archive = try await gzip(deterministicBytes(200, seed: 1), "-n")
        for length in 0..<archive.count {
            #expect(try Unpacking(Array(archive[..<length])).error != nil, "\(length)")
        }
    }

    @Test("A flipped bit never changes what comes out unnoticed")
    func flippedBits() async throws {
        let content = deterministicBytes(100, seed: 1)
        let archive = try await gzip(content, "-n")
        for index in archive.indices {
            for bit in 0..<8 {
                var damaged = archive
                damaged[index] ^= 1 << bit
                let unpacking = try Unpacking(damaged, format: .gzip)
                if unpacking.error == nil { #expect(try unpacking.scratch.tree().values.first?.kind == .file(content)) }
            }
        }
    }

    @Test("A stream that expands without end meets the ratio limit, with little written")
    func ratio() async throws {
        let archive = try await gzip(Array(repeating: 0, count: 80 << 20), "-9")
        let unpacking = try Unpacking(archive)
        #expect(unpacking.error?.code == .limitExceeded)
        var policy = ExtractionPolicy()
        policy.limits.ratio = 2_000
        #expect(try Unpacking(archive, policy: policy).error == nil)
        policy.limits.entryBytes = 1_000_000
        let small = try Unpacking(archive, policy: policy)
        #expect(small.error?.code == .limitExceeded)
        #expect(try small.file("data").count <= 1_000_000)
    }

    @Test("Bare deflate and zlib are read when the caller says so")
    func otherFrames() async throws {
        let archive = try await gzip(content, "-n")
        let deflate = Array(archive.dropFirst(10).dropLast(8))
        #expect(try Unpacking(deflate, name: "x.deflate", format: .deflate).file("x") == content)
        #expect(try Unpacking(deflate.dropLast(4) + [], format: .deflate).error?.code == .corrupted)
    }
}
