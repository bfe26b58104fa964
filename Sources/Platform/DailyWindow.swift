/// A part of every day in local time, `08:00-18:00`: from its first minute until before its last. One that ends before it begins goes on past
/// midnight. Where the clocks change a minute may be missing, or come twice; the window has as much of it as the day has.
package struct DailyWindow: Hashable, Sendable, CustomStringConvertible {
    /// Minutes since midnight.
    private let start: Int
    /// At most that of midnight, 24:00.
    private let end: Int

    /// Reads `HH:MM-HH:MM`, hours from 00 to 23, and 24:00 as an end.
    /// - Returns: nil for anything else, and for a window of no length.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Self.minutes(parts[0]), let end = Self.minutes(parts[1]) else { return nil }
        guard start != end, start < Self.midnight else { return nil }
        (self.start, self.end) = (start, end)
    }

    /// Its first minute, counted from midnight.
    package var startMinute: Int { start }

    /// The hours at whose `startMinute % 60` something begins that is begun with the window, and then every hour until its end; in the order of
    /// the window.
    package var startHours: [Int] {
        let length = (end - start + Self.midnight) % Self.midnight
        // A whole day, from midnight to midnight.
        let minutes = length == 0 ? Self.midnight : length
        return stride(from: start, to: start + minutes, by: 60).map { $0 / 60 % 24 }
    }

    private static let midnight = 24 * 60

    private static func minutes(_ text: Substring) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        let total = hours * 60 + minutes
        return minutes < 60 && total <= midnight ? total : nil
    }

    /// Whether a minute of the day, counted from midnight, is part of it.
    package func contains(minuteOfDay minute: Int) -> Bool {
        start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// As it was written.
    package var description: String { "\(Self.text(start))-\(Self.text(end))" }

    private static func text(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
