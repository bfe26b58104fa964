import Platform

/// A date and time as DOS packs them (APPNOTE 4.4.6): in some local time that the archive doesn't name; taken as UTC, so that
/// every machine sets the same.
enum DOSTime {
    /// Seconds since 1970; nil when the fields are no date.
    static func seconds(date: UInt16, time: UInt16) -> Int64? {
        let (year, month, day) = (Int(date >> 9) + 1980, Int(date >> 5 & 15), Int(date & 31))
        let (hour, minute, second) = (Int(time >> 11), Int(time >> 5 & 63), Int(time & 31) * 2)
        // DOS knows no leap second.
        guard second < 60 else { return nil }
        return Timestamp(year, month, day, hour, minute, second)?.seconds
    }
}
