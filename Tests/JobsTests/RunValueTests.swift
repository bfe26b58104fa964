import Glibc
import BundleManifest
import ContentLibrary
import JSONSyntax
import Platform
import Testing
import Transfer

@testable import Downloads
@testable import Jobs

@Suite struct ExitCodeTests {
    @Test(
        arguments: [
            ([.success, .success], .success), ([.success, .failure], .failure), ([.failure, .partial], .partial),
            ([.partial, .paused], .paused), ([.paused, .noSpace], .noSpace), ([.noSpace, .refused], .refused),
            ([.refused, .terminated], .terminated), ([.terminated, .interrupted], .interrupted),
            ([.partial, .invalidManifest], .invalidManifest), ([.paused, .unreadable], .unreadable),
            ([.unreadable, .invalidManifest], .invalidManifest), ([.busy, .noSpace], .noSpace),
        ] as [([ExitCode], ExitCode)])
    func theMostTellingIsReported(codes: [ExitCode], expected: ExitCode) {
        #expect(codes[0].combined(with: codes[1]) == expected)
        #expect(codes[1].combined(with: codes[0]) == expected)
    }
}

@Suite struct ManifestLocationTests {
    @Test func aPathAURLAndADashAreToldApart() throws {
        #expect(try ManifestLocation("m.json") == .file(path: "m.json"))
        #expect(try ManifestLocation("-") == .standardInput(base: nil))
        #expect(try ManifestLocation("HTTP://a.example/m.json") == .remote(TransferURL("http://a.example/m.json")))
        #expect(try ManifestLocation("https:m") == .file(path: "https:m"))
        #expect(throws: TransferURLError.self) { try ManifestLocation("http://") }
    }

    @Test func onlyALocalManifestMayNameLocalFiles() throws {
        #expect(try ManifestLocation("m.json").allowsFileURLs)
        #expect(try !ManifestLocation("-").allowsFileURLs)
        #expect(try !ManifestLocation("http://a.example/m.json").allowsFileURLs)
    }

    @Test func relativeURLsResolveAgainstWhereItIs() throws {
        let local = try #require(try ManifestLocation("/srv/a b/100%/ü/m.json").base)
        #expect("\(try local.resolving("x.zip"))" == "file:///srv/a%20b/100%25/%C3%BC/x.zip")
        let remote = try #require(try ManifestLocation("http://a.example/c/m.json?v=1").base)
        #expect("\(try remote.resolving("x.zip"))" == "http://a.example/c/x.zip")
        #expect(try ManifestLocation("-").base == nil)
    }

    @Test func itsNameIsSafeToPrint() throws {
        #expect("\(try ManifestLocation("a\u{1b}[2J.json"))".contains("\u{1b}") == false)
    }
}

@Suite struct SourceOrderTests {
    private func groups(_ urls: String...) throws -> [[String]] {
        try urls.map { try TransferURL($0) }.groupedByReach.map { $0.map { "\($0)" } }
    }

    @Test func theOrderOfTheURLsIsKept() throws {
        #expect(
            try groups("http://a.example/x", "http://b.example/x", "file:///x", "file:///y", "http://c.example/x") == [
                ["http://a.example/x", "http://b.example/x"], ["file:///x"], ["file:///y"], ["http://c.example/x"],
            ])
        #expect(try groups() == [])
    }
}

@Suite struct RunEventTests {
    private static let summary: RunSummary = {
        var summary = RunSummary()
        (summary.published, summary.unchanged, summary.failed, summary.paused) = (1, 2, 3, 4)
        summary.mended = 1
        (summary.fetchedBytes, summary.resumedBytes, summary.coalescedBytes) = (5, 6, 7)
        (summary.writtenBytes, summary.requestCount, summary.duration) = (8, 9, .milliseconds(1500))
        return summary
    }()

