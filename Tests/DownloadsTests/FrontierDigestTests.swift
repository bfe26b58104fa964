import Glibc
import Platform
import TestSupport
import Testing

@testable import Downloads

/// The digest of a file that several write at once: whatever the order, it is that of the whole.
@Suite struct FrontierDigestTests {
    private let content = deterministicBytes(4 << 20, seed: 21)
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func file() throws -> Platform.OwnedDescriptor {
        try folder.write([], to: "file")
        return try Directory.open(folder.path).open(RelativePath("file"), flags: O_RDWR)
    }

    private func write(
        _ range: Range<Int>, to file: Platform.OwnedDescriptor, _ held: Locked<ByteRangeSet>, _ digest: FrontierDigest
    )
        throws
    {
        try content[range].withUnsafeBytes { bytes in
            try file.write(bytes, at: Int64(range.lowerBound))
            let contiguous = held.withLock { held in
                held.insert(Int64(range.lowerBound)..<Int64(range.upperBound))
                return held.contiguousBytes
            }
            digest.take(bytes, at: Int64(range.lowerBound), contiguousBytes: contiguous)
        }
    }

    private func result(_ digest: FrontierDigest) async throws -> SHA256Digest {
        await withCheckedContinuation { continuation in digest.whenEven { continuation.resume() } }
        return try digest.finalize()
    }

    @Test(arguments: 1...4) func manyWritersInAnyOrderGiveTheDigestOfTheWhole(round: Int) async throws {
        var generator = SplitMix64(seed: UInt64(round))
        let (file, held, step) = (try file(), Locked(ByteRangeSet()), 50_000)
        let digest = FrontierDigest(of: file)
        let pieces = stride(from: 0, to: content.count, by: step).map { $0..<min($0 + step, content.count) }
            .shuffled(using: &generator)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for (index, piece) in pieces.enumerated() where index % 4 == writer {
                        try self.write(piece, to: file, held, digest)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await result(digest) == SHA256.digest(of: content))
    }

    /// A later writer may tell of less than an earlier one: what was told counts.
    @Test func whatIsHeardLateChangesNothing() async throws {
        let (file, held) = (try file(), Locked(ByteRangeSet()))
        let digest = FrontierDigest(of: file)
        try write(1_000..<content.count, to: file, held, digest)
        try write(0..<1_000, to: file, held, digest)
        content[500..<600].withUnsafeBytes { digest.take($0, at: 500, contiguousBytes: 600) }
        #expect(try await result(digest) == SHA256.digest(of: content))
    }

    @Test func whatCannotBeReadBackIsNoDigest() async throws {
        let (file, held) = (try file(), Locked(ByteRangeSet()))
        let digest = FrontierDigest(of: file)
        try write(1_000..<content.count, to: file, held, digest)
        try file.truncate(to: 2_000)
        content[..<1_000].withUnsafeBytes { digest.take($0, at: 0, contiguousBytes: Int64(content.count)) }
        await withCheckedContinuation { continuation in digest.whenEven { continuation.resume() } }
        #expect(throws: Platform.SystemError.self) { try digest.finalize() }
    }
}
