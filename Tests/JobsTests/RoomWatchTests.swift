import Platform
import Testing

@testable import Jobs

@Suite struct RoomWatchTests {
    private func watch(_ minimum: RunOptions.FreeSpace, free: @escaping @Sendable () -> Int64) -> RoomWatch {
        RoomWatch(minimum) { () throws(SystemError) in (free: free(), total: 1000 << 20) }
    }

    @Test func whatWouldBreakIntoTheReserveIsRefused() throws {
        let watch = watch(.bytes(100 << 20)) { 150 << 20 }
        #expect(try watch.objection(to: 50 << 20) == nil)
        #expect(try watch.objection(to: 50 << 20 + 1)?.contains("--min-free") == true)
        #expect(try watch.objection(to: .max) != nil)
    }

    @Test func nothingIsLetGoOfForWhatNobodyAskedFor() {
        let watch = watch(.bytes(100 << 20)) { 150 << 20 }
        watch.begin { _ in Issue.record("relief") }
        #expect(watch.hasRoom(for: 50 << 20))
        #expect(!watch.hasRoom(for: 50 << 20 + 1))
        #expect(!watch.hasRoom(for: .max))
    }

    @Test func aShareIsOfTheWholeDisk() throws {
        #expect(try watch(.percent(5)) { 50 << 20 }.objection(to: 0) == nil)
        #expect(try watch(.percent(5)) { 50 << 20 - 1 }.objection(to: 0) != nil)
    }

    @Test func itLooksAgainEverySoManyBytes() {
        let free = Locked<(bytes: Int64, looks: Int)>((200 << 20, 0))
        let watch = watch(.bytes(100 << 20)) {
            free.withLock { free in
                free.looks += 1
                return free.bytes
            }
        }
        #expect(!watch.isShort(after: RoomWatch.intervalBytes.upperBound - 1))
        #expect(free.withLock { $0.looks } == 0)
        #expect(!watch.isShort(after: 1))
        #expect(free.withLock { $0.looks } == 1)
        free.withLock { $0.bytes = 100 << 20 - 1 }
        #expect(!watch.isShort(after: 1))
        #expect(watch.isShort(after: RoomWatch.intervalBytes.upperBound))
    }

    @Test(arguments: [(1 << 30, 8 << 20), (6 << 20, 3 << 20), (1000, 256 << 10), (0, 256 << 10)] as [(Int64, Int64)])
    func theNearerTheLimitTheMoreOftenItLooks(spareBytes: Int64, expected: Int64) throws {
        let looks = Locked(0)
        let watch = RoomWatch(.bytes(100 << 20)) { () throws(SystemError) in
            looks.withLock { $0 += 1 }
            return (free: 100 << 20 + spareBytes, total: 4 << 30)
        }
        #expect(try watch.objection(to: 0) == nil)
        #expect(!watch.isShort(after: expected - 1))
        #expect(looks.withLock { $0 } == 1)
        #expect(!watch.isShort(after: 1))
        #expect(looks.withLock { $0 } == 2)
    }
}
