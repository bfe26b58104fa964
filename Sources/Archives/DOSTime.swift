/// A date and time as DOS packs them (APPNOTE 4.4.6): in some local time that the archive doesn't name; taken as UTC, so that
/// every machine sets the same.
enum DOSTime {
    /// Seconds since 1970; nil when the fields are no date.
    static func seconds(date: UInt16, time: UInt16) -> Int64? {
        let (year, month, day) = (Int64(date >> 9) + 1980, Int64(date >> 5 & 15), Int64(date & 31))
        let (hour, minute, second) = (Int64(time >> 11), Int64(time >> 5 & 63), Int64(time & 31) * 2)
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else { return nil }
        // Days from the civil date, with years that begin in March so that the leap day comes last.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let days =
            365 * shifted + shifted / 4 - shifted / 100 + shifted / 400
            + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }
}
