import Glibc
import Platform
import Testing

/// Parts of the day, and the minute that clocks on the wall show.
@Suite struct DailyWindowTests {
    @Test(arguments: [
        ("08:00-18:00", ["08:00", "12:30", "17:59"], ["00:00", "07:59", "18:00", "23:59"]),
        ("22:00-06:00", ["22:00", "23:59", "00:00", "05:59"], ["06:00", "12:00", "21:59"]),
        ("00:00-24:00", ["00:00", "23:59"], []), ("22:00-00:00", ["22:00", "23:59"], ["00:00", "21:59"]),
        ("23:59-24:00", ["23:59"], ["23:58", "00:00"]),
    ])
    func has(_ text: String, inside: [String], outside: [String]) throws {
        let window = try #require(DailyWindow(text))
        #expect(window.description == text)
        for time in inside { #expect(window.contains(minuteOfDay: try minute(time)), "\(time)") }
        for time in outside { #expect(!window.contains(minuteOfDay: try minute(time)), "\(time)") }
    }

    private func minute(_ text: String) throws -> Int {
        let numbers = text.split(separator: ":").compactMap { Int($0) }
        try #require(numbers.count == 2)
        return numbers[0] * 60 + numbers[1]
    }

    @Test(arguments: [
        "", "-", "08:00", "8:00-18:00", "08:00-18:00-", "08:60-18:00", "25:00-26:00", "24:00-08:00", "24:01-24:02",
        "08:00-08:00", "08:00 - 18:00", "08.00-18.00", "0a:00-18:00", "+8:00-18:00", "08:00-٢٢:00",
    ])
    func isNoWindow(_ text: String) { #expect(DailyWindow(text) == nil) }

    /// Central Europe's rules, without any need for a table of time zones: 2026-03-29 has no 02:30, 2026-10-25 has two.
    @Test(arguments: [
        (1_774_745_999, "01:59"), (1_774_746_000, "03:00"), (1_792_888_200, "02:30"), (1_792_891_800, "02:30"),
        (1_792_893_600, "03:00"), (1_767_225_600, "01:00"),
    ])
    func theClocksChange(_ seconds: Int64, shows: String) throws {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        #expect(Timestamp(seconds: seconds).localMinuteOfDay == (try minute(shows)))
    }
}