    @Test(
        arguments: [
            (.runStarted(command: "sync"), #"{"event": "run.started", "command": "sync"}"#),
            (.manifestLoaded(serial: 7, bundles: 2), #"{"event": "manifest.loaded", "serial": 7, "bundles": 2}"#),
            (.runFailed(.busy, message: "a\n\"b\""), #"{"event": "run.failed", "exit": 75, "message": "a\n\"b\""}"#),
            (.manifestFinding(text: "x", refusal: nil), #"{"event": "warning", "message": "x"}"#),
            (
                .manifestFinding(text: "x", refusal: .invalidManifest),
                #"{"event": "run.failed", "exit": 65, "message": "x"}"#
            ),
            (.bundlePlanned(.fetch, bytes: 12), #"{"event": "bundle.planned", "state": "fetch", "bytes": 12}"#),
            (.transferStarted, #"{"event": "transfer.started"}"#),
            (.transferCoalesced, #"{"event": "transfer.coalesced"}"#),
            (.transferResumed(offset: 5), #"{"event": "transfer.resumed", "offset": 5}"#),
            (
                .transferProgress(received: 5, total: nil, bytesPerSecond: 3),
                #"{"event": "transfer.progress", "received": 5, "total": null, "bytesPerSecond": 3}"#
            ),
            (.transferPaused, #"{"event": "transfer.paused"}"#),
            (
                .transferRetrying(reason: "r", delay: .milliseconds(250)),
                #"{"event": "transfer.retrying", "reason": "r", "delay": 0.25}"#
            ),
            (.transferFailed(code: "c", message: "m"), #"{"event": "transfer.failed", "code": "c", "message": "m"}"#),
            (.transferFinished(bytes: 5), #"{"event": "transfer.finished", "bytes": 5}"#),
            (
                .diskPressure(freeBytes: 5, wantedBytes: 7),
                #"{"event": "pressure.disk", "free": 5, "wanted": 7}"#
            ),
            (
                .partialEvicted(bytes: 9),
                #"{"event": "partial.evicted", "bytes": 9}"#
            ),
            (.leftoversEvicted(bytes: 9), #"{"event": "leftovers.evicted", "bytes": 9}"#),
            (
                .memoryPressure(bufferBytes: 5, handles: 2),
                #"{"event": "pressure.memory", "buffers": 5, "handles": 2}"#
            ),
            (
                .contentDamaged(ContentDamage("a/b", .wrongMode(0o600, expected: 0o644)), content: "7@0"),
                #"""
                {"event": "content.damaged", "content": "7@0", "path": "a/b", "problem": "mode",
                 "message": "a/b: its mode is 600 where it was 644"}
                """#
            ),
            (
                .contentVerified(content: "7@0", files: 2, bytes: 5, damaged: 1),
                #"{"event": "content.verified", "content": "7@0", "files": 2, "bytes": 5, "damaged": 1}"#
            ),
            (
                .contentMended(content: "7@0", isFetched: true),
                #"{"event": "content.mended", "content": "7@0", "fetched": true}"#
            ),
            (
                .libraryVerified(contents: 1, files: 2, bytes: 3, damaged: 4, mended: 5, remaining: 6),
                #"""
                {"event": "library.verified", "contents": 1, "files": 2, "bytes": 3, "damaged": 4, "mended": 5,
                 "remaining": 6}
                """#
            ),
            (.courierTaken(bytes: 5), #"{"event": "courier.taken", "bytes": 5}"#),
            (.bundleExported(files: 2, bytes: 5), #"{"event": "bundle.exported", "files": 2, "bytes": 5}"#),
            (.bundleVerified, #"{"event": "bundle.verified"}"#),
            (.bundleUnpacked(files: 2, bytes: 5), #"{"event": "bundle.unpacked", "files": 2, "bytes": 5}"#),
            (.bundlePublished(version: "7"), #"{"event": "bundle.published", "version": "7"}"#),
            (.bundleFailed(code: "c", message: "m"), #"{"event": "bundle.failed", "code": "c", "message": "m"}"#),
            (.generationPublished(number: 3), #"{"event": "generation.published", "number": 3}"#),
            (.optionalBundleFailed(message: "m"), #"{"event": "warning", "message": "m"}"#),
            (.warning("w"), #"{"event": "warning", "message": "w"}"#),
            (
                .runFinished(summary, exit: .partial),
                #"""
                {"event": "run.finished", "exit": 2, "bundles": {"published": 1, "unchanged": 2, "failed": 3, "paused": 4, "mended": 1},
                 "bytesFetched": 5, "bytesResumed": 6, "bytesCoalesced": 7, "bytesWritten": 8, "requests": 9,
                 "durationSeconds": 1.5}
                """#
            ),
        ] as [(RunEvent.Kind, String)])
    func eachIsALineOfJSON(kind: RunEvent.Kind, expected: String) throws {
        let event = RunEvent(
            time: Timestamp(seconds: 1_795_910_400), manifest: "m", bundle: "b", url: "http://a.example/", transfer: 4,
            kind: kind)
        let line = event.jsonLine
        #expect(!line.contains("\n"))
        var members = try Self.members(line)
        #expect(members.removeValue(forKey: "time") == #""2026-11-29T00:00:00.000Z""#)
        #expect(members.removeValue(forKey: "manifest") == #""m""#)
        #expect(members.removeValue(forKey: "bundle") == #""b""#)
        #expect(members.removeValue(forKey: "url") == #""http://a.example/""#)
        #expect(members.removeValue(forKey: "transfer") == "4")
        #expect(members == (try Self.members(expected)))
    }

    @Test func whatItIsNotAboutIsLeftOut() throws {
        let line = RunEvent(time: Timestamp(seconds: 0), kind: .transferPaused).jsonLine
        #expect(try Self.members(line).keys.sorted() == ["event", "time"])
    }

    /// Members by key, values as they are written but for blanks between tokens.
    private static func members(_ line: String) throws -> [String: String] {
        let root = try JSONDocument(Array(line.utf8), name: "line").root
        return Dictionary(
            uniqueKeysWithValues: root.members.map { member in
                let text = String(decoding: member.value.sourceBytes, as: UTF8.self)
                let isObject = member.value.kind == .object
                return (member.key.string ?? "", isObject ? text.filter { $0 != " " } : text)
            })
    }
}

@Suite struct StoreKeyTests {
    private let digest = SHA256.digest(of: Array("content".utf8))

    private func key(_ text: String) throws -> String? {
        try bundles(text)[0].storeKey(digests: [digest])?.digest.description
    }

    private func archive(_ more: String) -> String {
        #"{"id": "a", "kind": "archive", "urls": ["a.zip"]\#(more.isEmpty ? "" : ", " + more)}"#
    }

    @Test(arguments: [
        #""unpack": {"format": "zip"}"#, #""unpack": {"strip": 1}"#, #""unpack": {"include": ["*.png"]}"#,
        #""unpack": {"exclude": ["*.png"]}"#, #""unpack": {"include": ["a", "b"]}"#,
        #""unpack": {"include": ["b", "a"]}"#, #""unpack": {"preserve": false}"#, #""unpack": {"format": "none"}"#,
    ])
    func whateverChangesTheContentChangesTheKey(options: String) throws {
        let keys = try ["", options].map { try key(archive($0)) }
        #expect(keys[0] != nil && keys[1] != nil && keys[0] != keys[1])
    }

    @Test(arguments: [
        #""unpack": {"format": "auto"}"#, #""unpack": {"strip": 0}"#, #""unpack": {"include": []}"#,
        #""unpack": {"preserve": true}"#, #""unpack": {"limits": {"entries": 5}}"#, #""title": "A""#,
        #""priority": 3"#, #""tags": ["x"]"#, #""size": 7"#,
    ])
    func whatDoesNotChangeTheContentDoesNotChangeTheKey(options: String) throws {
        #expect(try key(archive(options)) == key(archive("")))
    }

    @Test func theKindAndTheNameOfAWholeFileMatter() throws {
        let whole = #""unpack": {"format": "none"}"#
        let keys = [
            try key(archive(whole)), try key(archive(whole + #", "filename": "b.zip""#)), try key(book("a")),
            try key(archive("").replacing("archive", with: "textures")),
        ]
        #expect(Set(keys.compactMap(\.self)).count == 4)
    }

    @Test func aMissingDigestMeansNoKey() throws {
        #expect(try bundles(archive(""))[0].storeKey(digests: [nil]) == nil)
        #expect(try bundles(archive(""))[0].knownDigests == [nil])
    }
}

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

@Suite struct TransferReporterTests {
    private func progress(_ bytes: Int64, isShared: Bool) -> DownloadEvent {
        .progress(
            DownloadProgress(
                receivedBytes: bytes, totalBytes: 1000, resumedFromBytes: 50, bytesPerSecond: nil, isShared: isShared))
    }

    @Test func bytesCountFromWhereTheyAreThisCallers() throws {
        let counted = Locked<Int64>(0)
        let reporter = TransferReporter(
            url: "http://a.example/", received: { bytes in counted.withLock { $0 += bytes } }, emit: { _, _, _ in })
        reporter.report(.coalesced)
        reporter.report(progress(100, isShared: true))
        reporter.report(progress(300, isShared: true))
        #expect(counted.withLock { $0 } == 0)
        reporter.report(progress(400, isShared: false))
        #expect(counted.withLock { $0 } == 100)
        reporter.report(.started(try TransferURL("http://a.example/")))
        reporter.report(progress(80, isShared: false))
        #expect(counted.withLock { $0 } == 130)
    }
}

@Suite struct RunControlTests {
    @Test func theFirstReasonCounts() {
        let control = RunControl()
        control.stop(.deadline)
        control.stop(.interrupted)
        #expect(control.reason == .deadline)
    }

    @Test func whoListensLateIsToldAtOnceAndOnlyOnce() {
        let control = RunControl()
        control.stop(.byteBudget)
        let calls = Locked(0)
        control.onStop { calls.withLock { $0 += 1 } }
        control.stop(.terminated)
        #expect(calls.withLock { $0 } == 1)
    }
}

@Suite struct AbandonableReadTests {
    @Test func aCancelledTaskDoesNotWaitForIt() async throws {
        let isOver = Locked(false)
        let task = Task {
            // Longer than anybody would wait, but not for ever, should the test fail.
            try await readAbandonably { for _ in 0..<10_000 where !isOver.withLock({ $0 }) { usleep(1000) } }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        isOver.withLock { $0 = true }
    }

    @Test func whatItReadsAndHowItFailsIsHandedBack() async throws {
        #expect(try await readAbandonably { 7 } == 7)
        await #expect(throws: SystemError.self) {
            try await readAbandonably { () throws -> Int in throw SystemError(code: 5, operation: "read", subject: "x")
            }
        }
    }
}
