import Archives
import Platform
import TestSupport
import Testing

@Suite("What a tar archive may cost")
struct TarCostTests {
    /// Bytes of a compressed archive that nobody wants.
    enum Unwanted: CaseIterable {
        case behindTheEnd, dumpDirectory, volumeLabel, hardLink

        func archive(bytes count: Int) -> [UInt8] {
            let zeros = Array(repeating: UInt8(0), count: count)
            return TarBuilder.of { tar in
                tar.add("a", [1])
                switch self {
                case .behindTheEnd: break
                case .dumpDirectory: tar.add("d", type: "D", zeros)
                case .volumeLabel: tar.add("label", type: "V", zeros)
                case .hardLink:
                    tar.addPax([("comment", "of pax")])
                    tar.add("b", type: "1", zeros, link: "a")
                }
            } + (self == .behindTheEnd ? zeros : [])
        }
    }

    @Test("What nobody wants of a compressed archive keeps to the ratio limit", arguments: Unwanted.allCases)
    func unwantedBomb(_ unwanted: Unwanted) async throws {
        let archive = try await gzip(unwanted.archive(bytes: 4 << 20))
        #expect(try Unpacking(archive).error == nil)
        var policy = ExtractionPolicy()
        policy.limits.setRatio(250)
        #expect(try Unpacking(archive, policy: policy).error?.code == .limitExceeded)
        let listed = #expect(throws: ArchiveError.self) {
            try Unpacker(source: MemorySource(archive), policy: policy).list { _ in }
        }
        #expect(listed?.code == .limitExceeded)
    }

    @Test("The caller's stop is heard behind the end of what is unpacked", arguments: [ArchiveFormat.tar, .deflate])
    func stopBehindTheEnd(_ format: ArchiveFormat) async throws {
        var archive = TarBuilder.of { $0.add("a", [1]) }
        if format == .deflate { archive = try await Array(gzip(archive, "-n").dropFirst(10).dropLast(8)) }
        let isDone = Locked(false)
        let observer = UnpackObserver(
            shouldStop: { isDone.withLock { $0 } }, didCreate: { _ in isDone.withLock { $0 = true } })
        let unpacking = try Unpacking(
            archive + deterministicBytes(1 << 20, seed: 1), format: format, observer: observer)
        #expect(unpacking.error?.code == .stopped)
    }

    @Test("The content of a file is read once more for all its further names, and no longer than the caller wants")
    func digestsOfFurtherNames() throws {
        let content = deterministicBytes(3 << 20, seed: 1)
        let archive = TarBuilder.of {
            $0.add("a", content)
            for name in ["b", "c", "d"] { $0.add(name, type: "1", link: "a") }
        }
        let asked = Locked(0)
        let told = Locked<[(asked: Int, digest: SHA256Digest?)]>([])
        let observer = UnpackObserver(
            shouldStop: {
                asked.withLock { $0 += 1 }
                return false
            }, didCreate: { entry in told.withLock { $0.append((asked.withLock { $0 }, entry.digest)) } })
        #expect(try Unpacking(archive, observer: observer).error == nil)
        let entries = told.withLock { $0 }
        #expect(entries.map(\.digest) == Array(repeating: SHA256.digest(of: content), count: 4))
        // Each is asked for once, and the one that is read once for each MiB as well.
        #expect(entries[1].asked - entries[0].asked > 3)
        #expect(entries[2].asked - entries[1].asked == 1)
        #expect(entries[3].asked - entries[2].asked == 1)
    }

    @Test("An empty archive within gzip is one, however it is padded; the image of an empty disk is not")
    func emptyWithinGzip() async throws {
        for blocks in [2, 20] {
            let archive = try await gzip(Array(repeating: 0, count: 512 * blocks))
            #expect(try ArchiveFormat.detect(MemorySource(archive)) == .tarGzip)
            #expect(try Unpacking(archive).scratch.tree().isEmpty)
        }
        for image in [[], [1], Array(repeating: 0, count: 1 << 20)] as [[UInt8]] {
            let file = try await gzip(Array(repeating: 0, count: image.isEmpty ? 512 : 1024) + image)
            #expect(try ArchiveFormat.detect(MemorySource(file)) == .gzip)
        }
    }
}
