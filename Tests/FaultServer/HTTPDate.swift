import Glibc

/// Dates as HTTP writes them (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// - Parameter offsetSeconds: counted from now.
    package static func fromNow(_ offsetSeconds: Int = 0) -> String {
        string(secondsSince1970: time(nil) + offsetSeconds)
    }

    package static func string(secondsSince1970: Int) -> String {
        var seconds = secondsSince1970
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let date = "\(padded(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year)"
        let clock = "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
        return "\(days[Int(parts.tm_wday)]), \(date) \(clock) GMT"
    }

    private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
