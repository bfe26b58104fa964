import Glibc

/// A moment of civil time, in UTC, to the nanosecond.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    package let seconds: Int64
    /// 0 ..< 1,000,000,000.
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    init(_ raw: timespec) {
        self.init(seconds: Int64(raw.tv_sec), nanoseconds: Int32(truncatingIfNeeded: raw.tv_nsec))
    }

    /// The present, by the machine's wall clock.
    package static var now: Timestamp {
        var raw = Glibc.timespec()
        clock_gettime(CLOCK_REALTIME, &raw)
        return Timestamp(raw)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    var timespec: Glibc.timespec { Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)) }

    /// As RFC 3339 writes it, in UTC and whole seconds: `2026-11-29T00:00:00Z`.
    package var rfc3339: String { formatted("%Y-%m-%dT%H:%M:%SZ") }

    /// As RFC 3339 writes it, with milliseconds: for events.
    package var rfc3339Milliseconds: String {
        let milliseconds = String(nanoseconds / 1_000_000)
        let padding = String(repeating: "0", count: 3 - milliseconds.utf8.count)
        return formatted("%Y-%m-%dT%H:%M:%S.") + padding + milliseconds + "Z"
    }

    private func formatted(_ format: String) -> String {
        var time = time_t(seconds)
        var fields = tm()
        gmtime_r(&time, &fields)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &fields)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Reads `YYYY-MM-DDTHH:MM:SSZ`, the form `rfc3339` writes; nil for anything else.
    package init?(rfc3339 text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 20 else { return nil }
        func number(_ range: Range<Int>) -> Int32? {
            var value: Int32 = 0
            for character in characters[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { return nil }
                value = value * 10 + Int32(character - UInt8(ascii: "0"))
            }
            return value
        }
        guard
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year - 1900, month - 1, day)
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (hour, minute, second)
        self.init(seconds: Int64(timegm(&fields)))
        // timegm takes 31 February for a day in March: what doesn't come back as it went in was no date.
        guard rfc3339 == text else { return nil }
    }
}
