import Platform
import Testing

@testable import Jobs
@testable import LarderCommand

@Suite struct ProgressModelTests {
    private func model(_ events: [(transfer: Int?, kind: RunEvent.Kind)]) -> ProgressModel {
        var model = ProgressModel()
        for (transfer, kind) in events {
            model.take(
                RunEvent(
                    time: Timestamp(seconds: 0), manifest: "m", bundle: "b\(transfer ?? 0)",
                    url: "http://a.example/dir/file\(transfer ?? 0).zip", transfer: transfer, kind: kind))
        }
        return model
    }

    @Test func whatIsUnchangedCountsAsHere() {
        let model = model([
            (0, .bundlePlanned(.unchanged, bytes: 0)), (1, .bundlePlanned(.fetch, bytes: 100)),
            (2, .bundlePlanned(.fetch, bytes: 0)), (3, .bundlePlanned(.revalidate, bytes: 0)),
        ])
        #expect(model.bundleCount == 4 && model.endedBundles == 1)
        #expect(model.totalBytes == 100)
    }

    @Test func aBundleEndsOnce() {
        let model = model([
            (1, .bundlePlanned(.fetch, bytes: 0)), (2, .bundlePlanned(.fetch, bytes: 0)), (1, .bundleVerified),
            (1, .bundlePublished(version: "1")), (2, .bundleFailed(code: "c", message: "m")),
            (3, .bundlePlanned(.fetch, bytes: 0)), (3, .optionalBundleFailed(message: "m")),
        ])
        #expect(model.endedBundles == 3)
    }

    @Test func aTransferComesAndGoes() {
        var model = model([
            (1, .bundlePlanned(.fetch, bytes: 100)), (1, .transferStarted), (1, .transferResumed(offset: 40)),
            (1, .transferProgress(received: 60, total: 100, bytesPerSecond: 10)),
        ])
        #expect(model.transfers.map(\.name) == ["b1  file1.zip"])
        #expect(model.receivedBytes == 60 && model.totalBytes == 100 && model.bytesPerSecond == 10)
        model.take(RunEvent(time: Timestamp(seconds: 0), transfer: 1, kind: .transferFinished(bytes: 100)))
        #expect(model.transfers.isEmpty && model.receivedBytes == 100)
    }

    @Test func anotherSourceIsTheSameTransfer() {
        var model = model([(1, .transferStarted), (1, .transferRetrying(reason: "r", delay: .zero))])
        model.take(
            RunEvent(
                time: Timestamp(seconds: 0), manifest: "m", bundle: "b1", url: "http://mirror.example/x", transfer: 1,
                kind: .transferStarted))
        #expect(model.transfers.count == 1)
    }

    @Test(arguments: [.transferPaused, .transferFailed(code: "c", message: "m")] as [RunEvent.Kind])
    func anEndedTransferIsNotShown(end: RunEvent.Kind) {
        #expect(model([(1, .transferStarted), (1, end)]).transfers.isEmpty)
    }

    @Test func aSharedTransferHasNoRateOfItsOwn() {
        let model = model([
            (1, .transferStarted), (2, .transferCoalesced),
            (1, .transferProgress(received: 5, total: 10, bytesPerSecond: 7)),
            (2, .transferProgress(received: 5, total: 10, bytesPerSecond: 7)),
        ])
        #expect(model.bytesPerSecond == 7)
    }

    @Test func hugeNumbersDoNotTrap() {
        let model = model([
            (1, .bundlePlanned(.fetch, bytes: .max)), (2, .bundlePlanned(.fetch, bytes: .max)), (1, .transferStarted),
            (1, .transferProgress(received: .max, total: .max, bytesPerSecond: .max)), (2, .transferStarted),
            (2, .transferProgress(received: .max, total: .max, bytesPerSecond: .max)),
            (3, .transferFinished(bytes: .max)),
        ])
        #expect(model.receivedBytes == .max && model.totalBytes == .max && model.bytesPerSecond == .max)
        _ = ProgressPainter(columns: 80, rows: 24).lines(model)
    }
}

@Suite struct ProgressPainterTests {
    private func model(transfers: Int, name: String = "film") -> ProgressModel {
        var model = ProgressModel()
        for number in 1...transfers {
            func take(_ kind: RunEvent.Kind) {
                model.take(
                    RunEvent(
                        time: Timestamp(seconds: 0), manifest: "m", bundle: "\(name)\(number)",
                        url: "http://a.example/\(name).mp4", transfer: number, kind: kind))
            }
            take(.bundlePlanned(.fetch, bytes: 200_000_000))
            take(.transferStarted)
            take(.transferProgress(received: 50_000_000, total: 200_000_000, bytesPerSecond: 1_500_000))
        }
        return model
    }

