extension Timestamp {
    /// Reads RFC 3339 in UTC: `2026-11-29T00:00:00Z`, or with `+00:00`. A fraction of a second is dropped; a leap second is the second after.
    /// Nil for anything else.
    package init?(rfc3339 text: String) {
        var reader = Reader(rest: text.utf8[...])
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("Tt"), let hour = reader.number(digits: 2),
            reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"), let second = reader.number(digits: 2),
            reader.skipFraction(), reader.skipUTC(), reader.rest.isEmpty
        else { return nil }
        self.init(year, month, day, hour, minute, second)
    }

    /// A moment of the Gregorian calendar in UTC; a leap second is the second after. Nil where there is none such, and beyond the year 9999.
    package init?(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int) {
        let isLeapSecond = (hour, minute, second) == (23, 59, 60)
        guard (0...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            (0..<24).contains(hour),
            (0..<60).contains(minute), (0..<60).contains(second) || isLeapSecond
        else { return nil }
        // Years have four digits at most: nothing here can overflow.
        self.init(seconds: Int64(((Self.daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(in month: Int, of year: Int) -> Int {
        month == 2 && isLeap(year) ? 29 : [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
        daysBefore(year: year) - daysBefore(year: 1970) + (1..<month).reduce(0) { $0 + days(in: $1, of: year) } + day
            - 1
    }

    /// Days from the start of year 0 of the Gregorian calendar, itself a leap year.
    private static func daysBefore(year: Int) -> Int {
        guard year > 0 else { return 0 }
        let last = year - 1
        return year * 365 + last / 4 - last / 100 + last / 400 + 1
    }
}

private struct Reader {
    var rest: Substring.UTF8View

    mutating func number(digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    mutating func skip(_ oneOf: String) -> Bool {
        guard let byte = rest.first, oneOf.utf8.contains(byte) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func skipFraction() -> Bool {
        guard skip(".") else { return true }
        let digits = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    mutating func skipUTC() -> Bool {
        if skip("Zz") { return true }
        guard String(rest) == "+00:00" else { return false }
        rest = rest.dropFirst(6)
        return true
    }
}
