import Glibc

/// What calendars and clocks on the wall show here.
extension Timestamp {
    /// The month: `2026-11`.
    package var localMonth: String {
        let fields = localFields
        let month = fields.tm_mon + 1
        return "\(Int(fields.tm_year) + 1900)-\(month < 10 ? "0" : "")\(month)"
    }

    /// The minute of the day, counted from midnight.
    package var localMinuteOfDay: Int { Int(localFields.tm_hour) * 60 + Int(localFields.tm_min) }

    private var localFields: tm {
        var time = time_t(seconds)
        var fields = tm()
        // A run may outlive its time zone: a traveller's, say.
        tzset()
        localtime_r(&time, &fields)
        return fields
    }
}