    @Test func aWideTerminalShowsEverything() {
        #expect(
            ProgressPainter(columns: 80, rows: 24).lines(model(transfers: 1)) == [
                "film1  film.mp4                    25% [###---------] 200.0 MB   1.5 MB/s   1:40",
                "0/1 bundles  50.0 MB of 200.0 MB  1.5 MB/s  1:40 left",
            ])
    }

    @Test func aNarrowOneShowsTheFigures() {
        let lines = ProgressPainter(columns: 40, rows: 24).lines(
            model(transfers: 1, name: "a-bundle-with-a-long-name"))
        #expect(lines[0] == "a-bund…ame.mp4   25% 200.0 MB   1.5 MB/s")
        #expect(lines[1] == "0/1 bundles  50.0 MB of 200.0 MB")
    }

    @Test(arguments: [1, 5, 10, 20, 39, 40, 59, 60, 79, 80, 200], [1, 2, 3, 10, 24])
    func noLineIsWiderAndTheDisplayIsNeverHigher(columns: Int, rows: Int) {
        for transfers in [1, 3, 30] {
            let lines = ProgressPainter(columns: columns, rows: rows).lines(
                model(transfers: transfers, name: String(repeating: "x", count: 60)))
            #expect(lines.allSatisfy { $0.count <= columns })
            #expect(lines.count <= max(2, rows / 2))
        }
    }

    @Test func whatFindsNoRoomIsCounted() {
        let lines = ProgressPainter(columns: 80, rows: 12).lines(model(transfers: 9))
        #expect(lines.count == 6)
        #expect(lines[4] == "… and 5 more")
    }

    @Test func anUnknownLengthHasNoPercentage() {
        var model = ProgressModel()
        for kind in [RunEvent.Kind.transferStarted, .transferProgress(received: 5000, total: nil, bytesPerSecond: nil)]
        {
            model.take(
                RunEvent(time: Timestamp(seconds: 0), url: "http://a.example/x", transfer: 1, kind: kind))
        }
        let lines = ProgressPainter(columns: 80, rows: 24).lines(model)
        #expect(lines[0].hasPrefix("x ") && lines[0].hasSuffix("  5.0 kB") && !lines[0].contains("%"))
        #expect(lines[1] == "5.0 kB of 5.0 kB")
    }
}

@Suite struct HumanQuantityTests {
    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1499, "1.5 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
            (73_194_614, "73.2 MB"), (1_000_000_000, "1.0 GB"), (.max, "9223.4 PB"),
        ] as [(Int64, String)])
    func bytes(count: Int64, text: String) { #expect(HumanQuantity.bytes(count) == text) }

    @Test(
        arguments: [
            (.zero, "0.0 s"), (.milliseconds(420), "0.4 s"), (.milliseconds(59_940), "59.9 s"),
            (.milliseconds(59_960), "1:00 min"), (.seconds(187), "3:07 min"), (.seconds(3600), "1:00:00 h"),
            (.seconds(7387), "2:03:07 h"),
        ] as [(Duration, String)])
    func durations(duration: Duration, text: String) { #expect(HumanQuantity.duration(duration) == text) }

    @Test(arguments: [(0, "0:00"), (7, "0:07"), (187, "3:07"), (7387, "2:03:07")] as [(Int64, String)])
    func timeLeft(seconds: Int64, text: String) { #expect(HumanQuantity.clock(seconds) == text) }
}

@Suite struct SummaryLineTests {
    private func summary(_ change: (inout RunSummary) -> Void) -> RunSummary {
        var summary = RunSummary()
        summary.duration = .milliseconds(1500)
        change(&summary)
        return summary
    }

    @Test func aRunIsToldInFigures() {
        let run = summary {
            ($0.published, $0.unchanged, $0.failed) = (2, 1, 0)
            ($0.fetchedBytes, $0.resumedBytes) = (73_194_614, 1000)
        }
        #expect(
            SummaryLine(run, .success).text
                == "2 published, 1 unchanged, 0 failed; fetched 73.2 MB, resumed 1.0 kB; 1.5 s")
    }

    @Test func anIdleRunSaysSo() {
        let idle = summary { ($0.unchanged, $0.requestCount) = (3, 1) }
        #expect(SummaryLine(idle, .success).text.hasPrefix("nothing to do: 0 published, 3 unchanged, 0 failed; "))
        #expect(!SummaryLine(idle, .unreadable).text.contains("nothing to do"))
    }

    @Test func whatIsPausedIsToldOnlyThen() {
        #expect(SummaryLine(summary { $0.paused = 2 }, .paused).text.contains("0 failed, 2 paused; "))
    }

    @Test func aFetchIsToldByItsOutcome() {
        #expect(SummaryLine(ofFetch: summary { $0.published = 1 }).text.hasPrefix("complete; fetched "))
        #expect(SummaryLine(ofFetch: summary { $0.failed = 1 }).text.hasPrefix("failed; "))
        #expect(SummaryLine(ofFetch: summary { $0.paused = 1 }).text.hasPrefix("paused; "))
        #expect(SummaryLine(ofFetch: summary { $0.unchanged = 1 }).text.hasPrefix("nothing to do: the file is there; "))
    }
}
