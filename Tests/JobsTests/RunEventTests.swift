import ContentLibrary
import JSONSyntax
import Platform
import Testing

@testable import Jobs

@Suite struct RunEventTests {
    private static let summary: RunSummary = {
        var summary = RunSummary()
        (summary.published, summary.unchanged, summary.failed, summary.paused) = (1, 2, 3, 4)
        (summary.removed, summary.mended, summary.renewed) = (10, 1, 11)
        (summary.courierBytes, summary.copiedBytes) = (12, 13)
        (summary.fetchedBytes, summary.resumedBytes, summary.coalescedBytes) = (5, 6, 7)
        (summary.writtenBytes, summary.requestCount, summary.duration) = (8, 9, .milliseconds(1500))
        summary.stop = .deadline
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
            (
                .courierTaken(bytes: 5, isFetched: true),
                #"{"event": "courier.taken", "bytes": 5, "fetched": true}"#
            ),
            (.fileCopied(bytes: 5), #"{"event": "file.copied", "bytes": 5}"#),
            (
                .bundleExported(files: 2, bytes: 5, present: 1),
                #"{"event": "bundle.exported", "files": 2, "bytes": 5, "present": 1}"#
            ),
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
                {"event": "run.finished", "exit": 2, "stopped": "deadline", "bundles": {"published": 1, "unchanged": 2, "removed": 10, "failed": 3, "paused": 4, "mended": 1, "renewed": 11},
                 "bytesFetched": 5, "bytesResumed": 6, "bytesCoalesced": 7, "bytesFromCouriers": 12, "bytesCopied": 13,
                 "bytesWritten": 8, "requests": 9,
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
