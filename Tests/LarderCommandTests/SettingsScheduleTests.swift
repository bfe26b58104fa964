import Downloads
import FaultServer
import Platform
import TestSupport
import Testing
import Transfer

@testable import Jobs
@testable import LarderCommand

/// `schedule` in `--config`: which settings hold when, and how a run gets from one to the next.
@Suite struct SettingsScheduleTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func settings(_ text: String) throws -> SessionSettings {
        var settings = SessionSettings(session: SessionConfiguration())
        try settings.read(folder.write(text.utf8, to: "s.json"))
        return settings
    }

    private static let day = """
        {"schedule": [{"window": "08:00-18:00", "rateLimit": "1M", "maxConnections": 2},
                      {"window": "17:00-07:00", "rateLimit": "5M", "proxy": ""}],
         "rateLimit": "3M", "maxConnections": 4, "userAgent": "kiosk"}
        """

    @Test(arguments: [(7, 3, 4, nil), (8, 1, 2, nil), (17, 1, 2, nil), (18, 5, 4, ""), (23, 5, 4, ""), (6, 5, 4, "")])
    func theFirstWindowThatHasTheMinuteCounts(hour: Int, mebibytes: Int64, connections: Int, proxy: String?) throws {
        let holding = try settings(Self.day).holding(atMinute: hour * 60)
        #expect(holding.session.rateLimitBytesPerSecond == mebibytes << 20)
        #expect(holding.maximumConnections == connections)
        #expect(holding.session.proxy == proxy && holding.session.userAgent == "kiosk")
    }

    /// What a run was told to go on by, and why.
    private struct Change: Sendable, Hashable {
        let bytesPerSecond: Int64?
        let reason: RebuildReason
    }

    private func plan(_ settings: SessionSettings) -> TransferPlan {
        TransferPlan(
            apply: { settings in
                var configuration = DownloaderConfiguration()
                configuration.session = settings.session
                return configuration
            }, settings: settings)
    }

    @Test func eachBoundaryIsFollowedOnceAndASleepThroughSomeOfThemToo() async throws {
        let (clock, changes) = (Locked(7 * 60), EventRecorder<Change>())
        let looks = EventRecorder<Int>()
        let first = plan(try settings(Self.day))
        let second = plan(try settings(#"{"schedule": [{"window": "00:00-24:00", "rateLimit": 9}]}"#))
        let reload = SettingsReload(
            first, read: { () throws(SettingsProblem) in second },
            minute: {
                let minute = clock.withLock { $0 }
                looks.record(minute)
                return minute
            },
            take: { configuration, reason throws(ConfigurationError) in
                changes.record(Change(bytesPerSecond: configuration.session.rateLimitBytesPerSecond, reason: reason))
            }, complain: { Issue.record("\($0)") })
        // Asleep from 08:30 to 18:30, say.
        for (number, minute) in [7 * 60 + 59, 8 * 60, 8 * 60 + 30, 18 * 60 + 30, 19 * 60, 7 * 60].enumerated() {
            clock.withLock { $0 = minute }
            reload.tick()
            _ = try await looks.events(atLeast: number + 2)
        }
        reload.request()
        let expected = [
            Change(bytesPerSecond: 1 << 20, reason: .schedule), Change(bytesPerSecond: 5 << 20, reason: .schedule),
            Change(bytesPerSecond: 3 << 20, reason: .schedule), Change(bytesPerSecond: 9, reason: .configuration),
        ]
        #expect(try await changes.events(atLeast: expected.count) == expected)
    }

    /// What a run can't take changes nothing, at the next boundary neither.
    @Test func whatIsReadAndNotTakenIsForgotten() async throws {
        let (clock, changes, complaints) = (Locked(7 * 60), EventRecorder<Change>(), EventRecorder<String>())
        let first = plan(try settings(Self.day))
        let second = plan(
            try settings(#"{"schedule": [{"window": "00:00-24:00", "rateLimit": 9}], "maxRedirects": 1}"#))
        let reload = SettingsReload(
            first, read: { () throws(SettingsProblem) in second }, minute: { clock.withLock { $0 } },
            take: { configuration, reason throws(ConfigurationError) in
                guard reason == .schedule else {
                    var impossible = DownloaderConfiguration()
                    impossible.maximumTransfers = 0
                    return try impossible.validate()
                }
                changes.record(Change(bytesPerSecond: configuration.session.rateLimitBytesPerSecond, reason: reason))
            }, complain: complaints.record)
        reload.request()
        let complaint = try await complaints.events(atLeast: 1)
        #expect(complaint.count == 1 && complaint[0].hasSuffix("the settings stay as they were"), "\(complaint)")
        clock.withLock { $0 = 8 * 60 }
        reload.tick()
        let expected = [Change(bytesPerSecond: 1 << 20, reason: .schedule)]
        #expect(try await changes.events(atLeast: 1) == expected)
    }

    @Test func whatHoldsFromTheNextRunOnIsToldByWhatTheRunBeganWith() async throws {
        let texts = [#"{"maxRedirects": 1}"#, #"{"maxRedirects": 1, "bodyBudget": 7}"#, "{}"]
        let next = Locked(try texts.map { plan(try settings($0)) }[...])
        let (changes, complaints) = (EventRecorder<Change>(), EventRecorder<String>())
        let reload = SettingsReload(
            plan(try settings("{}")),
            read: { () throws(SettingsProblem) in
                guard let plan = next.withLock({ $0.popFirst() }) else { throw SettingsProblem(lines: ["none left"]) }
                return plan
            },
            take: { _, reason throws(ConfigurationError) in
                changes.record(Change(bytesPerSecond: nil, reason: reason))
            }, complain: complaints.record)
        for number in 1...4 {
            reload.request()
            if number < 4 { _ = try await changes.events(atLeast: number) }
        }
        // The last one fails, and so says that all others have been told.
        let told = try await complaints.wait(for: "the last") { $0.last?.contains("none left") == true ? $0 : nil }
        let names = told.dropLast().map { $0.split(separator: "\"").dropFirst().first.map(String.init) ?? "" }
        #expect(names == ["maxRedirects", "maxRedirects", "bodyBudget"], "\(told)")
    }

    @Test(arguments: [
        (#"{"schedule": {}}"#, ":1:14: error[C003]: \"schedule\" is a list of objects"),
        (#"{"schedule": [7]}"#, ":1:15: error[C004]"), (#"{"schedule": [{"rateLimit": 9}]}"#, "\"08:00-18:00\""),
        (#"{"schedule": [{"window": "8-18"}]}"#, ":1:26: error[C003]"),
        (#"{"schedule": [{"window": "08:00-18:00", "ratelimit": 9}]}"#, "did you mean \"rateLimit\"?"),
        (#"{"schedule": [{"window": "08:00-18:00", "maxRedirects": 9}]}"#, "can't change with the time of the day"),
        (#"{"schedule": [{"window": "08:00-18:00", "rateLimit": 0}]}"#, "error[C003]"),
        (#"{"schedule": [{"window": "08:00-18:00", "proxy": "gopher://x"}]}"#, "in the window 08:00-18:00, proxy"),
    ])
    func whatItDoesNotUnderstandIsAMistakeOfTheCommandLine(text: String, says: String) async throws {
        let stock = try Stock()
        let path = try stock.directory.write(text.utf8, to: "s.json")
        let result = try await stock.sync("--config", path)
        #expect(result.status == .exited(64) && result.problems.count == 1, "\(result)")
        #expect(result.errorText.hasPrefix("larder: \(path):") && result.errorText.contains(says), "\(result)")
    }

    @Test func aRunBeginsByTheWindowOfTheMoment() async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 1000, seed: 1))])
        let text = #"{"userAgent": "night", "schedule": [{"window": "00:00-24:00", "userAgent": "day"}]}"#
        let result = try await stock.sync("--config", stock.directory.write(text.utf8, to: "s.json"))
        #expect(result.status == .exited(0), "\(result)")
        #expect(stock.server.log.allSatisfy { $0.request["User-Agent"] == "day" })
    }
}
