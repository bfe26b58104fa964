import ContentLibrary
import Platform
import TestSupport
import Testing

@testable import Downloads
@testable import Jobs

/// What a run lets go of, on a disk that a test has the size of.
@Suite struct DiskReliefTests {
    private static let unit: Int64 = 1 << 20
    /// What must stay free.
    private static let kept: Int64 = 2 << 20

    private let directory: TemporaryDirectory
    private let store: ResumeStore
    private let downloader: Downloader
    private let control = RunControl()
    private let events = EventRecorder<RunEvent>()
    private let relief: DiskRelief

    init() throws {
        directory = try TemporaryDirectory()
        store = try ResumeStore(path: directory.path)
        downloader = Downloader(store: store)
        relief = DiskRelief(
            downloader, nil, control, events.record, wanted: { { ["wanted.part", "listed.part"].contains($0.name) } },
            named: { { $0.name == "wanted.part" } },
            discardLeftovers: { [directory] in
                (try? Directory.open(directory.path).remove("leftover")) == nil ? 0 : 1
            })
    }

    /// Lays paused downloads of a mebibyte each into the store, the first one the longest ago.
    private func pause(_ names: String..., daysAgo: Int = 1) throws {
        for (number, name) in names.enumerated() {
            let path = try directory.write([UInt8](repeating: 7, count: Int(Self.unit)), to: "\(name).part")
            try setModified(path, secondsAgo: daysAgo * 86_400 - number)
        }
    }

    private var names: [String] {
        get throws { try directoryEntries(FilePathBytes(directory.path)).map { "\($0)".replacing(".part", with: "") } }
    }

    /// A disk with nothing on it but the store.
    private func room(sizeUnits: Int64) -> RoomWatch {
        RoomWatch(.bytes(Self.kept)) { [directory] () throws(Platform.SystemError) in
            let used = (try? directoryEntries(FilePathBytes(directory.path)))?.count ?? 0
            return (free: (sizeUnits - Int64(used)) * Self.unit, total: sizeUnits * Self.unit)
        }
    }

    private func begin(sizeUnits: Int64) -> RoomWatch {
        let room = room(sizeUnits: sizeUnits)
        room.begin { [relief] in relief.makeRoom(sparesWanted: false, $0) }
        return room
    }

    private var eventNames: [String] { events.events.map(\.kind.name) }

    @Test func aReplyGetsTheRoomOfWhatNobodyWantsTheOldestFirst() throws {
        try pause("wanted", "old", "young")
        let room = begin(sizeUnits: 6)
        #expect(room.makeRoom(for: Self.unit) == nil)
        #expect(try names == ["old", "wanted", "young"])
        #expect(eventNames == [])

        #expect(room.makeRoom(for: 2 * Self.unit) == nil)
        #expect(try names == ["wanted", "young"])
        #expect(eventNames == ["pressure.disk", "partial.evicted"])
        #expect(room.makeRoom(for: 3 * Self.unit) == nil)
        #expect(try names == ["wanted"])
        #expect(room.makeRoom(for: 4 * Self.unit) == nil)
        #expect(try names == [])
    }

    @Test func whatEarlierRunsHadBroughtOfOtherBundlesGoesBeforeWhatIsWanted() throws {
        try pause("wanted", "other")
        try directory.write([7], to: "leftover")
        let room = begin(sizeUnits: 6)
        #expect(room.makeRoom(for: 2 * Self.unit) == nil)
        #expect(try names == ["leftover", "wanted"])
        #expect(room.makeRoom(for: 3 * Self.unit) == nil)
        #expect(try names == ["wanted"])
        #expect(room.makeRoom(for: 4 * Self.unit) == nil)
        #expect(try names == [])
        #expect(
            eventNames == [
                "pressure.disk", "partial.evicted", "pressure.disk", "leftovers.evicted", "pressure.disk",
                "partial.evicted",
            ])
    }

    @Test func whatCannotBeRemovedIsToldAndStopsNothing() {
        let freed = relief.evictLeftovers { () throws(LibraryError) in throw LibraryError(.system, "it is in use") }
        #expect(freed == 0 && eventNames == ["warning"])
    }

    @Test func beforeTheFirstByteWhatEarlierRunsHadBroughtStays() throws {
        try directory.write([7], to: "leftover")
        let sparing: RoomWatch.Relief = { [relief] in relief.makeRoom(sparesWanted: true, $0) }
        #expect(try room(sizeUnits: 3).objection(to: Self.unit, sparing) != nil)
        #expect(try names == ["leftover"])
    }

    @Test func nothingGoesWhereItWouldNotSuffice() throws {
        try pause("wanted", "old", "young")
        #expect(begin(sizeUnits: 6).makeRoom(for: 4 * Self.unit + 1)?.contains("--min-free") == true)
        #expect(try names == ["old", "wanted", "young"])
        #expect(eventNames == ["pressure.disk"])
    }

    @Test func whatTheRunAsksForStaysBeforeItsFirstByte() throws {
        try pause("wanted", "old")
        let room = room(sizeUnits: 5)
        let sparing: RoomWatch.Relief = { [relief] in relief.makeRoom(sparesWanted: true, $0) }
        #expect(try room.objection(to: 2 * Self.unit, sparing) == nil)
        #expect(try names == ["wanted"])
        #expect(try room.objection(to: 3 * Self.unit, sparing) != nil)
        #expect(try names == ["wanted"])
    }

    @Test func whatSomebodyHoldsStays() throws {
        try pause("held", "free")
        let held = try #require(
            try PartialFile(existing: PartialFile.Location(directory: store.directory, name: "held.part"))
        )
        let room = begin(sizeUnits: 4)
        #expect(room.makeRoom(for: Self.unit) == nil)
        #expect(room.makeRoom(for: 2 * Self.unit) != nil)
        #expect(try names == ["held"])
        withExtendedLifetime(held) {}
    }

    @Test func bytesThatWereWrittenGetTheirRoomToo() throws {
        try pause("old", "young")
        let room = begin(sizeUnits: 3)
        #expect(!room.isShort(after: RoomWatch.intervalBytes.upperBound))
        #expect(try names == ["young"])
        try pause("more", "running")
        #expect(room.isShort(after: RoomWatch.intervalBytes.upperBound) == false)
        #expect(try names.count == 1)
    }

    @Test func aRunThatStopsKeepsWhatItPaused() throws {
        try pause("old")
        control.stop(.interrupted)
        #expect(begin(sizeUnits: 3).makeRoom(for: Self.unit) != nil)
        #expect(try names == ["old"])
    }

    @Test func beforeTheRunKnowsWhatItWantsNoReplyIsRefused() throws {
        try pause("old")
        #expect(room(sizeUnits: 1).makeRoom(for: Self.unit) == nil)
        #expect(try names == ["old"])
    }

    /// What only a playlist may name is not named by anybody after so long.
    @Test func whatNobodyNamedFor30DaysGoes() throws {
        try pause("wanted", "stale", "listed", daysAgo: 31)
        try pause("young", daysAgo: 29)
        relief.removeStale()
        #expect(try names == ["wanted", "young"])
        #expect(eventNames == ["partial.evicted", "partial.evicted"])
    }
}
