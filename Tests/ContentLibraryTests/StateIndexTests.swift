import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct StateIndexTests {
    private let museum: ContentID
    private let gallery: BundleAddress

    init() throws {
        museum = try #require(ContentID("museum"))
        gallery = BundleAddress(manifest: museum, bundle: try #require(ContentID("gallery")))
    }

    @Test func runsAreRememberedNewestFirst() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        let first = try index.beginRun(command: "sync", at: Timestamp(seconds: 100))
        var end = RunEnd(exit: 2)
        (end.counts.published, end.counts.failed, end.counts.bytesFetched) = (3, 1, 1 << 40)
        (end.counts.mended, end.counts.bytesFromCouriers, end.counts.bytesCopied) = (4, 5, 6)
        end.stop = "deadline"
        try index.endRun(first, end, at: Timestamp(seconds: 200))
        let second = try index.beginRun(command: "refresh", at: Timestamp(seconds: 300))

        let runs = try index.runs(limit: 10)
        #expect(runs.map(\.id) == [second, first])
        #expect(runs[0].ended == nil && runs[0].exit == nil && runs[0].command == "refresh")
        #expect(runs[1].ended == Timestamp(seconds: 200) && runs[1].exit == 2 && runs[1].counts == end.counts)
        #expect(runs[1].stop == "deadline" && runs[0].stop == nil)
        #expect(try index.runs(limit: 1).count == 1)
    }

    @Test func aRunThatFoundNothingToDoIsNotedWhenItEnds() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        var end = RunEnd(exit: 0)
        end.counts.unchanged = 7
        try index.addRun(command: "refresh", from: Timestamp(seconds: 100), end, at: Timestamp(seconds: 200))
        let run = try #require(try index.runs(limit: 1).first)
        #expect(run.started == Timestamp(seconds: 100) && run.ended == Timestamp(seconds: 200))
        #expect(run.exit == 0 && run.counts == end.counts && run.command == "refresh")
        #expect(try index.value(of: .lastTime) == 100)
    }

    @Test func aRefusalIsRememberedSinceItBeganUntilItEnds() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        let (source, other) = (SHA256.digest(of: "a place".utf8), SHA256.digest(of: "another".utf8))
        func end(_ refusals: [SHA256Digest: String?], at time: Int64) throws {
            var end = RunEnd(exit: 77)
            end.fates = refusals.mapValues { ManifestFate(of: nil, refusal: $0) }
            try index.addRun(command: "sync", from: Timestamp(seconds: time), end, at: Timestamp(seconds: time))
        }
        func told() throws -> [String] {
            try index.refusals().map { "\($0.reason) \($0.since.seconds) \($0.last.seconds)" }
        }
        try end([source: "expired", other: "unsigned"], at: 100)
        try end([source: "another key"], at: 200)
        #expect(try told().sorted() == ["another key 100 200", "unsigned 100 100"])
        try end([source: nil], at: 300)
        #expect(try told() == ["unsigned 100 100"])
        try end([:], at: 100 + 31 * 86_400)
        #expect(try told() == [], "nobody asks for it any more")
    }

    /// Whoever moved a manifest, or gave its place wrongly, waits for it elsewhere.
    @Test func aRefusalEndsWhereTheManifestIsFollowedFromElsewhere() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        let (old, new) = (SHA256.digest(of: "the old place".utf8), SHA256.digest(of: "the new one".utf8))
        let manifest = try #require(ContentID("m"))
        func end(_ refusals: [SHA256Digest: String?], at time: Int64) throws {
            var end = RunEnd(exit: 77)
            end.fates = refusals.mapValues { ManifestFate(of: manifest, refusal: $0) }
            try index.addRun(command: "sync", from: Timestamp(seconds: time), end, at: Timestamp(seconds: time))
        }
        func told() throws -> [String] { try index.refusals().map { "\($0.reason) \($0.since.seconds)" } }
        try end([old: "expired"], at: 100)
        try end([old: "expired", new: nil], at: 200)
        #expect(try told() == ["expired 100"], "somebody asks for it there still")
        try end([new: nil], at: 300)
        #expect(try told() == [])
        try end([old: "expired"], at: 400)
        #expect(try index.forgetRefusals(of: manifest))
        #expect(try told() == [])
        #expect(try !index.forgetRefusals(of: manifest))
    }

    @Test func aPlaceIsWaitedForUntilAllOfItsManifestIsUpToDate() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        let source = SHA256.digest(of: "a place".utf8)
        func end(_ manifest: ContentID, lastSuccess: Int64?, at time: Int64) throws {
            let record = ManifestRecord(
                manifest: manifest, serial: 1, digest: SHA256.digest(of: "bytes".utf8), expires: nil, bundleCount: 1,
                lastSuccess: lastSuccess.map { Timestamp(seconds: $0) })
            var end = RunEnd(exit: 0)
            end.manifests = [source: record]
            try index.addRun(
                command: "refresh", from: Timestamp(seconds: time), end, at: Timestamp(seconds: time))
        }
        func freshness() throws -> Int64? { try index.freshness(of: source)?.seconds }
        #expect(try freshness() == nil)
        for time in [10, 20] as [Int64] { try index.noteWaits(for: [source], at: Timestamp(seconds: time)) }
        #expect(try freshness() == 10, "since it was first asked for")
        try end(museum, lastSuccess: nil, at: 30)
        #expect(try freshness() == 10, "a part doesn't count")
        try end(museum, lastSuccess: 40, at: 40)
        try index.noteWaits(for: [source], at: Timestamp(seconds: 50))
        try end(museum, lastSuccess: nil, at: 50)
        #expect(try freshness() == 40)
        let other = try #require(ContentID("other"))
        try end(other, lastSuccess: nil, at: 60)
        #expect(try freshness() == 60, "another manifest is waited for anew")
        #expect(try index.manifest(from: source)?.lastSuccess == nil)
        try end(other, lastSuccess: 70, at: 70)
        try index.forget(other)
        #expect(try freshness() == nil)
    }

    @Test func theHistoryDoesNotGrowForEver() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let index = try writer.openStateIndex()
        // In one transaction: a thousand flushes take long.
        let database = try SQLiteDatabase(path: writer.library.stateIndexPath)
        try database.transaction { () throws(SQLiteError) in
            for _ in 0..<1_010 { try database.run("INSERT INTO runs (command, started) VALUES ('sync', 1)") }
        }
        let last = try index.beginRun(command: "refresh")
        let runs = try index.runs(limit: 5_000)
        #expect(runs.count == 1_000)
        #expect(runs.first?.id == last)
    }

    @Test func failuresAreCountedUntilASuccess() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        #expect(try index.bundles(of: museum).isEmpty)
        try index.record([BundleOutcome(bundle: gallery, .failure("404", nextTry: nil))], at: Timestamp(seconds: 1))
        try index.record(
            [BundleOutcome(bundle: gallery, .failure("'quoted' ü", nextTry: Timestamp(seconds: 9)))],
            at: Timestamp(seconds: 2))
        var record = try #require(try index.bundles(of: museum)[gallery.bundle])
        #expect(record.failure == "'quoted' ü" && record.failureCount == 2 && record.lastSuccess == nil)
        #expect(record.lastFailure == Timestamp(seconds: 2) && record.nextTry == Timestamp(seconds: 9))

        try index.record([BundleOutcome(bundle: gallery, .success)], at: Timestamp(seconds: 3))
        record = try #require(try index.bundles(of: museum)[gallery.bundle])
        #expect(record.failure == nil && record.failureCount == 0 && record.nextTry == nil)
        #expect(record.lastSuccess == Timestamp(seconds: 3) && record.lastFailure == Timestamp(seconds: 2))
    }

    @Test func aPauseIsKnownUntilTheBundleIsDoneWith() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        let pause = BundleOutcome(bundle: gallery, .paused(plannedBytes: 100, heldBytes: 40))
        try index.record([BundleOutcome(bundle: gallery, .failure("404", nextTry: nil))], at: Timestamp(seconds: 1))
        try index.record([pause], at: Timestamp(seconds: 2))
        var record = try #require(try index.bundles(of: museum)[gallery.bundle])
        #expect(record.failureCount == 1, "nothing has become of it yet")
        #expect(record.pause?.time == Timestamp(seconds: 2))
        #expect(record.pause?.plannedBytes == 100 && record.pause?.heldBytes == 40)
        for end in [BundleOutcome.Fate.success, .failure("gone", nextTry: nil)] {
            try index.record([pause], at: Timestamp(seconds: 3))
            try index.record([BundleOutcome(bundle: gallery, end)], at: Timestamp(seconds: 4))
            record = try #require(try index.bundles(of: museum)[gallery.bundle])
            #expect(record.pause == nil)
        }
    }

    @Test func ofAForgottenManifestTheHighestSerialStays() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        try index.recordPublication(#require(GenerationNumber(1)), serials: [museum: 9])
        try index.record([BundleOutcome(bundle: gallery, .success)])
        #expect(try index.knownManifests() == [museum])
        try index.forget(museum)
        #expect(try index.knownManifests().isEmpty && index.bundles(of: museum).isEmpty)
        #expect(try index.highestSerial(of: museum) == 9)
    }

    @Test func theHighestSerialNeverFalls() throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        let numbers = try [1, 2].map { try #require(GenerationNumber($0)) }
        #expect(try index.highestSerial(of: museum) == nil)
        try index.recordPublication(numbers[0], serials: [museum: 9])
        try index.recordPublication(numbers[1], serials: [museum: 4])
        #expect(try index.highestSerial(of: museum) == 9)
    }

    /// Whoever else wrote into the index, its numbers are only numbers.
    @Test(arguments: [Int64.min, .max]) func figuresThatNoRunWroteHoldNobodyUp(figure: Int64) throws {
        let fixture = try Fixture()
        let index = try fixture.writer().openStateIndex()
        let (source, wanted) = (SHA256.digest(of: "a".utf8), SHA256.digest(of: "b".utf8))
        try index.noteWrongBytes(from: source, insteadOf: wanted)
        try index.add(fetchedBytes: 1, inMonth: "2026-11")
        let other = try SQLiteDatabase(path: "\(fixture.path)/.larder/state.db")
        try other.run("UPDATE distrust SET failures = ?, lastFailure = ?", [.integer(figure), .integer(figure)])
        try other.run("UPDATE months SET bytes = ?", [.integer(figure)])
        let record = try #require(try index.distrust(of: source, for: wanted))
        #expect(record.failureCount >= 0 && record.nextTry > record.lastFailure && !record.holdsBack(at: .now))
        #expect(try #require(try index.fetchedBytes(inMonth: "2026-11")) >= 0)
    }

    @Test func theIndexOutlivesItsRun() throws {
        let fixture = try Fixture()
        _ = try fixture.writer().openStateIndex().beginRun(command: "sync")
        #expect(try fixture.writer().openStateIndex().runs(limit: 10).count == 1)
    }

    enum Loss: CaseIterable {
        case removed, empty, garbage, cut, otherTables, newer, link, directory
    }

    @Test(arguments: Loss.allCases)
    func aLostIndexStartsAnewFromTheGenerations(loss: Loss) throws {
        let fixture = try Fixture()
        let path = fixture.temporary["library/.larder/state.db"]
        do {
            let writer = try fixture.writer()
            let index = try writer.openStateIndex()
            for number in 0..<20 {
                _ = try index.beginRun(command: String(repeating: "x", count: 1_000) + "\(number)")
            }
            try Sample().publish(by: writer, manifestText: "{\"serial\": 7}")
            try Sample("school", "books").publish(by: writer, manifestText: "{\"serial\": \"none\"}")
        }
        try damage(path, loss, fixture)

        let writer = try fixture.writer()
        let index = try writer.openStateIndex()
        #expect(try index.runs(limit: 10).isEmpty)
        #expect(try index.highestSerial(of: museum) == 7)
        #expect(try index.recordedGeneration() == 2)
        #expect(try index.beginRun(command: "sync") == 1)
        let wasSetAside = ![.removed, .empty].contains(loss)
        #expect(try (writer.library.quarantine.status(of: "state.db") != nil) == wasSetAside)
        #expect(try writer.library.store.find(Sample().origin) != nil)
    }

    private func damage(_ path: String, _ loss: Loss, _ fixture: Fixture) throws {
        let bytes = try readFile(path)
        switch loss {
        case .removed: #expect(unlink(path) == 0)
        case .empty: try writeFile([], to: path)
        case .garbage: try writeFile([UInt8](repeating: 0x5a, count: 10_000), to: path)
        case .cut: try writeFile(Array(bytes[..<(bytes.count / 2)]), to: path)
        case .otherTables:
            #expect(unlink(path) == 0)
            try SQLiteDatabase(path: path).execute("CREATE TABLE runs (other TEXT)")
        case .newer: try SQLiteDatabase(path: path).execute("PRAGMA user_version = 99")
        case .link:
            try writeFile(bytes, to: fixture.temporary["elsewhere"])
            #expect(unlink(path) == 0 && symlink(fixture.temporary["elsewhere"], path) == 0)
        case .directory: #expect(unlink(path) == 0 && mkdir(path, 0o755) == 0)
        }
    }

    @Test func anIndexThatThisUserMayNotReadStartsAnew() async throws {
        let fixture = try Fixture()
        do {
            let writer = try fixture.writer()
            _ = try writer.openStateIndex()
            try Sample().publish(by: writer, manifestText: "{\"serial\": 7}")
        }
        let internals = fixture.temporary["library/.larder"]
        #expect(chmod("\(internals)/state.db", 0) == 0)
        for path in [fixture.temporary.path, internals, "\(internals)/quarantine"] { #expect(chmod(path, 0o777) == 0) }
        #expect(chmod("\(internals)/lock", 0o666) == 0)
        let serial = try await onOwnThread(unprivileged: true) { [museum] in
            try fixture.writer().openStateIndex().highestSerial(of: museum)
        }
        #expect(serial == 7)
    }

    @Test func anIndexIsNotWrittenToWhereItsPathLeadsElsewhereByNow() throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let index = try writer.openStateIndex()
        let (internals, elsewhere) = (fixture.temporary["library/.larder"], fixture.temporary["elsewhere"])
        #expect(rename(internals, elsewhere) == 0 && mkdir(internals, 0o755) == 0)
        let error = #expect(throws: LibraryError.self) { try index.beginRun(command: "sync") }
        #expect(error?.code == .replaced && error?.message.contains(internals) == true)
        #expect(try directoryEntries(FilePathBytes(internals)).isEmpty)
        #expect(rmdir(internals) == 0 && rename(elsewhere, internals) == 0)
        #expect(try index.beginRun(command: "sync") == 1)
    }

    @Test func aPublicationThatWasNotRecordedIsFoundByTheNextRun() throws {
        let fixture = try Fixture()
        do {
            let writer = try fixture.writer()
            let index = try writer.openStateIndex()
            let generation = try Sample(text: "1").publish(by: writer, manifestText: "{\"serial\": 1}")
            try index.recordPublication(generation.number, serials: [museum: 1])
            // Killed before it is recorded:
            try Sample(text: "2").publish(by: writer, manifestText: "{\"serial\": 2}")
        }
        #expect(try fixture.writer().openStateIndex().highestSerial(of: museum) == 2)
    }

    @Test func aFailedTransactionLeavesNothing() throws {
        let temporary = try TemporaryDirectory()
        let database = try SQLiteDatabase(path: temporary["a.db"])
        try database.execute("CREATE TABLE t (v INTEGER NOT NULL)")
        #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try database.run("INSERT INTO t VALUES (?)", [.integer(1)])
                try database.run("INSERT INTO t VALUES (?)", [.null])
            }
        }
        var count: Int64 = -1
        try database.run("SELECT count(*) FROM t") { count = $0.integer(0) }
        #expect(count == 0)
    }
}
