import Glibc

extension Timestamp {
    /// The month that calendars on the wall show here: `2026-11`.
    package var localMonth: String {
        var time = time_t(seconds)
        var fields = tm()
        tzset()
        localtime_r(&time, &fields)
        let month = fields.tm_mon + 1
        return "\(Int(fields.tm_year) + 1900)-\(month < 10 ? "0" : "")\(month)"
    }
}
