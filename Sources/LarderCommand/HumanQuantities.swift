import Platform

/// Quantities as people read them.
enum HumanQuantity {
    /// `999 B`, `1.5 kB`, `73.2 MB`: decimal units, as disks and links are sold.
    static func bytes(_ count: Int64) -> String { shownBytes(count) }

    /// `1 file`, `2 files`.
    static func count(_ count: Int, _ one: String, _ several: String) -> String {
        "\(count) \(count == 1 ? one : several)"
    }

    /// `0.4 s`, `12.3 s`, `3:07 min`, `2:03:07 h`.
    static func duration(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        if seconds < 59.95 { return "\(tenths(seconds)) s" }
        return clock(Int64(seconds.rounded())) + (seconds < 3600 ? " min" : " h")
    }

    /// `8 s`, `3 min`, `5 h`, `12 days`: how long ago something was, roughly.
    static func age(_ time: Timestamp, at now: Timestamp) -> String {
        let seconds = max(0, now.seconds &- time.seconds)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }

    /// `0:07`, `3:07`, `2:03:07`: a time that is left.
    static func clock(_ seconds: Int64) -> String {
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(twoDigits(rest))" : "\(minutes):\(twoDigits(rest))"
    }

    private static func twoDigits(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }

    private static func tenths(_ value: Double) -> String { shownTenths(value) }
}
