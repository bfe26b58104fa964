import Glibc
import Testing

@testable import Platform

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (1_795_910_400, "2026-11-29T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"),
        ] as [(Int64, String)])
    func aTimeIsWrittenAndReadBack(seconds: Int64, text: String) {
        #expect(Timestamp(seconds: seconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text) == Timestamp(seconds: seconds))
    }

    @Test(arguments: [
        "", "2026-11-29", "2026-11-29T00:00:00", "2026-11-29 00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-29T24:00:00Z",
        "2026-11-29T00:60:00Z", "2026-11-29T00:00:60Z", "2026-11-29T00:00:00+", "+026-11-29T00:00:00Z",
        "２026-11-29T00:00Z",
    ])
    func whatIsNoTimeIsRefused(text: String) { #expect(Timestamp(rfc3339: text) == nil) }

    @Test func millisecondsArePadded() {
        #expect(Timestamp(seconds: 0, nanoseconds: 0).rfc3339Milliseconds == "1970-01-01T00:00:00.000Z")
        #expect(Timestamp(seconds: 0, nanoseconds: 7_999_999).rfc3339Milliseconds == "1970-01-01T00:00:00.007Z")
        #expect(Timestamp(seconds: 0, nanoseconds: 999_999_999).rfc3339Milliseconds == "1970-01-01T00:00:00.999Z")
    }

    @Test func timesAreOrdered() {
        let times = [
            Timestamp(seconds: -1, nanoseconds: 5), Timestamp(seconds: 0), Timestamp(seconds: 0, nanoseconds: 1),
        ]
        #expect(times.reversed().sorted() == times)
        #expect(Timestamp.now > Timestamp(seconds: 1_700_000_000))
    }

    /// A time from an archive may be anything.
    @Test(arguments: [Int64.min, .max]) func noTimeIsTooStrangeToWrite(seconds: Int64) {
        #expect(!Timestamp(seconds: seconds).rfc3339.isEmpty)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-29T00:00:00Z", 1_795_910_400), ("2000-02-29T23:59:59Z", 951_868_799),
        ("1969-12-31T23:59:59Z", -1), ("2024-12-31t12:30:15.250z", 1_735_648_215),
        ("2026-11-29T00:00:00+00:00", 1_795_910_400),
        ("2016-12-31T23:59:60Z", 1_483_228_800), ("0000-01-01T00:00:00Z", -62_167_219_200),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func timestampsAreSecondsSinceTheEpoch(_ text: String, _ seconds: Int) {
        #expect(Timestamp(rfc3339: text)?.seconds == Int64(seconds))
    }

    @Test(arguments: [
        "", "2026-11-29", "2026-11-29T00:00:00", "2026-11-29 00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+01:00",
        "2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00.Z", "2026-1-01T00:00:00Z", "26-01-01T00:00:00Z",
        "2026-01-01T00:00:00Zx", "+026-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
    ])
    func whatIsNoTimestampIsRefused(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
