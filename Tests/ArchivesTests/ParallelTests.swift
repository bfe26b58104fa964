import Glibc
import Platform
import TestSupport
import Testing

@testable import Archives

@Suite("A zip that several workers unpack")
struct ParallelTests {
    private static let entries = (0..<200).map { number in
        ZipBuilder.Entry("d\(number % 7)/f\(number)", deterministicBytes(1 + number * 400, seed: UInt64(number)))
    }

    @Test("Files are told of in the archive's order, each with its own digest, and are what they should be")
    func order() throws {
        let created = Locked<[ExtractedEntry]>([])
        let observer = UnpackObserver(didCreate: { entry in created.withLock { $0.append(entry) } })
        let unpacking = try Unpacking(ZipBuilder(Self.entries).build(), observer: observer)
        let summary = try unpacking.outcome.get()
        #expect(summary.files == 200)
        #expect(summary.bytes == Self.entries.reduce(0) { $0 + Int64($1.content.count) })
        let told = created.withLock { $0 }.prefix(200)
        #expect(told.map(\.path) == Self.entries.map(\.name))
        let tree = try unpacking.scratch.tree()
        for (entry, wanted) in zip(told, Self.entries) {
            #expect(
                entry.content
                    == .file(
                        sizeBytes: Int64(wanted.content.count), sha256: SHA256.digest(of: wanted.content).bytes,
                        isExecutable: false))
            #expect(try tree[RelativePath(wanted.name)]?.kind == .file(wanted.content))
        }
    }

    @Test("Of several broken entries the first in the archive's order is told, every time, and all before it are there")
    func firstError() throws {
        var entries = Self.entries
        for index in [60, 61, 62, 150] { entries[index].crc = 1 }
        // Small and found broken at once, while a worker is still at the first.
        entries[60].content = deterministicBytes(3_000_000, seed: 9)
        let archive = ZipBuilder(entries).build()
        for _ in 0..<20 {
            let created = Locked<[[UInt8]]>([])
            let observer = UnpackObserver(didCreate: { entry in created.withLock { $0.append(entry.path) } })
            let error = try #require(try Unpacking(archive, observer: observer).error)
            #expect(error.entry == "d4/f60")
            #expect(created.withLock { $0 } == entries[..<60].map(\.name))
        }
    }

    @Test("Digests are left out where nobody wants them")
    func withoutDigests() throws {
        let digests = Locked<[SHA256Digest?]>([])
        var observer = UnpackObserver(didCreate: { entry in
            if case .file = entry.content { digests.withLock { $0.append(entry.digest) } }
        })
        observer.takesDigests = false
        let unpacking = try Unpacking(ZipBuilder(Array(Self.entries.prefix(3))).build(), observer: observer)
        _ = try unpacking.outcome.get()
        #expect(digests.withLock { $0 } == [nil, nil, nil])
    }

    @Test("A stop ends all workers")
    func stop() throws {
        let asked = Locked(0)
        let observer = UnpackObserver(shouldStop: {
            asked.withLock { count in
                count += 1
                return count > 300
            }
        })
        let unpacking = try Unpacking(ZipBuilder(Self.entries).build(), observer: observer)
        #expect(unpacking.error?.code == .stopped)
        #expect(asked.withLock { $0 } < 300 + 64)
    }

    @Test("A stop waits for the workers that are in the middle of something", .enabled(if: Processors.count > 1))
    func stopWaits() throws {
        struct Course {
            var hasBegun = false
            /// Whether a worker is held up beside the caller, which was stopped, and whether it is let go.
            var isHeld = false
            var isStopped = false
            var isLetGo = false
        }
        let course = Locked(Course())
        let caller = UInt(pthread_self())
        @Sendable func wait(milliseconds: Int, until isDue: (Course) -> Bool) {
            for _ in 0..<milliseconds where !isDue(course.withLock { $0 }) { usleep(1000) }
        }
        var observer = UnpackObserver()
        observer.didWrite = { _ in course.withLock { $0.hasBegun = true } }
        observer.shouldStop = {
            guard course.withLock({ $0.hasBegun }) else { return false }
            if UInt(pthread_self()) == caller {
                wait(milliseconds: 30_000) { $0.isHeld }
                course.withLock { $0.isStopped = true }
            } else {
                course.withLock { $0.isHeld = true }
                wait(milliseconds: 30_000) { $0.isStopped }
                // The caller has nothing more to do, and must not be told that all is over while this one still holds a file.
                usleep(300_000)
                course.withLock { $0.isLetGo = true }
            }
            return true
        }
        let entries = (0..<8).map { ZipBuilder.Entry("f\($0)", deterministicBytes(3_000_000, seed: UInt64($0))) }
        let unpacking = try Unpacking(ZipBuilder(entries).build(), observer: observer)
        #expect(course.withLock { $0.isLetGo }, "a worker was left")
        #expect(unpacking.error?.code == .stopped)
        #expect(course.withLock { $0.isStopped }, "two were at work")
        #expect(try unpacking.scratch.tree().count < 8, "nothing more was begun")
    }

    @Test("A large entry among small ones comes out whole")
    func large() throws {
        let big = deterministicBytes(Int(ReadAhead.worthwhileBytes) + 77, seed: 3)
        let unpacking = try Unpacking([.init("a", [1]), .init("big", big), .init("z", [2])])
        #expect(try unpacking.outcome.get().files == 3)
        #expect(try unpacking.file("big") == big)
    }
}
