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
    package var rfc3339: String { formatted("%04Y-%m-%dT%H:%M:%SZ") }

    /// As RFC 3339 writes it, with milliseconds: for events.
    package var rfc3339Milliseconds: String {
        let milliseconds = String(nanoseconds / 1_000_000)
        let padding = String(repeating: "0", count: 3 - milliseconds.utf8.count)
        return formatted("%04Y-%m-%dT%H:%M:%S.") + padding + milliseconds + "Z"
    }

    private func formatted(_ format: String) -> String {
        var time = time_t(seconds)
        var fields = tm()
        gmtime_r(&time, &fields)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &fields)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
